// The doctor over HTTP: its verdicts on sandbox banks with different behaviours, its requests, and its command line.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { examine } from '../../doctor/checkup.ts';
import { reportOf } from '../../doctor/report.ts';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import { answerWith, holderOf } from '../support/bank.ts';
import { bankOfFile } from '../support/fixtures.ts';

const bank = await bankOfFile();

const statementOf = (holder: HolderSummary) => holder.accounts[0] ?? '';

interface Subject {
  readonly accountId?: string | null;
  readonly kind?: HolderSummary['kind'];
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Runs the doctor. `of` returns the findings of a check. */
async function diagnose({
  accountId = null,
  kind = 'PERSON',
  url = bank.url,
  env,
  claims,
}: Subject = {}) {
  const { id, tenant } = holderOf(bank, kind);
  const token = await bank.tokenFor({ id, tenant }, claims);
  const checkup = await examine({ env: { ...env, UPSTREAM_URL: url }, token, tenant, accountId });
  const of = (check: string) => checkup.findings.filter(({ id: found }) => found === check);
  const { verdict, settings } = checkup;
  return { checkup, verdict, settings, of, report: reportOf(checkup) };
}

describe('the verdict', () => {
  test('is that a service works as it is if the defaults fit, after the gateway itself has read a statement', async () => {
    const accountId = statementOf(holderOf(bank, 'PERSON'));
    bank.setStatement(accountId, 130, { tieSizes: [3] });
    const { verdict, settings, report, of } = await diagnose({ accountId });
    expect({ verdict, settings }).toEqual({
      verdict: 'works as it is',
      settings: { UPSTREAM_URL: bank.url },
    });
    expect(of('gateway')).toMatchObject([{ outcome: 'expected' }]);
    expect(report).toMatch(/^The service works as it is:\n\nUPSTREAM_URL=http/);
    expect(report).toContain('the gateway has read the profile and 130 of 130 transactions.');
    // The sandbox bank does not verify signatures.
    expect(report.match(/^ {2}[\w-]+: /gm)).toEqual(['  forged-token: ']);
  });

  test('lists settings that differ from the defaults, and those of the environment', async () => {
    bank.configure({ pageBase: 1, endDate: 'exclusive' });
    const { verdict, settings } = await diagnose({ env: { UPSTREAM_RETRIES: '0', PORT: '1' } });
    expect({ verdict, settings }).toEqual({
      verdict: 'works with settings',
      settings: {
        UPSTREAM_URL: bank.url,
        UPSTREAM_RETRIES: '0',
        UPSTREAM_PAGE_BASE: '1',
        UPSTREAM_END_DATE: 'exclusive',
      },
    });
  });

  test('is that the service cannot work if the gateway cannot read the statement with these settings', async () => {
    bank.addFault({ kind: 'status', status: 500, match: { route: 'transactions' }, skip: 40 });
    const { verdict, report } = await diagnose();
    expect(verdict).toBe('cannot work');
    expect(report).toMatch(
      /^The service cannot work, because:\n {2}gateway: the gateway cannot read the statement: UPSTREAM_UNAVAILABLE: /,
    );
  });
});

const numberings = [
  { pageBase: 0, currentPage: 'index', outOfRange: 'empty', belowBase: '400' },
  { pageBase: 0, currentPage: 'index', outOfRange: '404', belowBase: 'clamp' },
  { pageBase: 0, currentPage: 'echo', outOfRange: 'clamp', belowBase: 'clamp' },
  { pageBase: 1, currentPage: 'index', outOfRange: 'clamp', belowBase: '400' },
  { pageBase: 1, currentPage: 'echo', outOfRange: '404', belowBase: '400' },
  { pageBase: 1, currentPage: 'echo', outOfRange: 'clamp', belowBase: 'clamp' },
] as const;

describe('page numbering', () => {
  test.each(numberings)('is recognised for a service with %j', async (behaviour) => {
    bank.configure(behaviour);
    const { verdict, settings, of } = await diagnose();
    const { pageBase } = behaviour;
    expect(verdict).toBe(pageBase === 0 ? 'works as it is' : 'works with settings');
    expect(settings['UPSTREAM_PAGE_BASE']).toBe(pageBase === 0 ? undefined : '1');
    expect([...of('current-page'), ...of('page-beyond'), ...of('totals')]).toMatchObject([
      { outcome: 'expected' },
      { outcome: 'expected' },
      { outcome: 'expected' },
    ]);
  });

  test('is recognised from a single page, unless both page bases give the same answers', async () => {
    const accountId = statementOf(holderOf(bank, 'PERSON'));
    for (const behaviour of numberings) {
      bank.configure(behaviour);
      bank.setStatement(accountId, 7);
      const { pageBase, outOfRange, belowBase } = behaviour;
      const isSameEitherWay = pageBase === 0 ? outOfRange === 'clamp' : belowBase === 'clamp';
      const outcome = pageBase === 0 ? 'expected' : 'setting';
      expect(
        (await diagnose({ accountId })).of('page-base'),
        JSON.stringify(behaviour),
      ).toMatchObject([{ outcome: isSameEitherWay ? 'unknown' : outcome }]);
    }
  });

  test.each([
    ['the page parameter changes nothing', { wrongPage: 0 }, 300, 'the service may ignore page='],
    ['the statement is empty', {}, 0, 'the statement is empty'],
  ])('is undetermined if %s', async (_, behaviour, rows, seen) => {
    bank.configure(behaviour);
    const accountId = statementOf(holderOf(bank, 'PERSON'));
    bank.setStatement(accountId, rows);
    const { of, settings } = await diagnose({ accountId });
    expect(of('page-base')).toMatchObject([
      { outcome: 'unknown', seen: expect.stringContaining(seen) as string },
    ]);
    expect(settings).not.toHaveProperty('UPSTREAM_PAGE_BASE');
  });

  test.each([0, 1] as const)(
    'is recognised while transactions arrive (page base %i)',
    async (pageBase) => {
      bank.configure({ pageBase, belowBase: 'clamp', outOfRange: 'clamp' });
      const accountId = statementOf(holderOf(bank, 'PERSON'));
      bank.setStatement(accountId, 300);
      bank.onStatementRead({ accountId, arrivals: 1, skip: 3, times: 9 });
      const { of } = await diagnose({ accountId });
      expect([...of('page-base'), ...of('start-date'), ...of('end-date')]).toMatchObject([
        { outcome: pageBase === 0 ? 'expected' : 'setting' },
        { outcome: 'expected' },
        { outcome: 'expected' },
      ]);
    },
  );
});

test('periods are undetermined if all transactions are from one day', async () => {
  const accountId = statementOf(holderOf(bank, 'PERSON'));
  bank.setStatement(accountId, 300, { newest: '2026-06-10T23:00:00.000Z', gapMs: 1000 });
  const { of } = await diagnose({ accountId });
  expect([...of('start-date'), ...of('end-date')]).toMatchObject([
    { outcome: 'unknown' },
    { outcome: 'unknown' },
  ]);
});

test('ties that are shuffled at each read have a consequence and a remedy', async () => {
  bank.configure({ tieOrder: 'shuffled' });
  const accountId = statementOf(holderOf(bank, 'PERSON'));
  bank.setStatement(accountId, 300, { tieSizes: [1, 2] });
  expect((await diagnose({ accountId })).of('ties')).toMatchObject([
    {
      outcome: 'notice',
      there: expect.stringContaining('ORDER BY created_at DESC, id DESC') as string,
    },
  ]);
});

describe('the holder', () => {
  test.each([
    ['PERSON', 403],
    ['COMPANY', 404],
  ] as const)('of kind %s is found if the other endpoint answers %i', async (kind, wrongKind) => {
    bank.configure({ wrongKind });
    const { verdict, of } = await diagnose({ kind });
    expect({ verdict, holder: of('holder') }).toMatchObject({
      verdict: 'works as it is',
      holder: [{ outcome: 'expected' }],
    });
  });

  test('is found by a claim of another name, which is then a setting', async () => {
    const claims = { entityType: undefined, kind: 'COMPANY' };
    const { settings } = await diagnose({ kind: 'COMPANY', claims });
    expect(settings).toMatchObject({ JWT_ENTITY_TYPE_CLAIM: 'kind' });
  });

  test('without accounts leaves the checks of statements undetermined', async () => {
    answerWith(bank, { route: 'persons' }, JSON.stringify({ person: { id: 'p' }, accounts: [] }));
    const { verdict, of } = await diagnose();
    expect(verdict).not.toBe('cannot work');
    expect(of('statement')).toMatchObject([
      { outcome: 'unknown', seen: 'the holder has no account: choose an --account' },
    ]);
  });
});

test('values and names that may be personal data are not shown', async () => {
  const secret = 'Maria da Silva';
  const profile = {
    person: { id: 'p', name: secret, status: 'FROZEN', nickname: secret, hasPin: secret },
    individual: { id: 'i', documentType: secret },
    address: null,
    accounts: [{ id: statementOf(holderOf(bank, 'PERSON')), status: 'APPROVED', [secret]: 1 }],
  };
  answerWith(bank, { route: 'persons' }, JSON.stringify(profile));
  const { checkup, report } = await diagnose();
  expect(report).toContain('/persons person.hasPin: string instead of boolean, in 1 of 1 objects');
  expect(report).toContain('(a name not shown)');
  expect(report).toContain('nickname');
  expect(report).not.toContain(secret);
  expect(JSON.stringify(checkup)).not.toContain(secret);
});

/** Starts a server that sends the bank's bodies with another status, type or encoding; returns its address. */
async function serverOf(
  statusOf: (target: string) => number | undefined,
  type = 'application/json',
  encode: (text: string) => Buffer = (text) => Buffer.from(text),
): Promise<string> {
  const server = createServer((request, response) => {
    const {
      authorization = '',
      'x-tenant-id': tenant = '',
      'content-type': given = '',
    } = request.headers;
    const headers = { authorization, 'x-tenant-id': String(tenant), 'content-type': given };
    const target = request.url ?? '';
    void fetch(`${bank.url}${target}`, { headers }).then(async (answer) => {
      response.writeHead(statusOf(target) ?? answer.status, { 'content-type': type });
      response.end(encode(await answer.text()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a service that cannot work', () => {
  const page = () => Buffer.from('<!doctype html><title>Sign in</title>');
  test.each([
    [
      200,
      'text/html',
      'the content type is not JSON',
      'check --url: another server, such as a page to sign in',
    ],
    [200, 'application/json', 'no usable holder', 'check --url'],
    [302, 'text/html', 'status 302', 'the gateway does not follow redirects: check --url'],
    [401, 'application/json', 'status 401', 'check --token and --tenant'],
    [404, 'text/html', 'status 404', 'check the path of --url'],
    [500, 'text/html', 'status 500', 'ask the provider for the cause'],
  ])('is one that always answers %i with %s', async (status, type, seen, there) => {
    const { verdict, of } = await diagnose({ url: await serverOf(() => status, type, page) });
    expect({ verdict, holder: of('holder') }).toEqual({
      verdict: 'cannot work',
      holder: [
        {
          id: 'holder',
          outcome: 'fatal',
          seen: `/persons and /companies: ${seen}`,
          there: expect.stringContaining(there) as string,
        },
      ],
    });
  });

  test('is one without any usable page', async () => {
    answerWith(bank, { route: 'transactions' }, '{"data": [], "pagination": null}');
    const { verdict, of } = await diagnose();
    expect({ verdict, statement: of('statement') }).toMatchObject({
      verdict: 'cannot work',
      statement: [{ seen: 'no statement can be read: /pagination is absent' }],
    });
  });

  test('is one that does not answer', async () => {
    const { of } = await diagnose({ url: 'http://127.0.0.1:1' });
    expect(of('holder')).toMatchObject([
      {
        outcome: 'fatal',
        seen: expect.stringContaining('ECONNREFUSED') as string,
        there: expect.stringContaining('NODE_USE_ENV_PROXY=1') as string,
      },
    ]);
  });
});

test('a token that the gateway rejects ends the checkup before the service is called', async () => {
  const { verdict, report } = await diagnose({ claims: { exp: '4102444800' } });
  expect(verdict).toBe('cannot work');
  expect(report).toMatch(
    /^The service cannot work, because:\n {2}caller: the gateway answers UNAUTHENTICATED/,
  );
  expect(bank.calls()).toEqual([]);
});

test('a service that answers for any tenant needs JWT_TENANT_CLAIM', async () => {
  const url = await serverOf((target) => (target === '/persons' ? 200 : undefined));
  const { settings } = await diagnose({ url });
  expect(settings).toMatchObject({ JWT_TENANT_CLAIM: 'tenant' });
});

test('timeouts are recommended for a slow service', async () => {
  bank.addFault({ kind: 'delay', delayMs: 1600, times: 2 });
  const { UPSTREAM_TIMEOUT_MS, OPERATION_TIMEOUT_MS } = (await diagnose()).settings;
  expect(Number(UPSTREAM_TIMEOUT_MS)).toBeGreaterThanOrEqual(7000);
  expect(Number(OPERATION_TIMEOUT_MS)).toBe(2 * Number(UPSTREAM_TIMEOUT_MS));
});

describe('account-bff doctor', () => {
  const run = promisify(execFile);
  const doctor = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, ['src/cli.ts', 'doctor', ...args], { env: { ...process.env, ...env } });

  async function failureOf(running: Promise<unknown>) {
    const failure: unknown = await running.catch((error: unknown) => error);
    return failure as { readonly code: number; readonly stdout: string; readonly stderr: string };
  }

  test('prints text or JSON, without the token, the holder’s name, or the ids of the holder and the accounts', async () => {
    const { id, tenant, name, accounts } = holderOf(bank, 'PERSON');
    const token = await bank.tokenFor({ id, tenant });
    const args = ['--token', token, '--tenant', tenant];
    const [text, json] = await Promise.all([
      doctor(['--url', bank.url, ...args]),
      doctor([...args, '--json'], { UPSTREAM_URL: bank.url }),
    ]);
    expect(text.stdout).toMatch(/^The service works as it is:\n\nUPSTREAM_URL=http/);
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: 'works as it is',
      settings: { UPSTREAM_URL: bank.url },
      findings: expect.arrayContaining([
        { id: 'caller', outcome: 'expected', seen: '' },
      ]) as unknown,
    });
    for (const { stdout, stderr } of [text, json]) {
      expect(stderr).toBe('');
      for (const secret of [id, token, name, ...accounts]) expect(stdout).not.toContain(secret);
    }
  });

  test('sends only GET requests', async () => {
    await diagnose();
    expect(new Set(bank.calls().map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test('prints its usage for --help', async () => {
    const { stdout, stderr } = await doctor(['--help']);
    expect(stdout).toMatch(/^Usage: account-bff doctor/);
    expect(stderr).toBe('');
  });

  test.each([
    [['--tenant', 'x', '--token', 't'], {}, '--url, --token and --tenant'],
    [['--nonsense'], {}, '--nonsense'],
    [['--url', 'http://127.0.0.1:1', '--token', 'a\nb', '--tenant', 'x'], {}, 'visible ASCII'],
    [['--url', 'http://127.0.0.1:1', '--token', 't', '--tenant', 'x\u20ac'], {}, 'visible ASCII'],
    [['--url', 'ftp://x', '--token', 't', '--tenant', 'x'], {}, 'UPSTREAM_URL: its value cannot'],
    [
      ['--url', 'http://x', '--token', 't', '--tenant', 'x'],
      { UPSTREAM_RETRIES: 'no' },
      'UPSTREAM_RETRIES',
    ],
  ])('exits with 2 for the arguments %j and the environment %j', async (args, env, message) => {
    const { code, stdout, stderr } = await failureOf(doctor(args, env));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test.each([
    ['', 2, '--url, --token and --tenant'],
    ['a\nb\n', 2, 'visible ASCII'],
  ])('exits with an error for the token %j on standard input', async (input, status, message) => {
    const running = doctor(['--url', 'http://127.0.0.1:1', '--token', '-', '--tenant', 'x']);
    running.child.stdin?.end(input);
    const { code, stderr } = await failureOf(running);
    expect(code).toBe(status);
    expect(stderr).toContain(message);
  });

  test('is not in the image, where the command says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'account-bff-image-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp('src/cli.ts', join(folder, 'src/cli.ts'));
    await cp('package.json', join(folder, 'package.json'));
    const running = run(process.execPath, [join(folder, 'src/cli.ts'), 'doctor']);
    expect(await failureOf(running)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The image does not contain the doctor') as string,
    });
    expect(await readFile('.dockerignore', 'utf8')).not.toContain('doctor');
  });

  test('exits with 1 if the service cannot work', async () => {
    const token = await bank.tokenFor(holderOf(bank, 'PERSON'));
    const args = ['--url', 'http://127.0.0.1:1', '--token', token, '--tenant', 'x'];
    const { code, stdout, stderr } = await failureOf(doctor(args));
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('ECONNREFUSED');
  });
});
