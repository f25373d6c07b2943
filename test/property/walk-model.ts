// Sets up a bank and a gateway for each file of walk tests, generates and runs walks, and checks their results.
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { BankOptions } from '../../src/sandbox/bank.ts';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { firstHolder } from '../support/query.ts';
import { createWalker, SliceError, type Walker, type WalkedSlice } from '../support/walker.ts';

/** A walk to run: the statement, the behaviour of the service, the direction, the slice sizes, and the changes. */
export interface Plan {
  readonly rows: number;
  readonly pageSize: number;
  readonly tieSizes: readonly number[];
  /** Whether the service shuffles ties at each read. */
  readonly tieOrder: 'stable' | 'shuffled';
  /** The answer of the service beyond its last page. */
  readonly outOfRange: 'empty' | 'clamp' | '404';
  /** Whether the walk uses `first`/`after`; otherwise `last`/`before`. */
  readonly isForward: boolean;
  /** Slice sizes, repeated in a cycle. */
  readonly counts: readonly number[];
  /** Changes after each slice and at each read, repeated in a cycle. */
  readonly between: readonly Change[];
  readonly during: readonly Change[];
}

/** The changes to a statement at one moment. */
export interface Change {
  readonly arrivals?: number;
  readonly removals?: number;
  readonly latePostings?: number;
  readonly pageSize?: number;
}

/** Generators for the parts of plans that a property restricts. */
type Parts = { readonly [K in keyof Plan]?: fc.Arbitrary<Plan[K]> };

const none = fc.constant<readonly Change[]>([]);

/** Plans of mostly small statements: 0 to 300 rows and slices of 1 to 100, so that a walk is short. */
export function plans(parts: Parts = {}): fc.Arbitrary<Plan> {
  const rows = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 140 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 300 }) },
  );
  return fc
    .record<Plan>({
      rows,
      pageSize: fc.constantFrom(7, 10, 20, 50),
      tieSizes: fc.constant([1]),
      tieOrder: fc.constant('stable'),
      outOfRange: fc.constantFrom('empty', 'clamp', '404'),
      isForward: fc.boolean(),
      counts: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 }),
      between: none,
      during: none,
      ...parts,
    })
    .map((plan) => ({ ...plan, counts: plan.counts.map((n) => Math.max(n, plan.rows >> 3)) }));
}

/** Changes at up to four moments; `most` has the maximum of each kind of change. */
export function changes(most: Change): fc.Arbitrary<readonly Change[]> {
  const moment = Object.fromEntries(
    Object.entries(most as Record<string, number>).map(([key, max]) => [key, fc.nat(max)]),
  );
  return fc.array(fc.record(moment), { minLength: 1, maxLength: 4 });
}

export interface Walk {
  readonly ids: readonly string[];
  readonly slices: readonly WalkedSlice[];
  /** The ids of the statement at the start of the walk (`initial`) and at its end (`left`). */
  readonly initial: readonly string[];
  readonly left: ReadonlySet<string>;
  /** Whether the walk ended with CURSOR_EXPIRED. */
  readonly expired: boolean;
  /** Whether the service keeps the order of its rows, including ties. */
  readonly isOrdered: boolean;
}

interface Site {
  readonly gateway: TestGateway;
  readonly walker: Walker;
  readonly accountId: string;
}

/**
 * Changes between slices stop after this many slices, and changes during reads after four times as many reads, so that
 * a walk to newer rows can reach the head.
 */
const maxChanges = 30;

/**
 * Starts a gateway with a bank before the tests, and closes both after the tests. The returned function runs a walk.
 */
export function useWalks(
  env: Readonly<Record<string, string>> = {},
  bank: BankOptions = {},
): (plan: Plan) => Promise<Walk> {
  let site: Site | undefined;
  beforeAll(async () => {
    const gateway = await startTestGateway(env, { bank });
    const { id, tenant } = firstHolder(gateway.bank);
    const accountId = gateway.bank.addAccount(id, { tenant, transactions: 0 });
    site = { gateway, walker: await createWalker(gateway), accountId };
  });
  afterAll(async () => {
    await site?.walker[Symbol.asyncDispose]();
    await site?.gateway.close();
  });
  return (plan) => {
    if (site === undefined) throw new Error('the gateway is not there yet');
    return walk(site, plan);
  };
}

