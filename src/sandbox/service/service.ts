// The three endpoints of docs/service.md: who may use them, and their answers.
import { refuse, secretMark, type Answer } from './answer.ts';
import type { Ask } from './ask.ts';
import type { Behaviours } from '../behaviour.ts';
import type { Directory } from '../data/directory.ts';
import type { Holder } from '../data/holders.ts';
import type { ReadHooks } from '../data/read-hooks.ts';
import { answerStatement } from './statement-page.ts';

/** Answers requests from the directory's data. Reading a statement may change it: see ReadHooks. */
export class Service {
  readonly #directory: Directory;
  readonly #behaviours: Behaviours;
  readonly #hooks: ReadHooks;

  constructor(directory: Directory, behaviours: Behaviours, hooks: ReadHooks) {
    this.#directory = directory;
    this.#behaviours = behaviours;
    this.#hooks = hooks;
  }

  /** The answer to one request, computed at the time of the call. */
  answer(ask: Ask): Answer {
    if (ask.route === 'unknown') return refuse(404, `There is no ${ask.path || ask.target}.`);
    if (ask.method !== 'GET') return refuse(405, 'Only GET is served.');
    const { requireContentType } = this.#behaviours.of(ask.accountId);
    if (requireContentType && !ask.isJson)
      return refuse(415, 'content-type: application/json is needed.');
    if (ask.holderId === null) return refuse(401, 'A bearer token that has not expired is needed.');
    if (ask.tenant === null) return refuse(400, 'One well-formed x-tenant-id is needed.');
    const holder = this.#directory.holder(ask.holderId, ask.tenant);
    if (holder === undefined) return this.#refuseStranger(ask, ask.holderId);
    return ask.route === 'transactions'
      ? this.#statement(ask, holder)
      : this.#profile(ask.route === 'persons' ? 'PERSON' : 'COMPANY', holder);
  }

  /** A holder known only in other tenants has no profile here, and none of its accounts can be found. */
  #refuseStranger({ route }: Ask, holderId: string): Answer {
    if (this.#directory.tenantsOf(holderId).length === 0)
      return refuse(401, 'The token is unknown.');
    return route === 'transactions'
      ? refuse(404, 'There is no such account.')
      : refuse(403, 'The token is not for this tenant.');
  }

  #profile(kind: Holder['kind'], holder: Holder): Answer {
    if (holder.kind !== kind) {
      return refuse(this.#behaviours.of().wrongKind, `The token is not of a ${kind}.`);
    }
    const accounts = this.#directory.accountsOf(holder);
    const profile =
      kind === 'PERSON'
        ? { person: holder.entity, ...holder.details, accounts }
        : { token: secretToken, entityType: kind, entity: holder.entity, accounts };
    return { status: 200, body: JSON.stringify(profile) };
  }

  #statement(ask: Ask, holder: Holder): Answer {
    const accountId = ask.accountId ?? '';
    const account = this.#directory.account(accountId);
    if (account?.owner !== holder) return refuse(404, 'There is no such account.');
    return this.#hooks.around(accountId, ask.page, () =>
      answerStatement(
        account.ledger.rows(),
        ask.query,
        this.#behaviours.of(accountId),
        account.random,
      ),
    );
  }
}

/** Looks like a JWT, as the service's own does (docs/service.md), and contains the mark that tests search for. */
const secretToken = [
  Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
  Buffer.from('{"sub":"company"}').toString('base64url'),
  secretMark,
].join('.');
