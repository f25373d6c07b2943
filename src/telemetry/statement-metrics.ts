// What the walk through statements meets: that they move, and whether it could go on all the same.
import { Counter, type Registry } from 'prom-client';

/** What `StatementObserver` of src/statement tells. */
export interface StatementMetrics {
  /** A slice was read, or could not be; `rereads` pages were read more than once for it. */
  slice(outcome: string, rereads: number): void;
}

const outcomes = ['still', 'shifted', 'expired', 'violation', 'failed'];

export function createStatementMetrics(registry: Registry): StatementMetrics {
  const slices = new Counter({
    name: 'account_bff_statement_slices_total',
    help: 'Slices of statements, by what became of them; shifted: rows had moved, which was noticed and repaired.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of outcomes) slices.inc({ outcome }, 0);
  const rereads = new Counter({
    name: 'account_bff_statement_rereads_total',
    help: 'Pages read again because a statement moved while it was read.',
    registers: [registry],
  });
  return {
    slice(outcome, count) {
      slices.inc({ outcome });
      if (count > 0) rereads.inc(count);
    },
  };
}
