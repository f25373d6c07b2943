// Finds out which profile endpoint returns the holder, how the other endpoint answers, and which accounts the holder
// has.
import { GatewayError } from '../../errors.ts';
import { endpoints } from '../../upstream/endpoints.ts';
import type { Contents } from './contents.ts';
import type { Finding } from '../finding.ts';
import type { Service } from '../probe.ts';

/** The findings about the holder. */
export interface HolderFindings {
  readonly findings: readonly Finding[];
  /** The accounts in the service's order; empty if no profile could be read. */
  readonly accountIds: readonly string[];
}

/** Requests both profile endpoints, to find the holder's kind and accounts. */
export async function examineHolder(service: Service, contents: Contents): Promise<HolderFindings> {
  const person = await service.get('/persons');
  const company = await service.get('/companies');
  if (person.status === 200) contents.add('persons', person);
  if (company.status === 200) contents.add('companies', company);
  const [route, reply] =
    person.status === 200 ? (['persons', person] as const) : (['companies', company] as const);
  return {
    findings: [kindOf(person.status, company.status), wrongKind(person.status, company.status)],
    accountIds: reply.status === 200 ? accountIdsOf(route, reply.text) : [],
  };
}

function kindOf(person: number, company: number): Finding {
  const answer = person === 200 ? 'a person' : company === 200 ? 'a company' : null;
  return {
    id: 'holder-kind',
    question: 'Is the holder a person or a company?',
    answer,
    seen: `/persons answers ${person}, /companies ${company}`,
  };
}

/**
 * Reports the status of the wrong endpoint. If the token does not state the holder's kind, the gateway tries the other
 * endpoint only after a 403 or 404.
 */
function wrongKind(person: number, company: number): Finding {
  const id = 'wrong-profile-status';
  const question = 'What is the status of the wrong profile endpoint?';
  if ((person === 200) === (company === 200)) {
    const seen = person === 200 ? 'both endpoints know the holder' : 'neither endpoint knows it';
    return { id, question, answer: null, seen };
  }
  const status = person === 200 ? company : person;
  const seen =
    status === 403 || status === 404
      ? 'the gateway then tries the other one'
      : 'the gateway does not try the other one: it needs JWT_ENTITY_TYPE_CLAIM';
  return { id, question, answer: `${status}`, seen };
}

function accountIdsOf(route: 'persons' | 'companies', text: string): string[] {
  try {
    const { accounts } = endpoints[route].read(Buffer.from(text));
    if (accounts === null || accounts instanceof GatewayError) return [];
    return accounts.flatMap((account) =>
      account === null || account instanceof GatewayError ? [] : [account.id],
    );
  } catch (error) {
    // `contents` has already recorded the violation.
    if (error instanceof GatewayError) return [];
    throw error;
  }
}
