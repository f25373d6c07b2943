// Counts violations of the API description, and counts and logs each new value of an open set once.
import { hash } from 'node:crypto';
import { Counter, type Registry } from 'prom-client';
import type { AnswerObserver } from '../../upstream/observer.ts';

/** The label for a violation by an answer as a whole, because Prometheus treats an empty label as absent. */
const whole = '(answer)';

/** The largest number of JSON pointers that become labels. Without a defect in the code, there are about seventy. */
const maxPointers = 200;

/** The largest number of values that are remembered for a field: more than any open set should have. */
const maxValues = 100;

/** The longest value that `constant` matches. Of a longer value, only a hash is remembered, to save memory. */
const maxLength = 64;

/** Only values that look like constants are logged, because any other value may be personal data. */
const constant = /^[A-Z][A-Z0-9_]{0,63}$/;

/** `documentedValues` has the documented values of each field with an open set; other fields are ignored. */
export function createAnswerMetrics(
  registry: Registry,
  documentedValues: Readonly<Record<string, readonly string[]>>,
  log: { info(fields: object, message: string): void },
): AnswerObserver {
  const registers = [registry];
  const violations = new Counter({
    name: 'account_bff_contract_violations_total',
    help: 'Values in answers that are not as documented by the service, by JSON pointer; * stands for any index.',
    labelNames: ['pointer'],
    registers,
  });
  const newValues = new Counter({
    name: 'account_bff_open_set_new_values_total',
    help: 'Distinct undocumented values seen in fields that may have values other than the documented ones.',
    labelNames: ['field'],
    registers,
  });
  violations.inc({ pointer: whole }, 0);
  const pointers = new Set<string>();
  const known = new Map(
    Object.entries(documentedValues).map(([field, values]) => [field, new Set(values)]),
  );
  return {
    violation(sent) {
      const pointer = sent.replace(/\/\d+(?=\/|$)/g, '/*') || whole;
      if (pointers.size < maxPointers) pointers.add(pointer);
      violations.inc({ pointer: pointers.has(pointer) ? pointer : 'other' });
    },
    value(field, value) {
      const values = known.get(field);
      if (values === undefined || values.has(value)) return;
      const key = value.length <= maxLength ? value : hash('sha256', value);
      if (values.has(key) || values.size >= maxValues) return;
      values.add(key);
      newValues.inc({ field });
      const shown = constant.test(key) ? { field, value } : { field };
      log.info(shown, 'an undocumented value was seen for the first time');
    },
  };
}
