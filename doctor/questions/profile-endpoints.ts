// Finds out which profile endpoint returns the holder, how the other endpoint answers, and which accounts the holder
// has.
import { GatewayError } from '../../src/errors.ts';
import type { Profile } from '../../src/upstream/shape/shapes.ts';
import type { Contents } from './contents.ts';
import type { Kind } from './credentials.ts';
import type { Finding } from '../finding.ts';
import { failureText, isConclusive, type Reply, type Service, type Status } from '../probe.ts';

/** The findings about the holder. */
export interface HolderFindings {
  readonly findings: readonly Finding[];
  /** The kinds whose endpoint knows the holder. */
  readonly kinds: readonly Kind[];
  /** The accounts in the service's order, null for an unusable id; null if the list could not be read. */
  readonly accountIds: readonly (string | null)[] | null;
}

/** Requests both profile endpoints, to find the holder's kind and accounts. */
export async function examineHolder(service: Service, contents: Contents): Promise<HolderFindings> {
  const person = await service.get('/persons');
  const company = await service.get('/companies');
  const asPerson = person.status === 200 ? contents.add('persons', person) : null;
  const asCompany = company.status === 200 ? contents.add('companies', company) : null;
  const statuses = [person.status, company.status] as const;
  // A server can answer 200 to every path, for example with a page to sign in.
  const isOnly200 = (one: Reply, other: Reply) => one.status === 200 && other.status !== 200;
  const kinds: Kind[] = [];
  if (hasHolder(asPerson) || isOnly200(person, company)) kinds.push('PERSON');
  if (hasHolder(asCompany) || isOnly200(company, person)) kinds.push('COMPANY');
  return {
    findings: [kindOf(kinds, statuses), wrongKind(kinds, statuses)],
    kinds,
    accountIds: accountIdsOf(
      { PERSON: asPerson, COMPANY: asCompany, none: null }[kinds[0] ?? 'none'],
    ),
  };
}

function hasHolder(profile: Profile | null): boolean {
  return profile !== null && profile.holder !== null;
}

type Statuses = readonly [person: Status, company: Status];

function kindOf([kind]: readonly Kind[], statuses: Statuses): Finding {
  const [person, company] = statuses;
  const advice = kind === undefined ? adviceOn(statuses) : '';
  return {
    id: 'holder-kind',
    question: 'Is the holder a person or a company?',
    answer: kind === undefined ? null : kind === 'PERSON' ? 'a person' : 'a company',
    seen: `/persons: ${person}, /companies: ${company}${advice}`,
  };
}

/** What to check if neither endpoint knows the holder. */
function adviceOn([person, company]: Statuses): string {
  if (person !== company) return '';
  if (person === 200) return ', but no usable holder: see violations, and check --url';
  if (person === 400 || person === 401 || person === 403) return ': check --token and --tenant';
  if (person === 404) return ': check the path of --url';
  const isRedirect = Number(person) >= 300 && Number(person) < 400;
  return isRedirect ? ': the gateway does not follow redirects: check --url' : '';
}

/**
 * Reports the status of the wrong endpoint. If the token does not state the holder's kind, the gateway tries the other
 * endpoint only after a 403 or 404.
 */
function wrongKind(kinds: readonly Kind[], [person, company]: Statuses): Finding {
  const id = 'wrong-profile-status';
  const question = 'What is the status of the wrong profile endpoint?';
  if (kinds.length !== 1) {
    const seen = kinds.length > 1 ? 'both endpoints know the holder' : 'neither endpoint knows it';
    return { id, question, answer: null, seen };
  }
  const status = kinds[0] === 'PERSON' ? company : person;
  if (!isConclusive(status)) return { id, question, answer: null, seen: failureText(status) };
  const seen =
    status === 403 || status === 404
      ? 'the gateway then tries the other one'
      : 'the gateway does not try the other one: it needs JWT_ENTITY_TYPE_CLAIM';
  return { id, question, answer: `${status}`, seen };
}

function accountIdsOf(profile: Profile | null): (string | null)[] | null {
  if (profile === null || profile.accounts instanceof GatewayError) return null;
  return (profile.accounts ?? []).map((account) =>
    account === null || account instanceof GatewayError ? null : account.id,
  );
}
