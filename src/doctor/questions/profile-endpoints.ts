// Finds out which profile endpoint returns the holder, how the other endpoint answers, and which accounts the holder
// has.
import { GatewayError } from '../../errors.ts';
import type { Profile } from '../../upstream/shape/shapes.ts';
import type { Contents } from './contents.ts';
import type { Kind } from './credentials.ts';
import type { Finding } from '../finding.ts';
import { failureText, isConclusive, type Service, type Status } from '../probe.ts';

/** The findings about the holder. */
export interface HolderFindings {
  readonly findings: readonly Finding[];
  /** The kinds whose endpoint answers 200. */
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
  return {
    findings: [kindOf(person.status, company.status), wrongKind(person.status, company.status)],
    kinds: [
      ...(person.status === 200 ? (['PERSON'] as const) : []),
      ...(company.status === 200 ? (['COMPANY'] as const) : []),
    ],
    accountIds: accountIdsOf(person.status === 200 ? asPerson : asCompany),
  };
}

function kindOf(person: Status, company: Status): Finding {
  const answer = person === 200 ? 'a person' : company === 200 ? 'a company' : null;
  return {
    id: 'holder-kind',
    question: 'Is the holder a person or a company?',
    answer,
    seen: `/persons: ${person}, /companies: ${company}`,
  };
}

/**
 * Reports the status of the wrong endpoint. If the token does not state the holder's kind, the gateway tries the other
 * endpoint only after a 403 or 404.
 */
function wrongKind(person: Status, company: Status): Finding {
  const id = 'wrong-profile-status';
  const question = 'What is the status of the wrong profile endpoint?';
  if ((person === 200) === (company === 200)) {
    const seen = person === 200 ? 'both endpoints know the holder' : 'neither endpoint knows it';
    return { id, question, answer: null, seen };
  }
  const status = person === 200 ? company : person;
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
