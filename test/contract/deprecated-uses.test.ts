// Uses of deprecated fields and arguments are counted by schema coordinate, client and client version.
import { expect, test } from 'vitest';
import { deprecating } from '../support/deprecated.ts';
import { scrape } from '../support/exposition.ts';
import { bankOfFile, gatewayOfTest } from '../support/fixtures.ts';
import { type TestGateway } from '../support/gateway.ts';
import { query } from '../support/query.ts';

const schema = deprecating('Account.balance', 'Person.email', 'Account.transactions(to:)');

const bank = await bankOfFile();

async function start(executor: string): Promise<TestGateway> {
  const env = { CLIENTS: 'web,ios@4.2.0', EXECUTOR: executor };
  return gatewayOfTest(env, { bank, schema });
}

/** The counts that are not 0, keyed by `coordinate client version`. */
async function uses(gateway: TestGateway): Promise<Record<string, number>> {
  const counts = Object.entries(await countsOf(gateway));
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

async function countsOf(gateway: TestGateway): Promise<Record<string, number>> {
  const { samples } = await scrape(gateway);
  return Object.fromEntries(
    samples
      .filter(({ name }) => name === 'account_bff_deprecated_uses_total')
      .map(({ labels, value }) => [
        ['coordinate', 'client', 'version'].map((label) => labels[label]).join(' '),
        value,
      ]),
  );
}

test('the counts of all deprecated fields and clients start at 0, because Prometheus sees no increase in a series that starts at 1', async () => {
  const counts = await countsOf(await start('compiled'));
  const clients = ['web other', 'web none', 'ios 4.2.0', 'ios other', 'ios none'];
  const fields = ['Person.email', 'Account.balance', 'Account.transactions(to:)'];
  expect(Object.keys(counts).sort()).toEqual(
    fields
      .flatMap((field) =>
        [...clients, 'other other', 'none none'].map((client) => `${field} ${client}`),
      )
      .sort(),
  );
  expect(new Set(Object.values(counts))).toEqual(new Set([0]));
});

const ios = { 'graphql-client-name': 'ios', 'graphql-client-version': '4.2.0' };

test.each(['compiled', 'graphql-js'])(
  'the executor "%s" counts one use of a deprecated field per operation, however many times the field is selected',
  async (executor) => {
    const gateway = await start(executor);
    const document = `query Mine { accounts { ...Line again: balance } }
      fragment Line on Account { id balance }`;
    for (let k = 0; k < 4; k++) await query(gateway, document, { headers: ios });
    await query(gateway, document);
    await query(gateway, '{ accounts { id bank } }', { headers: ios });
    expect(await uses(gateway)).toEqual({
      'Account.balance ios 4.2.0': 4,
      'Account.balance none none': 1,
    });
  },
);

test.each([
  ['{ me { ... on Person { email } } }', ['Person.email']],
  ['{ me { ... on AccountHolder { email } } }', ['Person.email']],
  ['{ me { ... on Company { email } } }', []],
  ['{ accounts { transactions(first: 1) { totalCount } } }', []],
  ['{ accounts { transactions(to: "2026-01-01") { totalCount } } }', ['Account.transactions(to:)']],
  ['query A { accounts { id } } query B { accounts { balance } }', []],
  ['query A { accounts { id } } fragment F on Account { balance }', []],
])(
  'the operation %s counts as a use of each of the coordinates %j',
  async (document, coordinates) => {
    const gateway = await start('compiled');
    const operationName = document.includes('query B') ? { operationName: 'A' } : {};
    await query(gateway, document, operationName);
    const expected = coordinates.map((coordinate) => [`${coordinate} none none`, 1]);
    expect(await uses(gateway)).toEqual(Object.fromEntries(expected));
  },
);

test('a rejected operation does not count as a use of a deprecated field', async () => {
  const gateway = await start('compiled');
  await query(gateway, '{ accounts { balance } }', { headers: { authorization: '' } });
  await query(gateway, '{ accounts { balance nonsense } }');
  expect(await uses(gateway)).toEqual({});
});
