// Snippets in README, CONTRIBUTING, SECURITY and docs: each snippet in a language of `run` is checked here, or by the
// files that `claims` lists for it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import { startBank } from '../../src/sandbox/bank.ts';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { startTestGateway } from '../support/gateway.ts';
import { callerHeaders, query } from '../support/query.ts';

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** How a block is checked: by a function in this file, or by the listed files. */
type Proof = ((block: Block) => Promise<void> | void) | readonly string[];

/**
 * Each entry applies to the blocks of a page that contain a string. For each block, the first entry that applies
 * counts.
 */
const claims: readonly (readonly [page: string, has: string, proof: Proof])[] = [
  ['README.md', 'npm ci && npm start', ['.ci/run', 'test/process.test.ts']],
  ['README.md', '', ['test/conformance/readme.test.ts']],
  ['CONTRIBUTING.md', 'npm ci && npm start', ['.ci/run', 'test/process.test.ts']],
  ['docs/clients.md', 'schemaNamespace', namesFilesThatAreThere],
  ['docs/clients.md', '', ['test/conformance/clients.test.ts']],
  // `docker build` is tested with podman, which builds the same Dockerfile. The files for Kubernetes and Compose are
  // checked, but not run.
  ['docs/deployment.md', 'docker build', ['deploy/image/test.sh', 'deploy/image/run.ts']],
  ['docs/deployment.md', 'kubectl', ['test/conformance/kubernetes.test.ts']],
  ['docs/deployment.md', 'docker compose', ['test/conformance/deploy.test.ts']],
  ['docs/deployment.md', 'npm pack', ['test/package.test.ts']],
  ['docs/doctor.md', 'npm run doctor', examinesTheBank],
  ['docs/errors.md', '', ['test/conformance/errors-doc.test.ts', 'test/contract/errors.test.ts']],
  ['docs/exactness.md', 'investmentAccount', isAnAccountOfTheBank],
  ['docs/exactness.md', 'is not a number', isAnsweredAfterTheFault],
  ['docs/exactness.md', 'curl', scriptsTheBank],
  ['docs/explorers.md', 'curl', scriptsTheBank],
  ['docs/federation.md', '', ['deploy/federation/test/supergraph.test.ts']],
  ['docs/lifecycle.md', 'accounts', isAnswered],
  ['docs/observability.md', 'requestId', ['test/contract/logs.test.ts']],
  ['docs/observability.md', '"extensions"', hasTheFieldsOfAnAnswer],
  ['docs/operations.md', 'npm run manifest', ['test/contract/persisted-operations.test.ts']],
  ['docs/operations.md', 'curl', asksByHash],
  ['docs/operations.md', 'apollo-persisted', ['test/contract/persisted-operations.test.ts']],
  ['docs/sandbox.md', 'npm run bank', startsBanks],
  ['docs/sandbox.md', 'BANK=', scriptsTheBank],
  ['docs/sandbox.md', 'curl', scriptsTheBank],
  ['docs/sandbox.md', 'await using bank', ['test/support/gateway.ts', 'test/unit/sandbox']],
  ['docs/tutorial.md', 'npx vite', ['test/browser/tutorial.test.ts']],
  ['docs/tutorial.md', 'curl', scriptsTheBank],
  ['docs/tutorial.md', '"me"', ['test/conformance/readme.test.ts']],
  // Attestations are made and kept by GitHub.
  ['docs/verify.md', 'gh attestation', ['.github/workflows/release.yml']],
  ['docs/verify.md', 'npm pack', ['test/package.test.ts']],
  ['docs/verify.md', 'podman build', ['deploy/image/test.sh']],
  ['docs/your-service.md', 'npm run doctor', examinesTheBank],
  ['docs/your-service.md', 'npm start', ['test/process.test.ts']],
  ['docs/your-service.md', '--check-config', ['test/package.test.ts']],
];

const run = new Set(['sh', 'bash', 'graphql', 'json', 'ts', 'js', 'yaml']);
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/*.md')].sort();
const blocks = pages.filter((page) => existsSync(page)).flatMap(blocksOf);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe.each(blocks)('the snippet in $page: $text', (block) => {
  const claim = claims.find(([page, has]) => page === block.page && block.text.includes(has));
  const proof = claim?.[2] ?? proofByLanguage(block);

  test('passes its check in this file, or every file that tests the snippet exists', async () => {
    if (typeof proof === 'function') await proof(block);
    else expect(proof.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('names only npm scripts that exist', () => {
    const named = [...block.text.matchAll(/^(?:.*&& )?npm run (?:--silent )?([\w:]+)/gm)];
    for (const [, name = ''] of named) expect(Object.keys(scripts)).toContain(name);
  });
});

test('every listed check matches a snippet', () => {
  const stale = claims.filter(
    ([page, has]) => !blocks.some((block) => block.page === page && block.text.includes(has)),
  );
  expect(stale).toEqual([]);
});

/**
 * Returns the check of a block that no entry of `claims` covers: JSON is parsed, GraphQL is validated, and npm commands
 * need only package.json, because another test checks the names of scripts. For any other block, the check fails.
 */
