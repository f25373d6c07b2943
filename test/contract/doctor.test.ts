// The doctor: its findings about sandbox banks with different behaviours, its requests to the service, and its command
// line.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { examine } from '../../doctor/checkup.ts';
import { tableOf } from '../../doctor/report.ts';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import { answerWith, holderOf } from '../support/bank.ts';
import { bankOfFile } from '../support/fixtures.ts';

const bank = await bankOfFile();

const statementOf = (holder: HolderSummary) => holder.accounts[0] ?? '';

interface Subject {
  readonly accountId?: string | null;
  readonly kind?: HolderSummary['kind'];
  readonly url?: string;
}

/** Runs the doctor. `answers` maps the ids of its questions to the answers. */
async function diagnose({ accountId = null, kind = 'PERSON', url = bank.url }: Subject = {}) {
  const { id, tenant } = holderOf(bank, kind);
  const token = await bank.tokenFor({ id, tenant });
  const checkup = await examine({ url, token, tenant, accountId, timeoutMs: 5000 });
  const answers = Object.fromEntries(checkup.findings.map(({ id, answer }) => [id, answer]));
  return { ...checkup, answers };
}

const numberings = ([0, 1] as const).flatMap((pageBase) =>
  (['index', 'echo'] as const).flatMap((currentPage) =>
    (['empty', 'clamp', '404'] as const).flatMap((outOfRange) =>
      (['400', 'clamp'] as const).map((belowBase) => ({
        pageBase,
        currentPage,
        outOfRange,
        belowBase,
      })),
    ),
  ),
);

const indexed = numberings.filter(({ currentPage }) => currentPage === 'index');

describe('page numbering', () => {
  test.each(numberings)('is recognised for a service with %j', async (behaviour) => {
    bank.configure(behaviour);
    const { answers, settings } = await diagnose({
      accountId: statementOf(holderOf(bank, 'PERSON')),
    });
    const { pageBase, currentPage, outOfRange, belowBase } = behaviour;
    expect(settings['UPSTREAM_PAGE_BASE']).toBe(`${pageBase}`);
    expect(answers).toMatchObject({
      'page-base': `${pageBase}`,
      'current-page': pageBase === 1 && currentPage === 'echo' ? 'as page does' : 'from 0',
      'page-omitted': 'the first page',
      'page-beyond': { empty: 'no rows', clamp: 'the last page again', 404: 'status 404' }[
        outOfRange
      ],
      'page-below': belowBase === '400' ? 'status 400' : 'the first page again',
    });
  });

  test.each(indexed)(
    'is recognised from a single page, unless both page bases give the same answers: %j',
    async (behaviour) => {
      bank.configure(behaviour);
      const accountId = statementOf(holderOf(bank, 'PERSON'));
      bank.setStatement(accountId, 7);
      const { answers } = await diagnose({ accountId });
      const { pageBase, outOfRange, belowBase } = behaviour;
      const isSameEitherWay = pageBase === 0 ? outOfRange === 'clamp' : belowBase === 'clamp';
      expect(answers['page-base']).toBe(isSameEitherWay ? null : `${pageBase}`);
    },
  );

  test('stays undetermined if the page parameter changes nothing', async () => {
    bank.configure({ wrongPage: 0 });
    const { findings, settings } = await diagnose();
    expect(findings.find(({ id }) => id === 'page-base')).toMatchObject({
      answer: null,
      seen: 'pages 0, 1 and 2 have the same rows: the service may ignore page=',
    });
    expect(settings).not.toHaveProperty('UPSTREAM_PAGE_BASE');
  });

  test('stays undetermined if the statement is empty', async () => {
    const accountId = statementOf(holderOf(bank, 'PERSON'));
    bank.setStatement(accountId, 0);
    expect((await diagnose({ accountId })).answers['page-base']).toBeNull();
  });

  test('stays undetermined if the first pages are one tie, whose order changes from read to read', async () => {
    bank.configure({ pageBase: 0, tieOrder: 'shuffled' });
    const accountId = statementOf(holderOf(bank, 'PERSON'));
    bank.setStatement(accountId, 200, { tieSizes: [40] });
    for (let run = 0; run < 8; run++) {
      const { answers, settings } = await diagnose({ accountId });
      expect(answers['page-base']).toBeNull();
      expect(settings).not.toHaveProperty('UPSTREAM_PAGE_BASE');
    }
  });

  test.each([0, 1] as const)(
    'is recognised while transactions arrive (page base %i)',
    async (pageBase) => {
      bank.configure({ pageBase, belowBase: 'clamp', outOfRange: 'clamp' });
      const accountId = statementOf(holderOf(bank, 'PERSON'));
      bank.setStatement(accountId, 300);
      bank.onStatementRead({ accountId, arrivals: 1, skip: 3, times: 9 });
      expect((await diagnose({ accountId })).answers).toMatchObject({
        'page-base': `${pageBase}`,
        'start-date': 'inclusive',
        'end-date': 'inclusive',
      });
    },
  );
});