async function walk({ gateway: { bank }, walker, accountId }: Site, plan: Plan): Promise<Walk> {
  const { pageSize, tieOrder, outOfRange } = plan;
  bank.configure({ pageSize, tieOrder, outOfRange }, accountId);
  bank.setStatement(accountId, plan.rows, { tieSizes: plan.tieSizes });
  const initial = idsOf(bank, accountId);
  const during = inTurn(plan.during);
  const hook = bank.onStatementRead({ accountId, run: () => change(bank, accountId, during()) });
  const slices: WalkedSlice[] = [];
  let expired = false;
  try {
    await walkOn(plan, slices, (args) => walker.slice(accountId, args), between);
  } catch (error) {
    if (!(error instanceof SliceError && error.code === 'CURSOR_EXPIRED')) throw error;
    expired = true;
  } finally {
    hook[Symbol.dispose]();
  }
  const ordered = plan.isForward ? slices : slices.toReversed();
  const ids = ordered.flatMap((slice) => slice.ids);
  return {
    ids,
    slices,
    initial,
    left: new Set(idsOf(bank, accountId)),
    expired,
    isOrdered: tieOrder === 'stable',
  };

  function between(step: number): void {
    if (step < maxChanges) change(bank, accountId, plan.between[step % plan.between.length]);
  }
}

async function walkOn(
  plan: Plan,
  slices: WalkedSlice[],
  read: (args: object) => Promise<WalkedSlice>,
  between: (step: number) => void,
): Promise<void> {
  let cursor: string | null = null;
  for (let step = 0; ; step++) {
    const count = plan.counts[step % plan.counts.length] ?? 1;
    const args = plan.isForward ? { first: count, after: cursor } : { last: count, before: cursor };
    const slice = await read(args);
    slices.push(slice);
    const next = plan.isForward ? slice.hasNextPage : slice.hasPreviousPage;
    cursor = (plan.isForward ? slice.endCursor : slice.startCursor) ?? cursor;
    if (!next) return;
    expect(slice.ids.length, 'a slice before the last is not empty').toBeGreaterThan(0);
    between(step);
  }
}

function inTurn(moments: readonly Change[]): () => Change | undefined {
  let moment = 0;
  return () => (moment < maxChanges * 4 ? moments[moment++ % moments.length] : undefined);
}

function change(bank: Bank, accountId: string, moment: Change = {}): void {
  const { arrivals = 0, removals = 0, latePostings = 0, pageSize } = moment;
  if (removals > 0) bank.remove(accountId, { random: removals });
  if (latePostings > 0) bank.postLate(accountId, latePostings);
  if (arrivals > 0) bank.arrive(accountId, arrivals);
  if (pageSize !== undefined) bank.configure({ pageSize }, accountId);
}

function idsOf(bank: Bank, accountId: string): string[] {
  return bank.statement(accountId).map(({ id }) => id);
}

/** Like expectEachOnce, but a walk may end with CURSOR_EXPIRED if the last returned row was removed. */
export function expectEachOnceOrExpired(walked: Walk, { isForward }: Plan): void {
  if (!walked.expired) {
    expectEachOnce(walked);
    return;
  }
  expect(new Set(walked.ids).size, 'no transaction twice').toBe(walked.ids.length);
  const last = walked.ids.at(isForward ? -1 : 0) ?? '';
  expect(walked.left.has(last), 'the row of the cursor that expired').toBe(false);
}

/**
 * Expects what docs/paging.md promises: all rows that existed when the walk began and were not removed, once each, and
 * in order unless the service shuffles ties.
 */
export function expectEachOnce({ ids, initial, left, isOrdered }: Walk): void {
  expect(new Set(ids).size, 'no transaction twice').toBe(ids.length);
  const given = new Set(ids);
  const missing = initial.filter((id) => left.has(id) && !given.has(id));
  expect(missing, 'none left out').toEqual([]);
  const places = new Map(initial.map((id, place) => [id, place]));
  const order = ids.flatMap((id) => places.get(id) ?? []);
  const inOrder = isOrdered ? order.toSorted((a, b) => a - b) : order;
  expect(order, "the service's order").toEqual(inOrder);
}
