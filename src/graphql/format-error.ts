// Formats errors for clients: passes known errors on, masks all others, and lists errors that several items share.
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { type ErrorCode, errorKinds, GatewayError } from '../errors.ts';
import { redactQuote } from '../telemetry/log.ts';
import { type Allowance, maxErrors, moreErrors } from './limits/allowance.ts';

/** The largest number of locations of an error: graphql-js lists each of a thousand equal arguments. */
const maxLocations = 5;

/** Apollo Server's `formatError`: returns an error in the format of docs/errors.md. */
export function formatError(
  { locations, path }: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const { message, extensions } = shownOf(error) ?? masked;
  return {
    message,
    ...(locations && { locations: locations.slice(0, maxLocations) }),
    ...(path && { path }),
    extensions: { ...extensions },
  };
}

const unlisted: GraphQLFormattedError = {
  message: moreErrors,
  extensions: { code: 'OPERATION_TOO_COMPLEX' satisfies ErrorCode },
};

/** Lists a shared error once for each of its items; beyond `maxErrors`, the last error states that there are more. */
export function listErrors(
  errors: readonly GraphQLFormattedError[],
  { sharers }: Pick<Allowance, 'sharers'>,
): GraphQLFormattedError[] {
  const listed = errors.flatMap((one) => {
    const { path = [] } = one;
    const others = sharers?.get(path) ?? [];
    return [one, ...others.map((index) => ({ ...one, path: path.with(-1, index) }))];
  });
  if (listed.length > maxErrors) listed.splice(maxErrors - 1, Infinity, unlisted);
  return listed;
}

/** The largest number of distinct messages that the log line of an operation quotes. */
const maxProblems = 5;

/** The messages about undocumented answers of the service, which quote places but no values; undefined without any. */
export function problemsOf(
  errors: readonly Pick<GraphQLFormattedError, 'message' | 'extensions'>[],
): readonly string[] | undefined {
  const problems = new Set<string>();
  for (const { message, extensions } of errors) {
    if (extensions?.['code'] !== 'UPSTREAM_CONTRACT_VIOLATION') continue;
    problems.add(message.replace(/\/\d+(?=\/| )/g, '/*'));
    if (problems.size === maxProblems) break;
  }
  return problems.size === 0 ? undefined : [...problems];
}

/** Whether an error is a defect of the gateway, which is masked and has to be logged. */
export function isDefect(error: unknown): boolean {
  return shownOf(error) === null;
}

type Shown = Pick<GatewayError, 'message' | 'extensions'>;

const masked: Shown = new GatewayError('INTERNAL_SERVER_ERROR');

/** The message and extensions that clients see; null for a defect. */
function shownOf(error: unknown): Shown | null {
  const root = rootOf(error);
  if (root instanceof GatewayError) return root.code === 'INTERNAL_SERVER_ERROR' ? null : root;
  if (!(error instanceof GraphQLError)) return null;
  const code = codeOf(error, root);
  if (code === null) return null;
  // graphql-js quotes values and names of the request, in which a client may have put its token.
  const isOurs = code === 'OPERATION_TOO_COMPLEX';
  const message = isOurs ? errorKinds[code].message : redactQuote(error.message);
  return { message, extensions: { code } };
}

/** Returns the original error: graphql-js and Apollo Server wrap errors, some of them twice. */
function rootOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? rootOf(error.originalError) : error;
}

const apolloCodes: ReadonlySet<unknown> = new Set<ErrorCode>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'PERSISTED_QUERY_NOT_FOUND',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
]);

/** The code of an error that the request caused; null for any other error. */
function codeOf(error: GraphQLError, root: unknown): ErrorCode | null {
  const { code } = error.extensions;
  // The parser of graphql-js limits tokens and comments, and nesting that is too deep overflows the stack.
  const isTooLong = root instanceof RangeError || error.message.endsWith(' Parsing aborted.');
  if (code === 'GRAPHQL_PARSE_FAILED' && isTooLong) return 'OPERATION_TOO_COMPLEX';
  // graphql-js aborts validation after half a million comparisons of fields.
  if (error.message === 'Validation aborted.') return 'OPERATION_TOO_COMPLEX';
  if (apolloCodes.has(code)) return code as ErrorCode;
  if (code !== undefined || !(root instanceof GraphQLError)) return null;
  return isAboutValue(root) ? 'BAD_USER_INPUT' : null;
}

/** Whether an error is about a value of the request; the nodes of an error about a resolver's result are fields. */
function isAboutValue({ message, nodes }: GraphQLError): boolean {
  return (
    message.startsWith('Too many errors processing variables') ||
    (nodes?.some(({ kind }) => kind !== Kind.FIELD) ?? false)
  );
}
