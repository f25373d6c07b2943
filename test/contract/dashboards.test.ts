// The dashboard, the alert rules and docs/observability.md, checked against the metrics of a running gateway.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorKinds } from '../../src/errors.ts';
import { holderOf } from '../support/bank.ts';
import { createAuthority } from '../support/certificates.ts';
import { deprecating } from '../support/deprecated.ts';
import { type Exposition, scrape } from '../support/exposition.ts';
import { startTestGateway } from '../support/gateway.ts';
import { readPromQL } from '../support/promql.ts';
import { query } from '../support/query.ts';

const run = promisify(execFile);
const folder = new URL('../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** A scrape in which every metric that the dashboard, the rules or the documentation uses has a sample. */
let exposition: Exposition;
beforeAll(async () => {
  using authority = createAuthority();
  const env = { UPSTREAM_CA: authority.ca };
  await using gateway = await startTestGateway(env, { schema: deprecating('Person.name') });
  const { bank } = gateway;
  const [account = ''] = holderOf(bank, 'PERSON').accounts;
  bank.arrive(account, 1, { type: 'NEW' });
  const document =
    'query ($id: ID!) { me { ... on Person { name } } transactions(accountId: $id) { totalCount } }';
  await query(gateway, document, { variables: { id: account } });
  bank.addFault({ kind: 'status', status: 400, body: '{}' });
  await query(gateway, document, { variables: { id: account } });
  do exposition = await scrape(gateway);
  while (!hasCollectedGarbage(exposition));
});

/**
 * Whether the metrics include a garbage collection. Node.js reports collections with a delay, and repeated scrapes
 * cause collections.
 */
function hasCollectedGarbage({ metrics, total }: Exposition): boolean {
  return metrics.has('nodejs_gc_duration_seconds') && total('nodejs_gc_duration_seconds_count') > 0;
}

/** The names of the labels of a metric's samples; undefined if it has no samples. */
function labelsOf(metric: string): Set<string> | undefined {
  const found = exposition.samples.filter(({ name }) => name === metric);
  if (found.length === 0) return undefined;
  return new Set(found.flatMap(({ labels }) => Object.keys(labels)));
}

/** Prometheus adds these labels to every sample that it scrapes. */
const scraped = ['job', 'instance'];

const codes = [...Object.keys(errorKinds), 'OK', 'CLIENT_GONE'];

/** Expects that an expression uses only metrics, labels and error codes that exist. */
function check(expression: string): void {
  const { selectors, grouping } = readPromQL(expression);
  const known = new Set([
    ...scraped,
    ...selectors.flatMap(({ metric }) => [...(labelsOf(metric) ?? [])]),
  ]);
  for (const { metric, matchers } of selectors) {
    const labels = labelsOf(metric);
    expect(labels, `${metric} in ${expression}`).toBeDefined();
    for (const name of matchers.keys()) expect([...scraped, ...(labels ?? [])]).toContain(name);
    for (const code of alternatives(matchers.get('code'))) {
      expect(
        codes.some((one) => new RegExp(`^(?:${code})$`).test(one)),
        code,
      ).toBe(true);
    }
  }
  for (const label of grouping) expect([...known], expression).toContain(label);
}

function alternatives(pattern: string | undefined): string[] {
  return pattern === undefined ? [] : pattern.split('|');
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Variable {
  readonly name: string;
  readonly query: unknown;
  readonly allValue?: string;
}

const dashboard = JSON.parse(read('deploy/grafana/dashboard.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

/** Replaces Grafana's variable with a duration, as Grafana does. */
function withoutVariables(expression: string): string {
  return expression.replaceAll('$__rate_interval', '5m');
}

describe('the dashboard', () => {
  test.each(panels.map((panel) => [panel.title, panel] as const))(
    'uses only metrics and labels that exist: %s',
    (_title, { targets }) => {
      expect(targets?.length).toBeGreaterThan(0);
      for (const { expr } of targets ?? []) check(withoutVariables(expr));
    },
  );

  test('shows no other services under "All", although they may have metrics of the same names', () => {
    const { list } = dashboard.templating;
    const chosen = list.filter(({ name }) => name === 'job' || name === 'instance');
    expect(chosen).toHaveLength(2);
    for (const variable of chosen) {
      expect(JSON.stringify(variable.query)).toContain('label_values(account_bff_build_info');
      // Without an allValue, Grafana expands All to the listed values.
      expect(variable.allValue).toBeUndefined();
    }
  });

  test('shows every metric of the gateway', () => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const shown = expressions.join('\n');
    for (const name of ownMetrics()) expect(shown).toContain(name);
  });
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}

const alerts = parse(read('deploy/prometheus/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = alerts.groups.flatMap((group) => group.rules);

describe('the alert rules', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    'use only metrics and labels that exist: %s',
    (_name, { expr, labels }) => {
      check(expr);
      expect(['page', 'ticket', 'info']).toContain(labels.severity);
    },
  );

  test('are those that docs/observability.md lists', () => {
    const documented = [...docs.matchAll(/^\| `(AccountBff\w+)` +\|/gm)].map(([, name]) => name);
    expect(documented).toEqual(rules.map(({ alert }) => alert));
  });

  test('pass their unit tests (if promtool is installed)', async ({ skip }) => {
    skip(!(await hasPromtool()), noPromtool);
    const options = { cwd: new URL('deploy/prometheus/', folder) };
    await run('promtool', ['check', 'rules', 'alerts.yaml'], options);
    await run('promtool', ['test', 'rules', 'alerts.test.yaml'], options);
  });
});

const noPromtool = "promtool is in Debian's package prometheus";

async function hasPromtool(): Promise<boolean> {
  return run('promtool', ['--version']).then(
    () => true,
    () => false,
  );
}

describe('the query of docs/retiring-a-field.md', () => {
  const [, expr = ''] = /```promql\n([^]+?)```/.exec(read('docs/retiring-a-field.md')) ?? [];
  const labels = 'coordinate="Account.agency",client="ios",version="4.2.0"';
  const series = `account_bff_deprecated_uses_total{job="bff",instance="a",${labels}}`;

  test('uses only metrics and labels that exist', () => {
    check(expr);
  });

  // Samples are an hour apart; the query is evaluated after 40 days.
  test.for<[string, string, number | null]>([
    [
      'finds a use after a restart, although the count is as before',
      '1x479 stale _x240 0x99 1x200',
      1,
    ],
    ['finds a use before the first scrape of a process', '_x720 1x240', 1],
    ['finds nothing if the last use was more than 30 days ago', '0x100 3x860', null],
    ['finds nothing if the process has restarted since the last use', '3x100 _x400 0x460', null],
    ['finds nothing if a process younger than 30 days saw no use', '_x720 0x240', null],
  ])('%s (if promtool is installed)', async ([, values, uses], { skip }) => {
    skip(!(await hasPromtool()), noPromtool);
    const samples = uses === null ? [] : [{ labels: `{${labels}}`, value: uses }];
    const file = join(mkdtempSync(join(tmpdir(), 'promtool-')), 'query.test.yaml');
    const query = { expr, eval_time: '960h', exp_samples: samples };
    const input_series = [{ series, values }];
    const one = { interval: '1h', input_series, promql_expr_test: [query] };
    writeFileSync(file, JSON.stringify({ evaluation_interval: '1h', tests: [one] }));
    await run('promtool', ['test', 'rules', file]);
  });
});

const docs = read('docs/observability.md');

function ownMetrics(): string[] {
  return [...exposition.metrics.keys()].filter((name) => name.startsWith('account_bff_'));
}

/** Labels of a metric, without those that a histogram adds. */
function ownLabels(metric: string): string[] {
  const labels = labelsOf(metric) ?? labelsOf(`${metric}_count`) ?? new Set();
  return [...labels];
}

describe('docs/observability.md', () => {
  test('has a row for each metric of the gateway, with its type and labels', () => {
    const row = /^\| `(account_bff_\w+)` +\| (\w+) +\| (.*?) +\|/gm;
    const documented = [...docs.matchAll(row)].map(([, name, type, labels]) => ({
      name,
      type,
      labels,
    }));
    const real = ownMetrics().map((name) => ({
      name,
      type: exposition.metrics.get(name)?.type,
      labels: ownLabels(name)
        .map((label) => `\`${label}\``)
        .join(', '),
    }));
    expect(documented).toEqual(real);
  });
});
