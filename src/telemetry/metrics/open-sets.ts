// Logs each new value of an open set once.
import { hash } from 'node:crypto';
import type { AnswerMetrics } from './answer-metrics.ts';

/** Called for every value of an open set, on the hot path. */
export interface OpenSets {
  value(field: string, value: string): void;
}

export interface OpenSetsParts {
  /** By field, the values that the service documents. */
  readonly documented: Readonly<Record<string, readonly string[]>>;
  readonly metrics: Pick<AnswerMetrics, 'newValue'>;
  readonly log: { info(fields: object, message: string): void };
}

/** The most values that are remembered of one field: more than any set of states has. */
const maxValues = 100;

/** Only values that look like constants are logged: any other text may be about a person. */
const constant = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Fields that are not in `documented` are ignored. */
export function createOpenSets({ documented, metrics, log }: OpenSetsParts): OpenSets {
  const known = new Map(
    Object.entries(documented).map(([field, values]) => [field, new Set(values)]),
  );
  const remember = (field: string, values: Set<string>, value: string) => {
    if (values.size >= maxValues) return;
    values.add(value);
    metrics.newValue(field);
    const shown = constant.test(value) ? { field, value } : { field };
    log.info(shown, 'a value is seen for the first time');
  };
  return {
    value(field, value) {
      const values = known.get(field);
      if (values === undefined || values.has(value)) return;
      // A hash of a long value, because a hundred of them could take much memory.
      const key = value.length <= maxLength ? value : hash('sha256', value);
      if (!values.has(key)) remember(field, values, key);
    },
  };
}

/** Longer than any constant. */
const maxLength = 64;
