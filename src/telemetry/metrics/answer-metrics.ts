// Counts contract violations, and new values of open sets, in the service's answers.
import { Counter, type Registry } from 'prom-client';

export interface AnswerMetrics {
  /** The value at this JSON pointer ('' for the whole answer) contradicts the API description. */
  violation(pointer: string): void;
  /** A value of an open set was seen for the first time. */
  newValue(field: string): void;
}

/** Prometheus treats an empty label as absent. */
const whole = '(answer)';

/** Pointers consist of names that the code knows, some fifty in all; the bound is for mistakes. */
const maxPointers = 200;

export function createAnswerMetrics(registry: Registry): AnswerMetrics {
  const registers = [registry];
  const violations = new Counter({
    name: 'account_bff_contract_violations_total',
    help: 'Values in answers that are not as the service documents them, by JSON pointer; * stands for any index.',
    labelNames: ['pointer'],
    registers,
  });
  const newValues = new Counter({
    name: 'account_bff_open_set_new_values_total',
    help: 'Distinct values, beyond those that the service documents, of fields whose values it does not close.',
    labelNames: ['field'],
    registers,
  });
  violations.inc({ pointer: whole }, 0);
  const labelOf = createPointerLabels();
  return {
    violation: (pointer) => violations.inc({ pointer: labelOf(pointer) }),
    newValue: (field) => newValues.inc({ field }),
  };
}

/** Pointers as labels: indices become `*`, and there are at most `maxPointers`. */
function createPointerLabels(): (pointer: string) => string {
  const known = new Set<string>();
  return (pointer) => {
    const label = pointer.replace(/\/\d+(?=\/|$)/g, '/*') || whole;
    if (known.size < maxPointers) known.add(label);
    return known.has(label) ? label : 'other';
  };
}