describe('the meaning of dates', () => {
  test.each(['inclusive', 'exclusive'] as const)(
    'is recognised if endDate is %s',
    async (endDate) => {
      bank.configure({ endDate });
      expect((await diagnose()).answers).toMatchObject({
        'start-date': 'inclusive',
        'end-date': endDate,
        'day-start': 'UTC',
      });
    },
  );

  test('stays undetermined if all transactions are from one day', async () => {
    const accountId = statementOf(holderOf(bank, 'PERSON'));
    bank.setStatement(accountId, 300, { newest: '2026-06-10T23:00:00.000Z', gapMs: 1000 });
    expect((await diagnose({ accountId })).answers).toMatchObject({
      'start-date': null,
      'end-date': null,
    });
  });

  test('stays undetermined if no page is valid', async () => {
    answerWith(bank, { route: 'transactions' }, '{"data": [], "pagination": null}');
    const { answers } = await diagnose();
    expect(answers).toMatchObject({
      statement: null,
      violations: '/transactions /pagination (5 times)',
    });
    expect(answers).not.toHaveProperty('start-date');
  });
});

describe('the order of rows', () => {
  test.each([
    ['stable', 'yes'],
    ['shuffled', 'no'],
  ] as const)('is recognised if ties have a %s order', async (tieOrder, answer) => {
    bank.configure({ tieOrder });
    const accountId = statementOf(holderOf(bank, 'PERSON'));
    bank.setStatement(accountId, 300, { tieSizes: [1, 2] });
    const { answers } = await diagnose({ accountId });
    expect(answers).toMatchObject({ order: 'newest first', ties: answer });
  });

  test('stays undetermined among ties if the statement has no ties', async () => {
    expect((await diagnose()).answers['ties']).toBeNull();
  });
});

describe('in profiles', () => {
  test.each([
    ['PERSON', 403],
    ['PERSON', 404],
    ['COMPANY', 403],
    ['COMPANY', 404],
  ] as const)(
    'a holder of kind %s is recognised if the endpoint of the other kind answers %i',
    async (kind, wrongKind) => {
      bank.configure({ wrongKind });
      const { answers } = await diagnose({ kind });
      expect(answers).toMatchObject({
        'holder-kind': kind === 'PERSON' ? 'a person' : 'a company',
        'wrong-profile-status': `${wrongKind}`,
      });
    },
  );

  test('accounts without a usable id are not called absent', async () => {
    answerWith(bank, { route: 'persons' }, '{"person": {}, "accounts": [{"id": "acc-1"}, null]}');
    const { findings } = await diagnose();
    expect(findings.find(({ id }) => id === 'statement')).toMatchObject({
      answer: null,
      seen: 'no account has a usable id: see violations',
    });
  });

  test('undocumented fields and values are listed, but strings that may be personal data are not shown', async () => {
    const secret = 'Maria da Silva';
    const profile = {
      person: { id: 'p', name: secret, status: 'FROZEN', nickname: secret, hasPin: secret },
      individual: { id: 'i', documentType: secret },
      address: null,
      accounts: [{ id: statementOf(holderOf(bank, 'PERSON')), status: 'APPROVED', [secret]: 1 }],
    };
    answerWith(bank, { route: 'persons' }, JSON.stringify(profile));
    const checkup = await diagnose();
    expect(checkup.answers).toMatchObject({
      'unknown-fields': '/persons accounts[].(a name not shown), /persons person.nickname',
      'unknown-values': 'holder.status FROZEN, individual.documentType (another text)',
      violations: '/persons /person/hasPin (1 time)',
    });
    expect(tableOf(checkup)).not.toContain(secret);
    expect(JSON.stringify(checkup)).not.toContain(secret);
  });
});

