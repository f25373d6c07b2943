// Counts slices of statements by how reading them ended.
import { Counter, type Registry } from 'prom-client';
import type { StatementObserver } from '../../statement/shift.ts';

const outcomes = ['still', 'violation', 'failed'];

/** The reasons of src/statement/shift.ts. */
const reasons = {
  shifted: ['arrivals', 'moved', 'neighbour', 'createdAt', 'tieOrder', 'during'],
  expired: ['gone', 'ties', 'tieOrder', 'noId', 'tooFar', 'unsettled'],
};

export function createStatementMetrics(registry: Registry): StatementObserver {
  const slices = new Counter({
    name: 'account_bff_statement_slices_total',
    help: 'Slices of statements, by what became of them, and why; shifted: rows had moved, which was noticed and repaired.',
    labelNames: ['outcome', 'reason'],
    registers: [registry],
  });
  for (const [outcome, some] of Object.entries(reasons)) {
    for (const reason of some) slices.inc({ outcome, reason }, 0);
  }
  for (const outcome of outcomes) slices.inc({ outcome, reason: '' }, 0);
  const rereads = new Counter({
    name: 'account_bff_statement_rereads_total',
    help: 'Pages read again because a statement moved while it was read.',
    registers: [registry],
  });
  return {
    slice(outcome, reason, count) {
      slices.inc({ outcome, reason });
      if (count > 0) rereads.inc(count);
    },
  };
}
