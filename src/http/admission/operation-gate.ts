// Rejects operations that the manifest does not list, before they are parsed (docs/operations.md, OPERATIONS_ONLY).
import { GatewayError } from '../../errors.ts';
import type { OperationRequest } from '../../graphql/operation/operation-request.ts';
import type { Manifest } from '../../graphql/operation/persisted-queries.ts';
import type { RequestHead } from '../../identity/request-head.ts';
import type { RouterCheck } from '../../identity/router.ts';

/** Throws PERSISTED_QUERY_REQUIRED if the manifest does not list the operation. */
export type OperationGate = (
  operation: Pick<OperationRequest, 'text' | 'id'>,
  head: RequestHead,
) => void;

export interface OperationGateParts {
  readonly operations: Pick<Manifest, 'find' | 'hasText'>;
  /** Null if there is no router. */
  readonly isRouter: RouterCheck | null;
}

/**
 * A federation router passes with its secret: its query planner makes documents that no manifest can list, for operations
 * that it has admitted itself. A request without an operation passes too: it is answered with a page, or rejected later.
 */
export function createOperationGate({ operations, isRouter }: OperationGateParts): OperationGate {
  return ({ text, id }, head) => {
    const isListed =
      text === null ? id === null || operations.find(id) !== undefined : operations.hasText(text);
    if (!isListed && isRouter?.(head) !== true) {
      throw new GatewayError('PERSISTED_QUERY_REQUIRED');
    }
  };
}
