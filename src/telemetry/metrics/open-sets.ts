// Values of fields whose sets the service leaves open: the first time that one is seen, an operator hears of it.
import { hash } from 'node:crypto';
import type { AnswerMetrics } from './answer-metrics.ts';

/** Told of every value of an open set, on the hot path. */
export interface OpenSets {
  value(field: string, value: string): void;
}

export interface OpenSetsParts {
  /** By field, the values that the service documents. */
  readonly documented: Readonly<Record<string, readonly string[]>>;
  readonly metrics: Pick<AnswerMetrics, 'newValue'>;
  readonly log: { info(fields: object, message: string): void };
}

/** Values remembered of one field: enough for any set of states; a field that has more is no set. */
const maxValues = 100;

/** A value is shown only where it looks like a constant: anything else may be a text about a person. */
const constant = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Fields that are not in `documented` are not looked at. */
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
      if (value.length <= maxLength) remember(field, values, value);
      else if (!values.has(shorten(value))) remember(field, values, shorten(value));
    },
  };
}

/** No label is as long; a hash of it is kept then, as a hundred values could else be as many answers of the service. */
const maxLength = 64;

function shorten(value: string): string {
  return hash('sha256', value);
}
