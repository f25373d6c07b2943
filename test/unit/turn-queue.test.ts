// The queue of turns, with a simulated event loop: what runs at once, what waits, and for how long.
import { expect, test } from 'vitest';
import { TurnQueue } from '../../src/turn-queue.ts';

/** A queue of numbers, whose weights are the numbers, and a function that begins the next turn. */
function create(limit: number) {
  const turns: (() => void)[] = [];
  const ran: number[] = [];
  const queue = new TurnQueue<number>({
    limit,
    run: (weight) => {
      ran.push(weight);
      return weight;
    },
    nextTurn: (begin) => void turns.push(begin),
  });
  const turn = () => {
    for (const begin of turns.splice(0)) begin();
  };
  return { queue, ran, turn, turns };
}

test('items run at once until the turn is full, then in order in later turns', () => {
  const { queue, ran, turn, turns } = create(10);
  for (const weight of [4, 4, 30, 1, 9, 2]) queue.add(weight);
  expect([ran, queue.size]).toEqual([[4, 4, 30], 3]);
  turn();
  expect(ran.slice(3)).toEqual([1, 9]);
  queue.add(3);
  turn();
  expect([ran.slice(5), queue.size]).toEqual([[2, 3], 0]);
  queue.add(5);
  expect(ran.at(-1)).toBe(5);
  turn();
  turn();
  // An idle queue asks for no further turn.
  expect(turns).toEqual([]);
});

test('an item that is deleted does not run', () => {
  const { queue, ran, turn } = create(1);
  for (const weight of [1, 2, 3]) queue.add(weight);
  expect([queue.delete(2), queue.delete(1)]).toEqual([true, false]);
  turn();
  expect(ran).toEqual([1, 3]);
});

test('what runs without the queue counts towards the limit of its turn', () => {
  const { queue, ran, turn } = create(2);
  queue.use(2);
  queue.add(1);
  expect([ran, queue.hasRoom]).toEqual([[], false]);
  turn();
  expect(ran).toEqual([1]);
});
