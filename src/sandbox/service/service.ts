// Checks a request to the service before the endpoint of the request answers it.
import { refuse, type Answer } from './answer.ts';
import type { Ask } from './ask.ts';
import { answerRoute, noAccount, type ServiceData } from './service-routes.ts';

/** Answers requests from the bank's data. */
export class Service {
  readonly #data: ServiceData;

  constructor(data: ServiceData) {
    this.#data = data;
  }

  /** The answer to one request, computed at the time of the call. */
  answer(ask: Ask): Answer {
    if (ask.route === 'unknown') return refuse(404, `There is no ${ask.path || ask.target}.`);
    if (ask.method !== 'GET') return refuse(405, 'Only GET is served.');
    const { requireContentType } = this.#data.behaviours.of(ask.accountId);
    if (requireContentType && !ask.isJson)
      return refuse(415, 'content-type: application/json is needed.');
    if (ask.holderId === null) return refuse(401, 'A bearer token that has not expired is needed.');
    if (ask.tenant === null) return refuse(400, 'One well-formed x-tenant-id is needed.');
    const holder = this.#data.directory.holder(ask.holderId, ask.tenant);
    if (holder === undefined) return this.#refuseStranger(ask, ask.holderId);
    return answerRoute(ask.route, holder, ask, this.#data);
  }

  /**
   * The refusal for a holder that this tenant does not have: 401 if no tenant has the holder. Otherwise 403 for its
   * profile, and 404 for its accounts, as for an unknown account.
   */
  #refuseStranger({ accountId }: Ask, holderId: string): Answer {
    if (this.#data.directory.tenantsOf(holderId).length === 0) {
      return refuse(401, 'The token is unknown.');
    }
    return accountId === null ? refuse(403, 'The token is not for this tenant.') : noAccount;
  }
}
