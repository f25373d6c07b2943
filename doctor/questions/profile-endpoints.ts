// Finds out which profile endpoint returns the holder, and which accounts the holder has.
import { GatewayError } from '../../src/errors.ts';
import type { HolderKind, Profile } from '../../src/upstream/shape/shapes.ts';
import type { Contents } from './contents.ts';
import { expected, fatal, type Finding } from '../finding.ts';
import type { Reply, Service } from '../service.ts';

export interface Holder {
  readonly finding: Finding;
  /** The kinds whose endpoint knows the holder. */
  readonly kinds: readonly HolderKind[];
  /** The path of the holder's profile. */
  readonly path: string;
  /** The answer of the endpoint of the other kind. */
  readonly wrongKind: Reply;
  /** The usable ids of accounts, in the service's order; null if the list could not be read. */
  readonly accountIds: readonly string[] | null;
}

export async function examineHolder(service: Service, contents: Contents): Promise<Holder> {
  const person = await service.get('/persons');
  const company = await service.get('/companies');
  const asPerson = contents.add('persons', person);
  const asCompany = contents.add('companies', company);
  // A server can answer 200 to every path, for example with a page to sign in.
  const isOnly200 = (one: Reply, other: Reply) => one.status === 200 && other.status !== 200;
  const kinds: HolderKind[] = [];
  if (hasHolder(asPerson) || isOnly200(person, company)) kinds.push('PERSON');
  if (hasHolder(asCompany) || isOnly200(company, person)) kinds.push('COMPANY');
  const isCompany = kinds[0] === 'COMPANY';
  return {
    finding: kinds.length > 0 ? expected('holder') : noHolder(person, company),
    kinds,
    path: isCompany ? '/companies' : '/persons',
    wrongKind: isCompany ? person : company,
    accountIds: accountIdsOf(isCompany ? asCompany : asPerson),
  };
}

function hasHolder(profile: Profile | string): boolean {
  return (
    typeof profile !== 'string' &&
    profile.holder !== null &&
    !(profile.holder instanceof GatewayError)
  );
}

function noHolder(person: Reply, company: Reply): Finding {
  const told = ({ status, reason }: Reply) => (status === 200 ? 'no usable holder' : reason);
  const [first, second] = [told(person), told(company)];
  const seen =
    first === second
      ? `/persons and /companies: ${first}`
      : `/persons: ${first}; /companies: ${second}`;
  return fatal('holder', seen, adviceOn(person));
}

/** What to check if neither endpoint knows the holder. */
function adviceOn({ status, reason }: Reply): string {
  if (status === 'no answer') return connectionAdvice(reason);
  if (status === 401 || status === 403 || status === 400) return 'check --token and --tenant';
  if (status === 404) return 'check the path of --url';
  if (typeof status === 'number' && status >= 300 && status < 400) {
    return 'the gateway does not follow redirects: check --url';
  }
  if (status === 429) return 'wait until the service accepts requests again';
  return typeof status === 'number' && status >= 500
    ? 'ask the provider for the cause'
    : 'check --url: another server, such as a page to sign in, may answer';
}

const behindProxy =
  'if the service is behind a proxy, set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY or HTTP_PROXY';

/** Advice by the code or the message of a failed connection. */
const advice: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, `check the host of --url; ${behindProxy}`],
  [
    /ECONNREFUSED|ETIMEDOUT|UNREACH|TIMEOUT|in time/,
    `check --url and the firewall; ${behindProxy}`,
  ],
  [/SELF_SIGNED|UNABLE_TO/, 'set UPSTREAM_CA to a file with the authority of its certificate'],
  [/CERT_HAS_EXPIRED|NOT_YET_VALID/, 'the provider has to renew the certificate of the service'],
  [/ALTNAME/, 'use the host name in --url for which the certificate was issued'],
  [/PROTOCOL|HPE_/, 'the service, or the load balancer before it, has to accept HTTP/1.1'],
  [/HEADERS_OVERFLOW/, 'the headers of an answer must have fewer than 16,384 characters'],
  [
    /ALERT|ECONNRESET|SOCKET/,
    'the service closes connections: if it asks for a client certificate, set UPSTREAM_CERT and UPSTREAM_KEY',
  ],
];

function connectionAdvice(reason: string): string {
  return advice.find(([pattern]) => pattern.test(reason))?.[1] ?? 'check --url';
}

function accountIdsOf(profile: Profile | string): string[] | null {
  if (typeof profile === 'string' || profile.accounts instanceof GatewayError) return null;
  return (profile.accounts ?? []).flatMap((account) =>
    account === null || account instanceof GatewayError ? [] : account.id,
  );
}
