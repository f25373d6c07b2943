// All limits of the gateway that are not settings: `npm run docs` writes the tables of docs/limits.md and docs/bounds.md from
// this one.
import { readFileSync } from 'node:fs';

/** A limit of one request is listed in docs/limits.md, and one with a bound in the code in docs/bounds.md. */
interface Limit {
  readonly name: string;
  /** A name in braces stands for the value of a constant in the source file, such as `{maxBytes KiB}`. */
  readonly value: string;
  /** For a limit of one request: the effect if it is exceeded. */
  readonly exceeded?: string;
  /** Where the code has the bound: names, and their source file. */
  readonly where?: string;
  readonly test?: string;
}

const limits: readonly Limit[] = [
  {
    name: 'request line and headers, including the token',
    value: '16 KiB, by Node.js',
    exceeded: '431, BAD_REQUEST',
    where: 'Node.js',
    test: 'test/security/http.test.ts',
  },
  {
    name: 'headers of a request',
    value: '{maxHeaders}',
    exceeded: '431, BAD_REQUEST',
    where: '`maxHeaders`, `src/http/listener.ts`',
    test: 'test/security/http.test.ts',
  },
  {
    name: 'time to receive the headers',
    value: '10 s',
    exceeded: '408, and the connection is closed',
  },
  {
    name: 'time to receive the request',
    value: '20 s',
    exceeded: '408, and the connection is closed',
  },
  {
    name: 'characters of `Accept` that are read',
    value: '1024',
    exceeded: 'the media types that follow are ignored',
  },
  {
    name: 'body of a POST',
    value: '`MAX_BODY_BYTES`',
    exceeded: '413, OPERATION_TOO_COMPLEX',
  },
  {
    name: 'memory for all bodies of requests without an answer',
    value: '32 times `MAX_BODY_BYTES` or 1 MiB, plus the first 4 KiB of each',
    exceeded: '503, OVERLOADED',
    where: '`bodies`, `src/byte-budget.ts`',
    test: 'test/security/bodies.test.ts',
  },
  {
    name: 'memory for all requests that wait under overload, see below',
    value: '{maxWaiting}; 64 MiB, plus the first 4 KiB of each; refused after {maxWaitMs s}',
    exceeded: '503, OVERLOADED',
    where: '`maxWaiting`, `maxWaitMs`, `src/http/admission/admission.ts`',
    test: 'test/unit/http/admission.test.ts',
  },
  {
    name: 'chunks of a body',
    value: '1000, plus one for each 1000 bytes of `MAX_BODY_BYTES`',
    exceeded: '400, BAD_REQUEST',
    where: '`chunksLeft`, `src/http/request/body.ts`',
    test: 'test/security/bodies.test.ts',
  },
  {
    name: 'weight of a body of more than 16 KiB, see below',
    value: '60,000, or 60 times a higher `MAX_REPRESENTATIONS`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`weights`, `src/http/request/body.ts`',
    test: 'test/security/bodies.test.ts',
  },
  {
    name: 'operations in a request',
    value: 'one (no batches)',
    exceeded: '400, BAD_REQUEST',
  },
  {
    name: '`x-tenant-id`',
    value: '128 characters',
    exceeded: '400, TENANT_REQUIRED',
  },
  {
    name: '`x-request-id`',
    value: '128 characters',
    exceeded: 'a new id is generated',
    where: '`requestIdOf`, `src/http/public-server.ts`',
    test: 'test/contract/http.test.ts',
  },
  {
    name: 'characters of an operation text',
    value: '20 times `MAX_TOKENS`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
  },
  {
    name: 'characters of an unknown text without an accepted caller',
    value: '4096',
    exceeded: 'the error of the token or tenant, see below',
  },
  {
    name: 'lines of an operation text, and thus its comments',
    value: '`MAX_TOKENS`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`src/graphql/limits/limits.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'tokens of an operation text',
    value: '`MAX_TOKENS`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`src/graphql/limits/limits.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'depth of nested fields',
    value: '`MAX_DEPTH`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`src/graphql/limits/limits.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'aliases',
    value: '`MAX_ALIASES`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`src/graphql/limits/limits.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'directives',
    value: '50',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`src/graphql/limits/limits.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'operations in an operation text',
    value: '{maxOperations}',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`maxOperations`, `src/graphql/limits/limits.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'operations and fragments in an operation text; variables',
    value: '{maxDefinitions} each',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`maxDefinitions`, `src/graphql/limits/limits.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'pairs of repeated response keys, see below',
    value: '{maxPairs}',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`maxPairs`, `src/graphql/limits/response-keys.ts`',
    test: 'test/security/documents.test.ts',
  },
  {
    name: 'references in `_entities`',
    value: '`MAX_REPRESENTATIONS`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`src/graphql/operation/operation-admission.ts`',
    test: 'test/security/representations.test.ts',
  },
  {
    name: 'fields selected from references, see below',
    value: '10,000, or 10 times a higher `MAX_REPRESENTATIONS`',
    exceeded: '400, OPERATION_TOO_COMPLEX',
    where: '`fieldsForEach`, `src/graphql/operation/operation-admission.ts`',
    test: 'test/security/{representations,answer-size}.test.ts',
  },
  {
    name: 'errors found in an operation text; in its variables',
    value: '5 each',
    exceeded: 'validation stops',
  },
  {
    name: 'message of an error',
    value: '500 characters',
    exceeded: 'its middle is left out',
  },
  {
    name: 'locations of an error',
    value: '5',
    exceeded: 'the others are left out',
  },
  {
    name: 'value of a variable that its type does not accept',
    value: '256 characters',
    exceeded: 'BAD_USER_INPUT, without the value',
  },
  {
    name: 'answer to a text of more than 4096 characters, no caller',
    value: '16,384 characters',
    exceeded: '200, OPERATION_TOO_COMPLEX, null `data`',
  },
  {
    name: 'errors in an answer',
    value: '{maxErrors}',
    exceeded: 'the last one states that there are more',
    where: '`maxErrors`, `src/graphql/limits/allowance.ts`',
    test: 'test/security/{answer-size,representations}.test.ts',
  },
  {
    name: 'characters in an answer',
    value: '{maxAnswerLength}',
    exceeded: '200, OPERATION_TOO_COMPLEX, null `data`',
    where: '`maxAnswerLength`, `src/graphql/limits/answer-size.ts`',
    test: 'test/security/service.test.ts',
  },
  {
    name: 'unread answers of all clients',
    value: '64 MiB; closed after 10 to 20 s without reading',
    exceeded: 'the connection with the most unread bytes is closed',
    where: '`unread`, `src/byte-budget.ts`',
    test: 'test/unit/http/unread-answers.test.ts',
  },
  {
    name: 'requests that wait for earlier answers of a connection',
    value: '32 MiB: about 10,000 small ones',
    exceeded: 'the connection with most of them is closed',
    where: '`pipelined`, `src/byte-budget.ts`',
    test: 'test/security/connections.test.ts',
  },
  {
    name: 'field values in lists, see below',
    value: '{maxValues}; 500 slices',
    exceeded: 'OPERATION_TOO_COMPLEX on the field',
    where: '`maxValues`, `minOfSlice`, `src/graphql/limits/allowance.ts`',
    test: 'test/security/{answer-size,service}.test.ts',
  },
  {
    name: '`first`, `last`',
    value: '100',
    exceeded: 'BAD_USER_INPUT on the field',
  },
  {
    name: 'calls to the service',
    value: '`MAX_UPSTREAM_CALLS`',
    exceeded: 'OPERATION_TOO_COMPLEX on the field',
    where: '`src/upstream/exchange/call.ts`',
    test: 'test/contract/page-calls.test.ts',
  },
  {
    name: 'time for the operation',
    value: '`OPERATION_TIMEOUT_MS`',
    exceeded: 'UPSTREAM_TIMEOUT on fields not ready yet',
  },
  {
    name: 'bytes read from the body of a rejected request',
    value: '{maxLingerBytes MiB}; 64 chunks of less than 512 bytes',
    where: '`maxLingerBytes`, `src/http/http-exchange.ts`',
    test: 'test/security/refused-requests.test.ts',
  },
  {
    name: 'answers that are sent together',
    value: '{enough} or {enoughBytes MiB}, or those of one turn of the event loop',
    where: '`enough`, `enoughBytes`, `src/http/outbox.ts`',
    test: 'test/unit/http/http-exchange.test.ts',
  },
  {
    name: 'operations in progress for one connection',
    value: '1; further requests wait',
    where: '`untilTurn`, `src/http/public-server.ts`',
    test: 'test/security/connections.test.ts',
  },
  {
    name: 'values of the Accept header, with the media type that each selects',
    value: '{maxRemembered} of at most 1024 characters',
    where: '`maxRemembered`, `src/http/request/media-type.ts`',
    test: 'test/unit/http/media-type.test.ts',
  },
  {
    name: 'key set of `JWT_JWKS_URL`',
    value: '{maxBytes KiB}; at most one read in {pauseMs s}',
    where: '`maxBytes`, `src/identity/key-set.ts`',
    test: 'test/security/jwks.test.ts',
  },
  {
    name: 'keys of the key set that are used',
    value: '{maxKeys}',
    where: '`maxKeys`, `src/identity/verification-keys.ts`',
    test: 'test/unit/identity/verification-keys.test.ts',
  },
  {
    name: 'keys that are tried for a token without a key id',
    value: '{maxKeysTried}',
    where: '`maxKeysTried`, `src/identity/token.ts`',
    test: 'test/unit/identity/verified-token.test.ts',
  },
  {
    name: 'recently accepted tokens',
    value: '{maxRemembered} of less than 1 KiB, for 60 s each',
    where: '`maxRemembered`, `src/identity/caller.ts`',
    test: 'test/unit/identity/caller.test.ts',
  },
  {
    name: 'kinds of holders: PERSON or COMPANY',
    value: '{maxRemembered}, for an hour each',
    where: '`maxRemembered`, `src/profile/profile.ts`',
    test: 'test/unit/profile/holder-kind.test.ts',
  },
  {
    name: 'counts of the rate limit, in memory',
    value: '{maxWindows}',
    where: '`maxWindows`, `src/identity/rate-limit.ts`',
    test: 'test/unit/identity/rate-limit.test.ts',
  },
  {
    name: 'counts of the rate limit, in Redis',
    value: '60 s each; only for tokens that were checked',
    where: '`countScript`, `src/identity/rate-limit.ts`',
    test: 'test/contract/rate-limit.test.ts',
  },
  {
    name: 'texts of automatic persisted queries',
    value: '{maxTexts}; {maxTextsLength} characters in total, 32,768 each',
    where: '`maxTexts`, `maxTextsLength`, `src/shared-store/shared-store.ts`',
    test: 'test/unit/shared-store/shared-store.test.ts',
  },
  {
    name: 'texts of automatic persisted queries, in Redis',
    value:
      '{maxWritesPerMinute} writes per minute from each process; each text is kept for an hour',
    where: '`maxWritesPerMinute`, `src/shared-store/shared-store.ts`',
    test: 'test/unit/shared-store/shared-store.test.ts',
  },
  {
    name: 'bytes of a reply of Redis; of a line in it',
    value: '{maxReplyBytes KiB}; 4 KiB; otherwise the connection is replaced',
    where: '`maxReplyBytes`, `src/shared-store/redis-reply.ts`',
    test: 'test/unit/shared-store/shared-store.test.ts',
  },
  {
    name: 'items of a reply of Redis; their depth',
    value: '{maxItems}; 1',
    where: '`maxItems`, `src/shared-store/redis-reply.ts`',
    test: 'test/unit/shared-store/shared-store.test.ts',
  },
  {
    name: 'operation texts, documents and plans',
    value: '{maxWeight MiB} in total and 2 MiB each, both estimated',
    where: '`maxWeight`, `src/graphql/operation/operation-cache.ts`',
    test: 'test/{unit/graphql,security}/operation-cache.test.ts',
  },
  {
    name: 'plans of one document',
    value: '{maxStates}, which count towards the 2 MiB of their document',
    where: '`maxStates`, `src/graphql/operation/operation-cache.ts`',
    test: 'test/unit/graphql/operation-cache.test.ts',
  },
  {
    name: 'hashes of operation texts that were sent before',
    value: '{maxSeen}',
    where: '`maxSeen`, `src/graphql/operation/operation-cache.ts`',
    test: 'test/unit/graphql/operation-cache.test.ts',
  },
  {
    name: 'constant parts of answers, shared by plans',
    value: '2,000 of at most 64 characters',
    where: '`sharedHeads`, `src/graphql/compiled/compile.ts`',
    test: 'test/unit/graphql/compile.test.ts',
  },
  {
    name: 'wrong values of an answer of the service; of a page; of accounts',
    value: '20,000; 10,000; 1,000',
    where: '`maxWrong`, `src/upstream/answers/answer-reader.ts`',
    test: 'test/unit/upstream/{profile,statement}-answer.test.ts',
  },
  {
    name: 'errors created for wrong values of the service',
    value: '1,001 per operation',
    where: '`takeError`, `src/graphql/limits/allowance.ts`',
    test: 'test/unit/graphql/field-errors.test.ts',
  },
  {
    name: 'answers of the service that are received or kept, and their results',
    value: '128 MiB with the default settings, plus the first 64 KiB of each that is received',
    where: '`answers`, `src/byte-budget.ts`',
    test: 'test/security/kept-answers.test.ts',
  },
  {
    name: 'calls of a slice',
    value: '2 × its pages + log₂(pages of the statement) + 8',
    where: '`mostCalls`, `src/statement/plan.ts`',
    test: 'test/walk/behaviours.test.ts',
  },
  {
    name: 'connections to the service; calls that wait for a connection',
    value: '`UPSTREAM_CONNECTIONS`; 16 times that, but at least 1,024',
    where: '`maxWaiting`, `src/upstream/exchange/connection-pool.ts`',
    test: 'test/unit/upstream/connection-pool.test.ts',
  },
  {
    name: 'headers of an answer of the service',
    value:
      '{maxHeadCharacters} characters; while they are received, 3.5 MiB of the memory for answers',
    where: '`maxHeadCharacters`, `src/upstream/exchange/connector.ts`',
    test: 'test/unit/upstream/{exchange,connection-pool}.test.ts',
  },
  {
    name: 'interim answers of the service before an answer',
    value: '{maxInterim}',
    where: '`maxInterim`, `src/upstream/exchange/exchange.ts`',
    test: 'test/unit/upstream/exchange.test.ts',
  },
  {
    name: 'answers of the service that are parsed in a turn of the event loop',
    value: '{bytesPerTurn KiB} or one',
    where: '`bytesPerTurn`, `src/upstream/exchange/connection-pool.ts`',
    test: 'test/unit/upstream/connection-pool.test.ts',
  },
  {
    name: 'accounts of a profile',
    value: '{maxObjects}',
    where: '`maxObjects`, `src/upstream/answers/answer-reader.ts`',
    test: 'test/unit/upstream/profile-answer.test.ts',
  },
  {
    name: 'rows of a page',
    value: '5,000',
    where: '`maxItems`, `src/upstream/answers/statement-row.ts`',
    test: 'test/unit/upstream/statement-answer.test.ts',
  },
  {
    name: 'an answer of the service',
    value: '`UPSTREAM_MAX_BODY_BYTES`, and limits on its parts',
    where: '`src/upstream/exchange/exchange.ts`',
    test: 'test/security/service.test.ts',
  },
  {
    name: 'rest of a failed answer of the service that is still read',
    value: '{maxDiscardedBytes KiB}, for at most {discardMs s}',
    where: '`maxDiscardedBytes`, `discardMs`, `src/upstream/exchange/exchange.ts`',
    test: 'test/unit/upstream/exchange.test.ts',
  },
  {
    name: 'retries that are saved for later calls',
    value: '{maxSaved}',
    where: '`maxSaved`, `src/upstream/exchange/retry.ts`',
    test: 'test/unit/upstream/retry.test.ts',
  },
  {
    name: 'log lines that wait because their reader is slow',
    value: '{maxWaiting} batches of 32,768 characters; further lines are dropped',
    where: '`maxWaiting`, `src/telemetry/log.ts`',
    test: 'test/unit/telemetry/log-destination.test.ts',
  },
  {
    name: 'operation names of the manifest, as metric labels',
    value: '{maxOperations}, plus one for all others',
    where: '`maxOperations`, `src/telemetry/metrics.ts`',
    test: 'test/contract/metrics.test.ts',
  },
  {
    name: 'JSON pointers of wrong values, as metric labels',
    value: '{maxPointers}, plus one for all others',
    where: '`maxPointers`, `src/telemetry/metrics.ts`',
    test: 'test/unit/telemetry/answer-metrics.test.ts',
  },
  {
    name: 'names and versions of client apps, as metric labels',
    value: 'those in `CLIENTS`, plus `other` and `none`',
    where: '`src/telemetry/clients.ts`',
    test: 'test/contract/client-names.test.ts',
  },
  {
    name: 'operation names, as span names (only with tracing)',
    value: '{maxNames}',
    where: '`maxNames`, `src/telemetry/tracing.ts`',
    test: 'test/contract/traces.test.ts',
  },
  {
    name: 'spans that wait for the collector (only with tracing)',
    value: '2,048 by default; further spans are dropped',
    where: "OpenTelemetry's batch processor",
    test: 'test/contract/traces.test.ts',
  },
  {
    name: 'undocumented values of open sets that were already logged',
    value: '{maxValues} per field, of at most 64 characters each',
    where: '`maxValues`, `src/telemetry/metrics.ts`',
    test: 'test/unit/telemetry/open-sets.test.ts',
  },
];

const root = new URL('../', import.meta.url);

/** docs/limits.md with its table of the limits of one request. */
export function limitsPage(): string {
  const rows = limits.flatMap((limit) =>
    limit.exceeded === undefined ? [] : [[limit.name, valueOf(limit), limit.exceeded]],
  );
  return withTable('docs/limits.md', '## One request', ['limit', 'value', 'if exceeded'], rows);
}

/** docs/bounds.md with its table of stores, queues and loops. */
export function boundsPage(): string {
  const rows = limits.flatMap((limit) => {
    const { where, test } = limit;
    if (where === undefined || test === undefined) return [];
    const name = limit.name.replace(', see below', '');
    return [[name, valueOf(limit), where, `\`${test}\``]];
  });
  const head = ['what is kept or repeated', 'bound', 'defined in', 'tested by'];
  return withTable('docs/bounds.md', '# Stores, queues and loops', head, rows);
}

