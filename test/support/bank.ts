// Finds holders of the sandbox bank, sets the bank's answers, and lists the calls that the bank has received.
import type { Bank } from '../../src/sandbox/bank-script.ts';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';

/** The first holder of a kind; throws if there is none. */
export function holderOf({ holders }: Bank, kind: HolderSummary['kind']): HolderSummary {
  const found = holders.find((holder) => holder.kind === kind);
  if (found === undefined) throw new Error(`the bank has no ${kind}`);
  return found;
}

/** Makes the bank answer matching requests with this JSON text from now on. */
export function answerWith(bank: Bank, match: NonNullable<Fault['match']>, text: string): void {
  bank.addFault({ kind: 'status', status: 200, body: text, match });
}

/** Path and query of each call, in order of arrival. */
export function targetsOf(bank: Bank): string[] {
  return bank.calls().map(({ target }) => target);
}

/** The `page` of each call for a statement, as the bank numbers its pages, in order of arrival. */
export function pagesOf(bank: Bank): (number | null)[] {
  return bank
    .calls()
    .filter(({ route }) => route === 'transactions')
    .map(({ page }) => page);
}
