// Finds out how the service refuses requests: without a token, a tenant or a content type, or for an unknown account.
import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/upstream/endpoints.ts';
import { UpstreamStatusError } from '../../src/upstream/exchange/failure.ts';
import { type Contents, noAnswer } from './contents.ts';
import type { Finding } from '../finding.ts';
import { failureText, isConclusive, type Omitted, type Service, type Status } from '../probe.ts';
import { openStatement } from '../statement-pages.ts';

/**
 * Sends requests that the service should refuse; `path` is the path of the holder's profile. If no answer could be read
 * so far, the service may refuse every request, so the status of a refusal is unknown.
 */
export async function examineRefusals(
  service: Service,
  contents: Contents,
  path: string,
): Promise<Finding[]> {
  const without = async (omitted: Omitted) => (await service.get(path, omitted)).status;
  const noToken = await without('authorization');
  const noTenant = await without('x-tenant-id');
  const noType = await without('content-type');
  const noAccount = await openStatement(service, contents, randomUUID()).read({});
  const refusal = contents.hasAnswer ? judgeRefusal : unknownRefusal;
  return [
    refusal('no-token', 'What is the status without a token?', noToken, (status) =>
      status === 200
        ? 'warning: the service accepts requests without a token'
        : '401 is UNAUTHENTICATED',
    ),
    refusal(
      'no-tenant',
      'Without a tenant?',
      noTenant,
      () => 'the gateway rejects such requests itself',
    ),
    refusal(
      'no-content-type',
      'Without a content type?',
      noType,
      () => 'the gateway always sends it',
    ),
    refusal('unknown-account', 'For an account that does not exist?', noAccount.status, (status) =>
      status === 200 && noAccount.page !== null ? 'clients see an empty statement' : codeOf(status),
    ),
  ];
}

function unknownRefusal(id: string, question: string): Finding {
  return { id, question, answer: null, seen: noAnswer };
}

function judgeRefusal(
  id: string,
  question: string,
  status: Status,
  meaning: (status: number) => string,
): Finding {
  return isConclusive(status)
    ? { id, question, answer: `${status}`, seen: meaning(status) }
    : { id, question, answer: null, seen: failureText(status) };
}

function codeOf(status: number): string {
  if (status === 200) return 'clients see UPSTREAM_CONTRACT_VIOLATION';
  const { notFound } = endpoints.transactions;
  const { code } = new UpstreamStatusError(status, undefined, notFound, Date.now());
  return `clients see ${code}${code === 'FORBIDDEN' ? `, not ${notFound}` : ''}`;
}