function proofByLanguage({ language, text: code, page }: Block): Proof {
  if (language === 'json') return ({ text: value }) => void JSON.parse(value);
  if (language === 'graphql') return ({ text: document }) => isValid(document);
  const isOfScripts = code
    .split('\n')
    .every((line) => /^(npm (ci|start|test|run )|#|$)/.test(line));
  if (language === 'sh' && isOfScripts) return ['package.json'];
  return () => expect.unreachable(`${page} has a ${language} block that no claim above is of`);
}

function blocksOf(page: string): Block[] {
  const found = readFileSync(page, 'utf8').matchAll(/^ *```(\w+)\n([^]*?)^ *```/gm);
  return [...found]
    .map(([, language = '', code = '']) => ({ page, language, text: code }))
    .filter(({ language }) => run.has(language));
}

function isValid(document: string): void {
  expect(validate(createSchema(), parse(document))).toEqual([]);
}

async function isAnswered({ text: document }: Block): Promise<void> {
  await using gateway = await startTestGateway();
  expect((await query(gateway, document)).errors).toBeUndefined();
}

function namesFilesThatAreThere({ text: value }: Block): void {
  const { input } = JSON.parse(value) as { input: { schemaSearchPaths: string[] } };
  expect(input.schemaSearchPaths.filter((path) => !existsSync(path))).toEqual([]);
}

/** Runs the commands of a block, after the commands of docs/sandbox.md that set the variables. */
async function scriptsTheBank({ text: commands }: Block): Promise<void> {
  await using bank = await startBank();
  await runScript(bank, commands);
}

async function runScript(bank: Bank, commands: string): Promise<void> {
  const variables = blocksOf('docs/sandbox.md').find(({ text: code }) => code.startsWith('BANK='));
  const { stderr, code } = await bash(
    `curl() { command curl --silent --show-error --fail-with-body "$@"; }
${[variables?.text ?? '', commands].join('\n').replaceAll(/^BANK=.*$/gm, `BANK=${bank.controlUrl}`)}`,
  );
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
}

async function isAnsweredAfterTheFault({ text: answer }: Block): Promise<void> {
  await using gateway = await startTestGateway();
  const fault = blocksOf('docs/exactness.md').find(({ language }) => language === 'sh');
  await runScript(gateway.bank, fault?.text ?? '');
  const { data, errors } = await query(gateway, '{ accounts { number balance } }');
  expect({ errors, data }).toEqual(JSON.parse(answer));
}

async function isAnAccountOfTheBank({ text: shown }: Block): Promise<void> {
  await using gateway = await startTestGateway();
  const perHolder = gateway.bank.holders.map(async (holder) => {
    const headers = await callerHeaders(gateway.bank, holder);
    return query(gateway, '{ accounts { balance investmentAccount } }', { headers });
  });
  const answers = await Promise.all(perHolder);
  const accounts = answers.flatMap(({ data }) => data?.['accounts'] as unknown[]);
  expect(accounts).toContainEqual(JSON.parse(shown));
}

async function hasTheFieldsOfAnAnswer({ text: shown }: Block): Promise<void> {
  await using gateway = await startTestGateway({ UPSTREAM_RETRIES: '1' });
  gateway.bank.addFault({ kind: 'status', status: 503, match: { route: 'transactions' } });
  const document = '{ accounts { transactions { totalCount } } }';
  const { extensions } = JSON.parse((await query(gateway, document)).text) as Extended;
  const example = JSON.parse(`{${shown}}`) as Extended;
  const sorts = ({ upstream }: Extended['extensions']) =>
    upstream.map(({ route, tries, ...rest }) => [route, tries, Object.keys(rest)]);
  const made = sorts(extensions);
  for (const sort of sorts(example.extensions)) expect(made).toContainEqual(sort);
}

interface Extended {
  readonly extensions: { readonly upstream: Readonly<Record<string, unknown>>[] };
}

async function asksByHash({ text: commands }: Block): Promise<void> {
  const env = { OPERATIONS_MANIFEST: 'examples/operations/manifest.json', OPERATIONS_ONLY: 'on' };
  await using gateway = await startTestGateway(env);
  const { authorization } = await callerHeaders(gateway.bank);
  const address = `${gateway.url}/graphql`;
  const curl = `--silent --write-out '\\n' ${address}`;
  const { stdout } = await bash(
    `TOKEN=${authorization.slice('Bearer '.length)}\n${commands.replaceAll('localhost:4000/graphql', curl)}`,
  );
  for (const answer of stdout.trim().split('\n')) {
    expect(JSON.parse(answer)).toMatchObject({ data: { me: expect.any(Object) as unknown } });
  }
}

async function examinesTheBank({ text: command }: Block): Promise<void> {
  await using bank = await startBank();
  const { authorization } = await callerHeaders(bank);
  const asked = command
    .replace('npm run doctor --', `'${process.execPath}' src/cli.ts doctor`)
    .replace('https://accounts.example/v1', bank.url)
    .replace('< token.txt', `<<<'${authorization.slice('Bearer '.length)}'`);
  const { stdout, code } = await bash(asked);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^The service works/);
}

async function startsBanks({ text: commands }: Block): Promise<void> {
  const lines = commands.split('\n').filter((line) => line.startsWith('npm run bank'));
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const [, given = ''] = /^npm run bank(?: --)?([^#]*)/.exec(line) ?? [];
    const options = given.trim().split(/ +/).filter(Boolean);
    // The port that the docs name may be in use, so a second --port overrides it.
    const child = spawn(process.execPath, ['src/sandbox/sandbox.ts', ...options, '--port', '0']);
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill();
    await once(child, 'exit');
    expect(chunk.toString()).toMatch(/^Sandbox bank at http:|^PERSON Ana Beatriz/);
  }
}

/** Runs commands in bash up to the first failure. Returns their output and the exit code. */
async function bash(commands: string) {
  // Without --norc, bash may read its start-up file, because spawn gives it a socket as its input.
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', commands]);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { stdout, stderr, code };
}