/** The value, with the numbers from the code. */
function valueOf({ value, where = '' }: Limit): string {
  const [file] = /src\/[\w/.-]+/.exec(where) ?? [];
  return value.replace(/\{(\w+)(?: (\w+))?\}/g, (_all, name: string, unit?: string) => {
    const size = unit === undefined ? 1 : unitSizes[unit];
    if (file === undefined || size === undefined) throw new Error(`${name} needs a file and unit`);
    const number = (constantIn(file, name) / size).toLocaleString('en');
    return unit === undefined ? number : `${number} ${unit}`;
  });
}

const unitSizes: Readonly<Record<string, number>> = { s: 1000, KiB: 1024, MiB: 1_048_576 };

/** The value of a constant, which is a number or a product. */
function constantIn(file: string, name: string): number {
  const source = readFileSync(new URL(file, root), 'utf8');
  const [, product] = new RegExp(`const ${name} = ([\\d_* ]+);`).exec(source) ?? [];
  if (product === undefined) throw new Error(`${file} has no number ${name}`);
  return product
    .replaceAll('_', '')
    .split('*')
    .map(Number)
    .reduce((one, other) => one * other);
}

/** The page, with the first table below a heading replaced. */
function withTable(
  path: string,
  heading: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const page = readFileSync(new URL(path, root), 'utf8');
  const from = page.indexOf('\n|', page.indexOf(`${heading}\n`)) + 1;
  const next = page.indexOf('\n\n', from);
  const to = next === -1 ? page.length - 1 : next;
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return page.slice(0, from) + table.join('\n') + page.slice(to);
}
