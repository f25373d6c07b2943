// Measures the cost of the same operations in other forms: with variables, by hash, and with escapes in the service's
// answers.
import { createHash } from 'node:crypto';
import { requestOf } from '../contenders.ts';
import { type Fixture, takeFixture } from '../fixture.ts';
import { median } from '../median.ts';
import { documentOf, type WorkloadName, workloads } from '../workloads.ts';
import type { Ask } from '../wrk.ts';
import { costOf, openSite, type Site, withLength } from './loads.ts';

export interface FormRow {
  readonly form: Form;
  readonly workload: WorkloadName;
  /** The median of the rounds. */
  readonly cpuMicros: number;
  /** The median of the ratios to the first form in each round. */
  readonly ratio: number;
}

/**
 * The forms of an operation: with literals, with variables instead of literals, with a hash instead of the operation
 * text, and with escapes in the service's answers.
 */
const forms = ['literals', 'variables', 'hash', 'escapes'] as const;
type Form = (typeof forms)[number];

interface Course {
  readonly form: Form;
  readonly site: Site;
  readonly ask: Ask;
  readonly cpuMicros: number[];
}

/** Measures the forms in `times` rounds; in each round, one form after another for `seconds` each. */
export async function compareForms(times = 5, seconds = 3): Promise<FormRow[]> {
  const fixture = await takeFixture();
  await using plain = await openSite(fixture);
  await using escaping = await openSite(escaped(fixture));
  const rows: FormRow[] = [];
  for (const { name } of workloads) {
    const courses: Course[] = [];
    for (const form of forms) {
      const site = form === 'escapes' ? escaping : plain;
      const ask = await formed(form, site, name, fixture);
      // A warm-up, in which V8 compiles the hot code.
      await costOf(site, ask, { connections: 64, seconds: 4 });
      courses.push({ form, site, ask, cpuMicros: [] });
    }
    for (let round = 0; round < times; round++) {
      for (const { site, ask, cpuMicros } of courses) {
        cpuMicros.push((await costOf(site, ask, { connections: 64, seconds })).cpuMicros);
      }
    }
    const base = courses[0]?.cpuMicros ?? [];
    for (const { form, cpuMicros } of courses) {
      const ratios = cpuMicros.map((micros, round) => micros / (base[round] ?? NaN));
      const row = { form, workload: name, cpuMicros: median(cpuMicros), ratio: median(ratios) };
      rows.push(row);
      console.log(row);
    }
  }
  return rows;
}

/** The service's answers with every non-ASCII character escaped. Many JSON encoders do so. */
function escaped(fixture: Fixture): Fixture {
  const escape = (text: string) =>
    text.replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const answers = [...fixture.answers].map(([path, text]) => [path, escape(text)] as const);
  return { ...fixture, answers: new Map(answers) };
}

async function formed(
  form: Form,
  { running }: Site,
  workload: WorkloadName,
  fixture: Fixture,
): Promise<Ask> {
  const request = requestOf(running, workload, fixture);
  if (form === 'literals') return withLength(request);
  if (form === 'escapes') {
    // The first answer comes from graphql-js; the following ones contain the service's escapes, so their length
    // differs.
    await withLength(request);
    return withLength(request);
  }
  const { query, variables } = withVariables(workload, fixture);
  const whole = await withLength({ ...request, body: JSON.stringify({ query, variables }) });
  if (form === 'variables') return whole;
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  await withLength({ ...request, body: JSON.stringify({ query, variables, extensions }) });
  return withLength({ ...request, body: JSON.stringify({ variables, extensions }) });
}

/**
 * The operation text of a workload with variables as its arguments, as clients send it, and the values of the
 * variables.
 */
function withVariables(workload: WorkloadName, { accounts: [accountId = ''] }: Fixture) {
  const literal = documentOf('contract', workload, accountId);
  const first = Number(/first: (\d+)/.exec(literal)?.[1] ?? 0);
  const query = literal
    .replace(`"${accountId}"`, '$accountId')
    .replace(/first: \d+/, 'first: $first');
  const declared = {
    ...(query.includes('$accountId') && { accountId: 'ID!' }),
    ...(query.includes('$first') && { first: 'Int' }),
  };
  const definitions = Object.entries(declared).map(([name, type]) => `$${name}: ${type}`);
  const head = definitions.length === 0 ? 'query Bench' : `query Bench(${definitions.join(', ')})`;
  const values = { accountId, first };
  const variables = Object.fromEntries(
    Object.keys(declared).map((name) => [name, values[name as keyof typeof values]]),
  );
  return { query: query.replace('query Bench', head), variables };
}
