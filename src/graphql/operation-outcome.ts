// Records how an operation ended, for log, metrics and trace; outside production also in its answer.
import type {
  ApolloServerPlugin,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import type { OperationDefinitionNode } from 'graphql';
import type { OperationRecord } from '../telemetry/operation-record.ts';
import type { GatewayContext } from './context.ts';

/** In Apollo Server's type the hash is always set, but a persisted query that was not found has none. */
type Answered = Omit<GraphQLRequestContextWillSendResponse<GatewayContext>, 'queryHash'> & {
  readonly queryHash?: string;
};

const listener: GraphQLRequestListener<GatewayContext> = {
  willSendResponse(answered) {
    note(answered);
    return Promise.resolve();
  },
};
const listening = Promise.resolve(listener);

/** A plugin that fills in the request's record. */
export const operationRecord: ApolloServerPlugin<GatewayContext> = {
  requestDidStart: () => listening,
};

function note({ contextValue, operation, queryHash, response }: Answered): void {
  const result = response.body.kind === 'single' ? response.body.singleResult : null;
  const codes = [...new Set(result?.errors?.map(({ extensions }) => String(extensions?.['code'])))];
  const { record } = contextValue.request;
  const upstream = noteOperation(record, { operation, hash: queryHash, codes });
  if (result === null || upstream === null) return;
  result.extensions = { ...result.extensions, upstream };
}

/** The outcome of an operation. */
interface Noted {
  readonly operation: OperationDefinitionNode | undefined;
  readonly hash: string | undefined;
  readonly codes: readonly string[];
}

/** Fills in a record; returns the calls for the answer's `extensions`, null if there are none. */
export function noteOperation(
  record: OperationRecord,
  { operation, hash, codes }: Noted,
): OperationRecord['toldCalls'] {
  record.know({
    name: operation?.name?.value ?? null,
    hash: hash ?? null,
    kind: operation?.operation ?? null,
    codes,
  });
  return record.toldCalls;
}