/**
 * Starts a proxy that sends the bank's bodies as `encode` returns them, with the status that `statusOf` returns, if any;
 * returns its address.
 */
async function proxyOf(
  encode: (text: string) => Buffer,
  type: string,
  statusOf: (target: string) => number | undefined = () => undefined,
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

describe('an answer that the gateway rejects as a whole is a violation', () => {
  const json = 'application/json';
  test.each([
    [
      'invalid UTF-8',
      (text: string) => Buffer.from(text.replace('":"', '":"\xe9'), 'latin1'),
      json,
    ],
    ['a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`), json],
    ['another media type', (text: string) => Buffer.from(text), 'text/plain'],
    ['another charset', (text: string) => Buffer.from(text), `${json}; charset=iso-8859-1`],
  ])('if it has %s', async (_, encode, type) => {
    const { answers } = await diagnose({ url: await proxyOf(encode, type) });
    expect(answers['violations']).toMatch(/^\/persons .+ \(1 time\)$/);
    expect(answers).toMatchObject({ 'holder-kind': 'a person', statement: null });
  });

  test('if it is compressed', async () => {
    bank.addFault({ kind: 'encoding' });
    expect((await diagnose()).answers['violations']).toContain(
      '/persons (content type or encoding: application/json, gzip) (1 time)',
    );
  });

  test('if it has a content type that is not shown', async () => {
    const type = 'text/plain; name="Maria da Silva"';
    const { answers } = await diagnose({ url: await proxyOf((text) => Buffer.from(text), type) });
    expect(answers['violations']).toBe('/persons (content type or encoding) (1 time)');
  });
});

describe('a wrong --url, --token or --tenant', () => {
  const isUnusable = ', but no usable holder: see violations, and check --url';
  const isMoved = ': the gateway does not follow redirects: check --url';
  const page = () => Buffer.from('<!doctype html><title>Sign in</title>');

  test.each([
    [200, 'text/html; charset=utf-8', isUnusable],
    [200, 'application/json', isUnusable],
    [302, 'text/html', isMoved],
    [400, 'application/json', ': check --token and --tenant'],
    [401, 'application/json', ': check --token and --tenant'],
    [403, 'application/json', ': check --token and --tenant'],
    [404, 'text/html', ': check the path of --url'],
    [500, 'text/html', ''],
  ])('is suspected if every answer is %i, %s, and proves nothing', async (status, type, advice) => {
    const url = await proxyOf(page, type, () => status);
    const { findings, answers, settings } = await diagnose({ url });
    expect(findings.find(({ id }) => id === 'holder-kind')).toMatchObject({
      answer: null,
      seen: `/persons: ${status}, /companies: ${status}${advice}`,
    });
    const refusals = ['no-token', 'no-tenant', 'no-content-type', 'unknown-account'];
    expect(refusals.map((id) => answers[id])).toEqual([null, null, null, null]);
    expect(answers['entity-type-claim']).toBeNull();
    expect(settings).not.toHaveProperty('UPSTREAM_URL');
    expect(settings).not.toHaveProperty('JWT_ENTITY_TYPE_CLAIM');
  });
});

test('the holder is of the kind whose profile is usable if both endpoints answer 200', async () => {
  const url = await proxyOf(
    (text) => Buffer.from(text),
    'application/json',
    (target) => (target === '/persons' ? 200 : undefined),
  );
  const { findings, answers } = await diagnose({ url, kind: 'COMPANY' });
  expect(findings.find(({ id }) => id === 'wrong-profile-status')).toMatchObject({
    answer: '200',
    seen: 'the gateway does not try the other one: it needs JWT_ENTITY_TYPE_CLAIM',
  });
  expect(answers['holder-kind']).toBe('a company');
});

describe('differences from the API description', () => {
  const differences = ['unknown-fields', 'missing-fields', 'unknown-values', 'violations'];

  test.each([302, 401, 403, 404, 500])('are unknown if all answers are %i', async (status) => {
    bank.addFault({ kind: 'status', status });
    const { findings } = await diagnose();
    const found = findings.filter(({ id }) => differences.includes(id));
    expect(found.map(({ answer, seen }) => [answer, seen])).toEqual(
      differences.map(() => [null, 'no answer could be read']),
    );
  });

  test('include the names of renamed fields without which an answer cannot be used', async () => {
    const pagination = { total_items: 0, current_page: 0, items_per_page: 20 };
    const body = JSON.stringify({ data: [], pagination });
    answerWith(bank, { route: 'transactions' }, body);
    const { answers, findings } = await diagnose();
    expect(answers['unknown-fields']).toContain('/transactions pagination.total_items');
    expect(answers['missing-fields']).toContain('/transactions pagination.totalItems');
    expect(findings.find(({ id }) => id === 'statement')?.seen).toBe(
      'answers to statements: status 200, but not usable: see violations',
    );
  });
});

describe('an answer that says nothing about the service', () => {
  test('is an unknown answer if the service still answers 429 after all attempts', async () => {
    bank.addFault({ kind: 'status', status: 429, retryAfter: 1, match: { route: 'companies' } });
    bank.addFault({
      kind: 'status',
      status: 429,
      retryAfter: 1,
      match: { route: 'transactions', page: -1 },
    });
    const { findings } = await diagnose();
    for (const name of ['wrong-profile-status', 'page-below']) {
      expect(findings.find(({ id }) => id === name)).toMatchObject({
        answer: null,
        seen: 'status 429',
      });
    }
  });

  test('is an unknown answer if the service closes the connection', async () => {
    bank.addFault({ kind: 'reset', match: { route: 'transactions', page: -1 } });
    const { answers, findings } = await diagnose();
    expect(answers['page-base']).toBe('0');
    expect(findings.find(({ id }) => id === 'page-below')).toMatchObject({
      answer: null,
      seen: 'no answer',
    });
  });
});

describe('the doctor', () => {
  test('warns if the service accepts requests without a token', async () => {
    const server = await proxyOf(
      (text) => Buffer.from(text),
      'application/json',
      (target) => (target === '/persons' ? 200 : undefined),
    );
    const { findings } = await diagnose({ url: server });
    expect(findings.find(({ id }) => id === 'no-token')).toMatchObject({
      answer: '200',
      seen: 'warning: the service accepts requests without a token',
    });
  });

  test.each([
    [404, 'page=5'],
    [422, 'page=5'],
    [500, 'page=5; a slice that reads it fails'],
  ])('says if the status %i after the last page fails a slice', async (status, seen) => {
    bank.addFault({ kind: 'status', status, match: { route: 'transactions', page: 5 } });
    const { findings } = await diagnose({ accountId: statementOf(holderOf(bank, 'PERSON')) });
    expect(findings.find(({ id }) => id === 'page-beyond')).toMatchObject({
      answer: `status ${status}`,
      seen,
    });
  });

  test('recognises claims by their values', async () => {
    const { id, tenant } = holderOf(bank, 'COMPANY');
    const claims = { entityType: undefined, tenant: undefined, kind: 'COMPANY', realm: tenant };
    const token = await bank.tokenFor({ id, tenant }, claims);
    const asked = { url: bank.url, token, tenant, accountId: null, timeoutMs: 5000 };
    expect((await examine(asked)).settings).toMatchObject({
      JWT_ENTITY_TYPE_CLAIM: 'kind',
      JWT_TENANT_CLAIM: 'realm',
      JWT_ALGORITHMS: 'RS256',
    });
  });

  test('reports the statuses of rejected requests', async () => {
    expect((await diagnose()).answers).toMatchObject({
      'no-token': '401',
      'no-tenant': '400',
      'no-content-type': '415',
      'unknown-account': '404',
    });
    bank.configure({ requireContentType: false });
    expect((await diagnose()).answers['no-content-type']).toBe('200');
  });

  test.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN, not NOT_FOUND'],
    [404, 'NOT_FOUND'],
    [410, 'UPSTREAM_REJECTED'],
    [500, 'UPSTREAM_UNAVAILABLE'],
    [204, 'UPSTREAM_CONTRACT_VIOLATION'],
  ])('reports the error for an unknown account if its status is %i', async (status, code) => {
    const ids = new Set(bank.holders.flatMap(({ accounts }) => accounts));
    const server = await proxyOf(
      (text) => Buffer.from(text),
      'application/json',
      (target) => {
        const id = /^\/accounts\/([^/]+)/.exec(target)?.[1];
        return id === undefined || ids.has(id) ? undefined : status;
      },
    );
    const { findings } = await diagnose({ url: server });
    expect(findings.find(({ id }) => id === 'unknown-account')).toMatchObject({
      answer: `${status}`,
      seen: `clients see ${code}`,
    });
  });

  test('does not say that the holder has no account if no profile could be read', async () => {
    bank.addFault({ kind: 'status', status: 401 });
    const { findings } = await diagnose();
    expect(findings.find(({ id }) => id === 'statement')).toMatchObject({
      answer: null,
      seen: 'the accounts could not be read: choose an --account',
    });
  });

  test('does not recommend a claim of the token that contradicts the holder’s kind', async () => {
    const { id, tenant } = holderOf(bank, 'COMPANY');
    const token = await bank.tokenFor(
      { id, tenant },
      { entityType: undefined, userType: 'PERSON' },
    );
    const asked = { url: bank.url, token, tenant, accountId: null, timeoutMs: 5000 };
    expect((await examine(asked)).settings).not.toHaveProperty('JWT_ENTITY_TYPE_CLAIM');
  });

  test('survives lists that are nested deeply', async () => {
    bank.addFault({ kind: 'nested', depth: 20_000, pointer: '/accounts' });
    expect((await diagnose()).answers['violations']).toContain('/persons /accounts');
  });

  test('reports the page size, which is read from itemsPerPage and counted on full pages', async () => {
    bank.configure({ pageSize: 13 });
    expect((await diagnose()).findings.find(({ id }) => id === 'page-size')).toMatchObject({
      answer: '13',
      seen: 'itemsPerPage, and counted on 4 full pages',
    });
  });

  test('recommends longer timeouts for a slow service', async () => {
    bank.addFault({ kind: 'delay', delayMs: 1600, times: 1 });
    const { UPSTREAM_TIMEOUT_MS, OPERATION_TIMEOUT_MS } = (await diagnose()).settings;
    expect(Number(UPSTREAM_TIMEOUT_MS)).toBeGreaterThanOrEqual(7000);
    expect(Number(OPERATION_TIMEOUT_MS)).toBe(2 * Number(UPSTREAM_TIMEOUT_MS));
  });

  test('sends only GET requests, and retries a request that was rejected with Retry-After', async () => {
    bank.addFault({ kind: 'status', status: 429, retryAfter: 1, times: 1 });
    expect((await diagnose()).answers['page-base']).toBe('0');
    expect(new Set(bank.calls().map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test('retries a rejected request only after the date of Retry-After', async () => {
    const at = new Date(Date.now() + 3000);
    bank.addFault({ kind: 'status', status: 429, retryAfter: at.toUTCString(), times: 1 });
    await diagnose();
    const [, retry] = bank.calls();
    expect(retry?.startedAtMs).toBeGreaterThanOrEqual(at.setMilliseconds(0));
  });
});

test('docs/doctor.md shows rows of a real report', async () => {
  const service = { pageBase: 1, outOfRange: 'clamp', belowBase: 'clamp', wrongKind: 404 } as const;
  const accountId = statementOf(holderOf(bank, 'PERSON'));
  bank.configure({ ...service, currentPage: 'echo', endDate: 'exclusive', tieOrder: 'shuffled' });
  bank.setStatement(accountId, 300, { tieSizes: [2, 3] });
  // The width of the second column depends on the duration of the answers.
  const cellsOf = (text = '') => text.split('\n').map((line) => line.split(/ {2,}/));
  const report = cellsOf(tableOf(await diagnose({ accountId })));
  const page = await readFile(new URL('../../docs/doctor.md', import.meta.url), 'utf8');
  const sample = cellsOf(/```\n(question[^]+?)\n```/.exec(page)?.[1]);
  expect(sample).toHaveLength(10);
  expect(report).toEqual(expect.arrayContaining(sample));
});

describe('npm run doctor', () => {
  const run = promisify(execFile);
  const doctor = (...args: string[]) => run(process.execPath, ['src/cli.ts', 'doctor', ...args]);

  test('prints a table or JSON, without the token, the holder’s name, or the ids of the holder and the accounts', async () => {
    const { id, tenant, name, accounts } = holderOf(bank, 'PERSON');
    const token = await bank.tokenFor({ id, tenant });
    const args = ['--url', bank.url, '--token', token, '--tenant', tenant];
    const [table, json] = await Promise.all([doctor(...args), doctor(...args, '--json')]);
    expect(table.stdout).toMatch(/^What is the number of the first page\? +0 +page=1 continues/m);
    expect(table.stdout).toMatch(/^UPSTREAM_PAGE_BASE=0$/m);
    const { settings } = JSON.parse(json.stdout) as { settings: Record<string, string> };
    expect(settings).toMatchObject({ UPSTREAM_URL: bank.url, UPSTREAM_PAGE_BASE: '0' });
    for (const { stdout, stderr } of [table, json]) {
      expect(stderr).toBe('');
      for (const text of [id, token, name, ...accounts]) expect(stdout).not.toContain(text);
    }
  });

  test('prints its usage for --help', async () => {
    const { stdout, stderr } = await doctor('--help');
    expect(stdout).toMatch(/^Usage: account-bff doctor/);
    expect(stderr).toBe('');
  });

  test.each([
    [['--url', 'ftp://x', '--token', 't', '--tenant', 'x'], '--url must start', 2],
    [['--url', 'http:///x', '--token', 't', '--tenant', 'x'], '--url must start', 2],
    [['--url', 'http://127.0.0.1:1', '--tenant', 'x'], '--token and --tenant', 2],
    [['--nonsense'], '--nonsense', 2],
    [['--url', 'http://127.0.0.1:1', '--token', 'a\nb', '--tenant', 'x'], 'visible ASCII', 2],
    [['--url', 'http://127.0.0.1:1', '--token', 't', '--tenant', 'x\u20ac'], 'visible ASCII', 2],
    [['--url', 'HTTP://127.0.0.1:1', '--token', 't', '--tenant', 'x'], 'ECONNREFUSED', 1],
  ])('fails with an error message for the arguments %j', async (args, message, code) => {
    const failure: unknown = await doctor(...args).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, stdout: '' });
    expect((failure as { stderr: string }).stderr).toContain(message);
  });

  test.each([
    ['', '--token and --tenant', 2],
    [' \n', '--token and --tenant', 2],
    ['a\nb\n', 'visible ASCII', 2],
    ['t\u20ac', 'visible ASCII', 2],
    [' t\n', 'ECONNREFUSED', 1],
  ])(
    'fails with an error message for the token %j on standard input',
    async (input, message, code) => {
      const running = doctor('--url', 'http://127.0.0.1:1', '--token', '-', '--tenant', 'x');
      running.child.stdin?.end(input);
      const failure: unknown = await running.catch((error: unknown) => error);
      expect(failure).toMatchObject({ code, stdout: '' });
      expect((failure as { stderr: string }).stderr).toContain(message);
    },
  );
});
