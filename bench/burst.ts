// Checks and measures a burst of connections: 50, 500, then 50 again; first over a service that is well, then over one of
// which 30 % of the requests fail. Every answer is compared with that of graphql-js to the same request and the same
// answers of the service. The REST handler gets the same bursts. `npm run bench:burst -- 20` sets the seconds of all
// bursts together; `npm run bench:burst -- --answers 1000000` repeats them until the gateway has sent that many answers.
// Exits with 1 if an answer is wrong or lost, or if the p99 of at least 10,000 answers of the gateway is more than three
// times the handler's.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runLoad, type Answer } from '../test/support/load.ts';
import { freePort } from '../test/support/port.ts';
import { headerLines, rawRequest } from '../test/support/raw.ts';
import { startProcess } from './gateway-process.ts';
import { untilItAnswers } from './process.ts';
import { documentOf, pathOf, workloads } from './workloads.ts';

const { values, positionals } = parseArgs({
  options: { answers: { type: 'string' } },
  allowPositionals: true,
});
const wantedAnswers = Number(values.answers ?? 0);
const seconds = wantedAnswers > 0 ? 120 : Number(positionals[0] ?? 20);
const bursts = [50, 500, 50];
const states = ['well', 'faults'] as const;
type State = (typeof states)[number];
const maxRatio = 3;
const minForP99 = 10_000;
const callerCount = 60;

/** The errors of a field whose call failed, or was not made, because the gateway or the service is busy. */
const busyCodes: ReadonlySet<string> = new Set(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT']);

/** An operation of a caller, as bytes for the gateway and for the handler. */
interface Operation {
  readonly caller: string;
  readonly toGateway: Buffer;
  readonly toHandler: Buffer;
  readonly ask: (url: string) => Promise<string>;
}

await using service = await startService();
const operations = await Promise.all(
  Array.from({ length: callerCount }, (_, nth) => operationsOf(String(100_000 + nth))),
).then((all) => all.flat());
const expected = { well: await expectedIn('well'), faults: await expectedIn('faults') };

await using gateway = await startProcess(service.url);
await using handler = await startHandler();
const counts = { right: 0, refused: 0, unavailable: 0, wrong: 0, lost: 0 };
const times = { well: timesOfBoth(), faults: timesOfBoth() };

do await runBursts();
while (total() < wantedAnswers);
report();

async function runBursts(): Promise<void> {
  const secondsOfEach = seconds / (2 * states.length * bursts.length);
  for (const state of states) {
    await service.turn(state);
    for (const connections of bursts) {
      const settings = { connections, perSecond: null, seconds: secondsOfEach };
      await runLoad({
        ...settings,
        url: gateway.url,
        requests: operations.map(({ toGateway }) => toGateway),
        onAnswer: (answer) => judge(state, answer),
      });
      await runLoad({
        ...settings,
        url: handler.url,
        requests: operations.map(({ toHandler }) => toHandler),
        onAnswer: ({ status, ms }) => {
          if (status === 200) times[state].handler.push(ms);
        },
      });
    }
  }
}

/** Counts an answer. An operation that fails as expected is right, but is not among the times of what is answered. */
function judge(state: State, { request, status, body, ms }: Answer): void {
  const right = expected[state][request] ?? '';
  const text = Buffer.from(body, 'latin1').toString();
  const verdict = status === 0 ? 'lost' : verdictOn(text, right);
  counts[verdict]++;
  if (verdict === 'right' && !text.startsWith('{"errors"')) times[state].gateway.push(ms);
  if (verdict !== 'wrong' || counts.wrong > 5) return;
  console.error(
    'wrong:',
    operations[request]?.caller,
    status,
    text.slice(0, 500),
    right.slice(0, 500),
  );
}

type Verdict = keyof typeof counts;

function verdictOn(text: string, right: string): Verdict {
  if (text === right) return 'right';
  const [answer, other] = [parse(text), parse(right)];
  if (answer === null || other === null) return 'wrong';
  if (answer.data === undefined)
    return codesOf(answer).includes('OVERLOADED') ? 'refused' : 'wrong';
  const [failed, expectedErrors] = [answer.errors ?? [], other.errors ?? []];
  const known = new Set(expectedErrors.map(keyOf));
  // A field may fail because the gateway is busy; then it is null, and everything else is as expected.
  const further = failed.filter((error) => !known.has(keyOf(error)));
  const areBusy = further.every(({ extensions }) => busyCodes.has(extensions.code));
  const areListed = expectedErrors.every(({ path: expectedPath = [] }) =>
    failed.some(({ path = [] }) => isWithin(expectedPath, path)),
  );
  const data = withNulls(
    other.data,
    further.map(({ path = [] }) => path),
  );
  if (!areBusy || !areListed || JSON.stringify(answer.data) !== JSON.stringify(data))
    return 'wrong';
  return further.length === 0 ? 'right' : 'unavailable';
}

interface Parsed {
  readonly data?: unknown;
  readonly errors?: readonly ParsedError[];
}

interface ParsedError {
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string };
}

