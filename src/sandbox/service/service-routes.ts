// The endpoints of docs/service.md: their paths, and their answers for a known holder.
import { refuse, secretMark, type Answer } from './answer.ts';
import type { Behaviours } from '../behaviour.ts';
import type { Account, Directory } from '../data/directory.ts';
import type { Holder } from '../data/holders.ts';
import type { ReadHooks } from '../data/read-hooks.ts';
import { answerStatement } from './statement-page.ts';

/** The parts of a request that answers depend on. */
export interface Question {
  /** The first value of each query parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** The account in the path, in lower case; null on routes without one. */
  readonly accountId: string | null;
  /** The requested page; null if it is absent or not an integer. */
  readonly page: number | null;
}

/** The data for answers. Reading a statement may change it: see `ReadHooks`. */
export interface ServiceData {
  readonly directory: Directory;
  readonly behaviours: Behaviours;
  readonly hooks: ReadHooks;
}

type Answerer = (holder: Holder, question: Question, data: ServiceData) => Answer;

/** Routes by name, each with its answer and its path, in which `{accountId}` stands for an account's id. */
const routes = {
  persons: { path: '/persons', answer: profileOf('PERSON') },
  companies: { path: '/companies', answer: profileOf('COMPANY') },
  transactions: {
    path: '/accounts/{accountId}/transactions',
    answer: ofAccount(({ ledger, random }, { accountId, query, page }, { behaviours, hooks }) =>
      hooks.around(accountId, page, () =>
        answerStatement(ledger.rows(), query, behaviours.of(accountId), random),
      ),
    ),
  },
} satisfies Record<string, { readonly path: string; readonly answer: Answerer }>;

/** The endpoint that a request is for. */
export type Route = keyof typeof routes | 'unknown';

export const routeNames: readonly Route[] = [...(Object.keys(routes) as Route[]), 'unknown'];

const patterns = Object.entries(routes).map(([name, { path }]) => ({
  route: name as Route,
  pattern: new RegExp(`^${path.replace('{accountId}', '([^/]+)')}$`),
}));

/** The route of a path, and the account in it. */
export function findRoute(path: string): {
  readonly route: Route;
  readonly accountId: string | null;
} {
  for (const { route, pattern } of patterns) {
    const match = pattern.exec(path);
    if (match !== null) return { route, accountId: match[1]?.toLowerCase() ?? null };
  }
  return { route: 'unknown', accountId: null };
}

/** The answer for a holder, computed at the time of the call. */
export function answerRoute(
  route: keyof typeof routes,
  holder: Holder,
  question: Question,
  data: ServiceData,
): Answer {
  return routes[route].answer(holder, question, data);
}

function profileOf(kind: Holder['kind']): Answerer {
  return (holder, _question, { directory, behaviours }) => {
    if (holder.kind !== kind) {
      return refuse(behaviours.of().wrongKind, `The token is not of a ${kind}.`);
    }
    const accounts = directory.accountsOf(holder);
    const profile =
      kind === 'PERSON'
        ? { person: holder.entity, ...holder.details, accounts }
        : { token: secretToken, entityType: kind, entity: holder.entity, accounts };
    return { status: 200, body: JSON.stringify(profile) };
  };
}

type AboutAccount = (
  account: Account,
  question: Question & { readonly accountId: string },
  data: ServiceData,
) => Answer;

/** Answers about one of the holder's own accounts; any other account gets a 404. */
function ofAccount(answer: AboutAccount): Answerer {
  return (holder, question, data) => {
    const { accountId } = question;
    const account = accountId === null ? undefined : data.directory.account(accountId);
    if (accountId === null || account?.owner !== holder) return noAccount;
    return answer(account, { ...question, accountId }, data);
  };
}

export const noAccount = refuse(404, 'There is no such account.');

/** A token in the form of a JWT (docs/service.md) that contains `secretMark`. */
const secretToken = [
  Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
  Buffer.from('{"sub":"company"}').toString('base64url'),
  secretMark,
].join('.');
