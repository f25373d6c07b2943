// Finds out how the service refuses requests: without a token, a tenant or a content type, or for an unknown account.
import { randomUUID } from 'node:crypto';
import type { Finding } from '../finding.ts';
import type { Omitted, Service } from '../probe.ts';

/** Sends requests that the service should refuse; `path` is the path of the holder's profile. */
export async function examineRefusals(service: Service, path: string): Promise<Finding[]> {
  const without = async (omitted: Omitted) => (await service.get(path, omitted)).status;
  const noToken = await without('authorization');
  const noTenant = await without('x-tenant-id');
  const noType = await without('content-type');
  const noAccount = (await service.get(`/accounts/${randomUUID()}/transactions`)).status;
  return [
    refusal('no-token', 'What is the status without a token?', noToken, '401 is UNAUTHENTICATED'),
    refusal('no-tenant', 'Without a tenant?', noTenant, 'the gateway rejects such requests itself'),
    refusal('no-content-type', 'Without a content type?', noType, 'the gateway always sends it'),
    refusal(
      'unknown-account',
      'For an account that does not exist?',
      noAccount,
      noAccount === 404 ? 'clients see NOT_FOUND' : meaningOf(noAccount),
    ),
  ];
}

function refusal(id: string, question: string, status: number, seen: string): Finding {
  return { id, question, answer: `${status}`, seen };
}

function meaningOf(status: number): string {
  if (status === 403) return 'clients see FORBIDDEN, not NOT_FOUND';
  return status === 200 ? 'clients see an empty statement' : 'clients see UPSTREAM_REJECTED';
}