/** Null if the text is not JSON. */
function parse(text: string): Parsed | null {
  try {
    return JSON.parse(text) as Parsed;
  } catch {
    return null;
  }
}

function codesOf({ errors = [] }: Parsed): string[] {
  return errors.map(({ extensions }) => extensions.code);
}

function keyOf({ path, extensions }: ParsedError): string {
  return JSON.stringify([path, extensions.code]);
}

function isWithin(path: readonly unknown[], outer: readonly unknown[]): boolean {
  return outer.every((key, at) => key === path[at]);
}

/** A copy with null at each of these paths. */
function withNulls(data: unknown, paths: readonly (readonly (string | number)[])[]): unknown {
  const root = { data: structuredClone(data) };
  for (const path of paths) {
    let parent: unknown = root;
    const keys = ['data', ...path];
    for (const key of keys.slice(0, -1)) parent = (parent as Record<string, unknown> | null)?.[key];
    const last = keys.at(-1) ?? '';
    if (typeof parent === 'object' && parent !== null) Reflect.set(parent, last, null);
  }
  return root.data;
}

/** The answers of graphql-js, one after the other, in the order of `operations`. */
async function expectedIn(state: State): Promise<string[]> {
  await service.turn(state);
  // A repeated call would get the same answer.
  const env = { EXECUTOR: 'graphql-js', UPSTREAM_RETRIES: '0' };
  await using other = await startProcess(service.url, { env });
  const answers: string[] = [];
  for (const { caller, ask } of operations) {
    const answer = await ask(other.url);
    const foreign = new RegExp(`(?<!\\d)(?!${caller})1000\\d\\d(?!\\d)`);
    const isOwn = answer.includes(caller) || answer.startsWith('{"errors"');
    if (!isOwn || foreign.test(answer)) throw new Error(`not the answer of ${caller}: ${answer}`);
    answers.push(answer);
  }
  return answers;
}

async function operationsOf(caller: string): Promise<Operation[]> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: caller, entityType: 'PERSON', exp: 4_000_000_000 };
  const token = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.c2lnbmVk`;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'bench' };
  const profile = await fetch(`${service.url}/persons`, { headers });
  const { accounts } = (await profile.json()) as { accounts: { id: string }[] };
  const accountId = accounts[0]?.id ?? '';
  const standard = ['Host: bench', 'Content-Type: application/json'];
  const lines = headerLines(headers);
  return workloads.map(({ name }) => {
    const body = JSON.stringify({ query: documentOf('contract', name, accountId) });
    const start = `GET ${pathOf(name, accountId)} HTTP/1.1`;
    return {
      caller,
      toGateway: rawRequest({ standard, lines, body }),
      toHandler: rawRequest({ start, standard: ['Host: bench'], lines, framing: [] }),
      ask: async (url) => {
        const all = { ...headers, 'content-type': 'application/json' };
        return (await fetch(`${url}/graphql`, { method: 'POST', headers: all, body })).text();
      },
    };
  });
}

async function startService() {
  const child = fork(join(import.meta.dirname, 'burst-service.ts'));
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async turn(state: State) {
      child.send(state);
      await once(child, 'message');
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function startHandler() {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), UPSTREAM_URL: service.url };
  const script = join(import.meta.dirname, 'contenders/rest.js');
  // It writes each failed call of the service to its log.
  const child = spawn(process.execPath, [script], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, once(child, 'exit'));
  return { url, [Symbol.asyncDispose]: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function timesOfBoth(): { gateway: number[]; handler: number[] } {
  return { gateway: [], handler: [] };
}

function total(): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function report(): void {
  const p99 = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? 0;
  console.log({ answers: total(), ...counts });
  let isGood = counts.wrong === 0 && counts.lost === 0 && counts.right > 0;
  for (const state of states) {
    const [own, handlers] = [p99(times[state].gateway), p99(times[state].handler)];
    const ratio = own / handlers;
    console.log(state, {
      answered: times[state].gateway.length,
      p99Ms: Math.round(own),
      handlerP99Ms: Math.round(handlers),
      ratio: Math.round(ratio * 100) / 100,
    });
    // Of fewer answers, a few outliers decide the p99.
    if (times[state].gateway.length >= minForP99) isGood &&= ratio <= maxRatio;
  }
  if (!isGood) process.exitCode = 1;
}
