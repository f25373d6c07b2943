// Notes what became of an operation, for the log, the metrics and the trace; outside production, also in its answer.
import type {
  ApolloServerPlugin,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import type { GraphQLFormattedError, OperationDefinitionNode } from 'graphql';
import type { OperationRecord } from '../telemetry/operation-record.ts';
import type { GatewayContext } from './context.ts';

/** Apollo Server's type has it that there is always a hash; of a persisted query that was not found there is none. */
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
  const codes = codesOf(result?.errors);
  const { record } = contextValue.request;
  const upstream = noteOperation(record, { operation, hash: queryHash, codes });
  if (result === null || upstream === null) return;
  result.extensions = { ...result.extensions, upstream };
}

/** What is to be noted of an operation. */
interface Noted {
  readonly operation: OperationDefinitionNode | undefined;
  readonly hash: string | undefined;
  readonly codes: readonly string[];
}

/** Fills in a record; gives the calls that the answer is to list, null where it lists none. */
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

const none: readonly string[] = [];

/** Each code once. */
function codesOf(errors: readonly GraphQLFormattedError[] | undefined): readonly string[] {
  if (errors === undefined || errors.length === 0) return none;
  return [...new Set(errors.map(({ extensions }) => String(extensions?.['code'])))];
}
