// The one place where errors are made fit to be seen: known ones pass, everything else is masked.
import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { type ErrorCode, errorKinds, GatewayError } from '../errors.ts';
import { maxErrors } from './limits/field-errors.ts';

/** Apollo Server's `formatError`: an error as docs/errors.md has it. */
export function formatError(
  { locations, path }: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const { message, extensions } = shownOf(error) ?? masked;
  return { message, ...(locations && { locations }), ...(path && { path }), extensions };
}

const bounding: GraphQLRequestListener<object> = {
  didEncounterErrors({ errors }) {
    if (errors.length > maxErrors) leaveOut(errors as GraphQLError[]);
    return Promise.resolve();
  },
};

/** A plugin that leaves out what is beyond `maxErrors`, before anything looks at the errors; the last one says so. */
export const errorBound: ApolloServerPlugin<object> = {
  requestDidStart: () => Promise.resolve(bounding),
};

function leaveOut(errors: GraphQLError[]): void {
  const message = 'The operation has more errors than are listed here.';
  const originalError = new GatewayError('OPERATION_TOO_COMPLEX', { message });
  errors.splice(maxErrors - 1, Infinity, new GraphQLError(message, { originalError }));
}

/** Whether an error is a defect of the gateway's own: it is masked, and has to be logged. */
export function isDefect(error: unknown): boolean {
  return shownOf(error) === null;
}

/** What a client may see of an error, besides where it happened. */
interface Shown {
  readonly message: string;
  readonly extensions: {
    readonly code: ErrorCode;
    readonly retryAfter?: number;
    readonly reason?: string;
  };
}

const masked: Shown = new GatewayError('INTERNAL_SERVER_ERROR');

/** Null for a defect. */
function shownOf(error: unknown): Shown | null {
  const root = rootOf(error);
  if (root instanceof GatewayError) return root.code === 'INTERNAL_SERVER_ERROR' ? null : root;
  if (!(error instanceof GraphQLError)) return null;
  const code = codeOf(error, root);
  if (code === null) return null;
  const isOurs = code === 'OPERATION_TOO_COMPLEX';
  return { message: isOurs ? errorKinds[code].message : error.message, extensions: { code } };
}

/** What was thrown in the first place: graphql-js and Apollo Server wrap errors, some of them twice. */
function rootOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? rootOf(error.originalError) : error;
}

/** The codes that Apollo Server gives to what the client sent; each is one of docs/errors.md. */
const apolloCodes: ReadonlySet<unknown> = new Set<ErrorCode>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'PERSISTED_QUERY_NOT_FOUND',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
]);

/** The code for an error of graphql-js or Apollo Server; null where it is not the client's doing. */
function codeOf(error: GraphQLError, root: unknown): ErrorCode | null {
  const { code } = error.extensions;
  if (code === 'GRAPHQL_PARSE_FAILED' && isTooLong(error, root)) return 'OPERATION_TOO_COMPLEX';
  // graphql-js, after half a million comparisons of fields.
  if (error.message === 'Validation aborted.') return 'OPERATION_TOO_COMPLEX';
  if (apolloCodes.has(code)) return code as ErrorCode;
  if (code !== undefined || !(root instanceof GraphQLError)) return null;
  if (isAboutValue(root)) return 'BAD_USER_INPUT';
  return isRefusedRequest(error) ? 'BAD_REQUEST' : null;
}

/** graphql-js counts tokens and comments while it parses; documents nested too deep for its parser end its stack. */
function isTooLong({ message }: GraphQLError, root: unknown): boolean {
  return root instanceof RangeError || message.endsWith(' Parsing aborted.');
}

/**
 * Values that only turn out wrong when they are used: a variable that is null where a default made null possible, and
 * what comes after the last wrong variable that is listed. Neither has a code; what a resolver returned wrongly has no value's node.
 */
function isAboutValue({ message, nodes }: GraphQLError): boolean {
  return (
    message.startsWith('Too many errors processing variables') ||
    (nodes?.some(({ kind }) => kind === Kind.VARIABLE || kind === Kind.NULL) ?? false)
  );
}

/** Apollo Server refuses odd persisted queries (no version 1, another hash) with a status, but without a code. */
function isRefusedRequest({ extensions }: GraphQLError): boolean {
  const { http } = extensions;
  return typeof http === 'object' && http !== null && 'status' in http && http.status === 400;
}
