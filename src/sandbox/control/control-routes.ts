// All control routes, each with its purpose, its body, and the method of the bank that it calls. docs/sandbox.md has
// examples.
import type { GenericSchema } from 'valibot';
import type { Bank } from '../bank-script.ts';
import * as body from './control-bodies.ts';
import { fault } from './control-faults.ts';
import { NotInBankError } from '../data/directory.ts';
import { describeBank } from '../describe.ts';

/** The input of a route. */
interface ControlRequest {
  readonly bank: Bank;
  /** The value of `:id` in the path. */
  readonly id: string;
  /** Validates the body (`{}` if the request has no body); throws a RangeError that lists every wrong value. */
  readonly take: <T>(schema: GenericSchema<unknown, T>) => T;
}

/** A route below /__bank. Its result is sent as JSON; without a result, the status is 204. */
export interface ControlRoute {
  readonly method: string;
  readonly path: string;
  readonly about: string;
  readonly run: (request: ControlRequest) => unknown;
}

/** All routes; `GET /__bank` lists them too. */
export const controlRoutes: readonly ControlRoute[] = [
  route('GET /', 'Tenants, holders with tokens, and this list', ({ bank }) => overview(bank)),
  route('POST /reset', 'Everything as it was at the start', ({ bank }) => bank.reset()),
  route('GET /holders', 'Holders and their accounts', ({ bank }) => bank.holders),
  route('POST /holders', 'Enters a holder', ({ bank, take }) => bank.addHolder(take(body.holder))),
  route('POST /holders/:id/accounts', 'Opens an account', ({ bank, id, take }) => ({
    id: bank.addAccount(id, take(body.newAccount)),
  })),
  route('DELETE /accounts/:id', 'Closes an account', ({ bank, id }) => bank.removeAccount(id)),
  route('POST /tokens', 'A token for a holder, with claims of your own', mintToken),

  route('GET /behaviour', 'The behaviour of the bank', ({ bank }) => bank.behaviour()),
  route('PATCH /behaviour', 'Changes it', ({ bank, take }) => {
    bank.configure(take(body.behaviour));
    return bank.behaviour();
  }),
  route('GET /accounts/:id/behaviour', 'The behaviour towards an account', ({ bank, id }) =>
    bank.behaviour(id),
  ),
  route('PATCH /accounts/:id/behaviour', 'Changes it', ({ bank, id, take }) => {
    bank.configure(take(body.behaviour), id);
    return bank.behaviour(id);
  }),

  route('GET /accounts/:id/statement', 'The whole statement', ({ bank, id }) => ({
    transactions: bank.statement(id),
  })),
  route('PUT /accounts/:id/statement', 'Puts another in its place', ({ bank, id, take }) => {
    const { transactions, ...shape } = take(body.statement);
    return { ids: bank.setStatement(id, transactions, shape) };
  }),
  route('POST /accounts/:id/arrivals', 'New transactions at the head', ({ bank, id, take }) => {
    const { count, given, amongTies } = take(body.arrivals);
    return { ids: bank.arrive(id, count, given, amongTies) };
  }),
  route('PUT /accounts/:id/arrivals', 'Arrivals at intervals', ({ bank, id, take }) => {
    const stream = take(body.arrivalStream);
    bank.stopArrivals(id);
    bank.arriveEvery(id, stream);
  }),
  route('DELETE /accounts/:id/arrivals', 'Ends them', ({ bank, id }) => bank.stopArrivals(id)),
  route('POST /accounts/:id/late-postings', 'Older transactions', ({ bank, id, take }) => {
    const { count, given, amongTies } = take(body.arrivals);
    return { ids: bank.postLate(id, count, given, amongTies) };
  }),
  route('POST /accounts/:id/removals', 'Removes transactions', ({ bank, id, take }) => ({
    ids: bank.remove(id, take(body.removal)),
  })),
  route('POST /accounts/:id/ties', 'Gives a range one createdAt', ({ bank, id, take }) => ({
    ids: bank.tie(id, take(body.tiedRange)),
  })),
  route('POST /accounts/:id/read-hooks', 'Changes it at every read', ({ bank, id, take }) => {
    bank.onStatementRead({ ...take(body.readHook), accountId: id });
  }),
  route('DELETE /accounts/:id/read-hooks', 'No longer', ({ bank, id }) => bank.clearReadHooks(id)),

  route('GET /faults', 'The faults that are set', ({ bank }) => bank.faults()),
  route('POST /faults', 'Sets a fault', ({ bank, take }) => bank.addFault(take(fault))),
  route('DELETE /faults', 'Takes all off', ({ bank }) => bank.clearFaults()),
  route('DELETE /faults/:id', 'Takes one off', ({ bank, id }) => {
    const fault = bank.faults().find((each) => String(each.id) === id);
    if (fault === undefined) throw new NotInBankError(`There is no fault ${id}.`);
    bank.clearFaults(fault.id);
  }),

  route('GET /calls', 'The requests to the service', ({ bank }) => ({ calls: bank.calls() })),
  route('DELETE /calls', 'Forgets them', ({ bank }) => bank.resetCalls()),
  route('GET /load', 'Connections and requests under way', ({ bank }) => bank.load()),
];

function route(line: string, about: string, run: ControlRoute['run']): ControlRoute {
  const [method = '', path = ''] = line.split(' ');
  return { method, path, about, run };
}

async function overview(bank: Bank) {
  const routes = controlRoutes.map(({ method, path, about }) => `${method} ${path}  ${about}`);
  return { ...(await describeBank(bank)), routes };
}

async function mintToken({ bank, take }: ControlRequest) {
  const { holder, claims, ...where } = take(body.token);
  const { tenant } = where;
  const isKnown = bank.holders.some(
    (each) =>
      each.id.toLowerCase() === holder.toLowerCase() &&
      (tenant === undefined || each.tenant === tenant),
  );
  if (!isKnown) {
    const place = tenant === undefined ? '' : ` in the tenant ${tenant}`;
    throw new NotInBankError(`There is no holder ${holder}${place}.`);
  }
  return { token: await bank.tokenFor({ id: holder, ...where }, claims) };
}
