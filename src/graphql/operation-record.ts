// Notes what became of an operation, for the log, the metrics and the trace; outside production, also in its answer.
import type {
  ApolloServerPlugin,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';
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
  const { record } = contextValue.request;
  const result = response.body.kind === 'single' ? response.body.singleResult : null;
  record.know({
    name: operation?.name?.value ?? null,
    hash: queryHash ?? null,
    kind: operation?.operation ?? null,
    codes: codesOf(result?.errors),
  });
  const { toldCalls } = record;
  if (result === null || toldCalls === null) return;
  result.extensions = { ...result.extensions, upstream: toldCalls };
}

const none: readonly string[] = [];

/** Each code once. */
function codesOf(errors: readonly GraphQLFormattedError[] | undefined): readonly string[] {
  if (errors === undefined || errors.length === 0) return none;
  return [...new Set(errors.map(({ extensions }) => String(extensions?.['code'])))];
}
