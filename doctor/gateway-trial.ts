// Runs the gateway itself with the settings that were found: whether it can read the profile and walk the statement.
import { Agent, request } from 'undici';
import { startGateway } from '../src/gateway.ts';
import { parseSettings } from '../src/settings/settings.ts';
import { createLogger } from '../src/telemetry/log.ts';
import { counted, expected, fatal, type Finding } from './finding.ts';
import { isObject } from './json.ts';
import type { Caller } from './service.ts';

export interface Trial {
  readonly finding: Finding;
  /** What the gateway has read, for people. */
  readonly read: string | null;
}

/** Slices of 100 rows that are read at most. */
const maxSlices = 5;

const profileQuery = '{ me { __typename } accounts { id } }';
const sliceQuery = `query ($accountId: ID!, $after: String) {
  transactions(accountId: $accountId, first: 100, after: $after) {
    nodes { id }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`;

/** Settings under which the gateway listens only here, and uses nothing but the service and the key set. */
const alone = {
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_HOST: '127.0.0.1',
  ADMIN_PORT: '0',
  REDIS_URL: '',
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  OPERATIONS_MANIFEST: '',
  OPERATIONS_ONLY: '',
  RATE_LIMIT_PER_MINUTE: '',
  SHUTDOWN_DELAY_MS: '0',
} as const;

/** Asks a gateway with the settings in `env` for the profile and, with an account, for its newest transactions. */
export async function tryGateway(
  env: Readonly<Record<string, string | undefined>>,
  caller: Caller,
  accountId: string | null,
): Promise<Trial> {
  const settings = parseSettings({ ...env, ...alone });
  const log = createLogger({ level: 'silent', destination: { write: () => undefined } });
  const { upstreamUrl } = settings;
  if (upstreamUrl === null) throw new Error('the gateway needs the address of the service');
  await using gateway = await startGateway({ ...settings, upstreamUrl }, { log, idleMs: 0 });
  const ask = (query: string, variables: object) => post(gateway.url, caller, { query, variables });
  const profile = await ask(profileQuery, {});
  if (!isObject(profile.data) || profile.data['me'] === null) return failed('the profile', profile);
  if (accountId === null) return { finding: expected('gateway'), read: 'the profile' };
  let rows = 0;
  let after: unknown = null;
  for (let slices = 0; slices < maxSlices; slices++) {
    const answer = await ask(sliceQuery, { accountId, after });
    const slice = isObject(answer.data) ? answer.data['transactions'] : null;
    if (!isObject(slice) || !Array.isArray(slice['nodes'])) return failed('the statement', answer);
    rows += slice['nodes'].length;
    const pageInfo = isObject(slice['pageInfo']) ? slice['pageInfo'] : {};
    const isEnd = pageInfo['hasNextPage'] !== true;
    const read = `the profile and ${rows} of ${counted(Number(slice['totalCount']), 'transaction')}`;
    if (isEnd || slices + 1 === maxSlices) return { finding: expected('gateway'), read };
    after = pageInfo['endCursor'];
  }
  throw new Error('unreachable');
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string };
  }[];
}

const direct = new Agent({ keepAliveTimeout: 1 });

async function post(url: string, { authorization, tenant }: Caller, body: object): Promise<Answer> {
  const answer = await request(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization, 'x-tenant-id': tenant },
    body: JSON.stringify(body),
    // Not through a proxy that the environment names.
    dispatcher: direct,
  });
  return (await answer.body.json()) as Answer;
}

function failed(what: string, { errors = [] }: Answer): Trial {
  const told = errors.map(({ message, extensions }) => `${extensions.code}: ${message}`);
  const seen = `the gateway cannot read ${what}: ${[...new Set(told)].join(' ')}`;
  return { finding: fatal('gateway', seen), read: null };
}
