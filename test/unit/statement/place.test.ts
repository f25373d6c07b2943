// Where a cursor stands in what was read: by its row, beside it, or next to a neighbour.
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { placeOf } from '../../../src/statement/place.ts';
import { cursorOf, knownOf, shortOf } from './parts.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';

const ahead = (cursor: Cursor, now: string, ...pages: number[]) =>
  shortOf(placeOf(knownOf(now, ...pages), cursor, 1, 3));
const behind = (cursor: Cursor, now: string, ...pages: number[]) =>
  shortOf(placeOf(knownOf(now, ...pages), cursor, -1, 3));

describe('a cursor whose row is seen', () => {
  it.each([
    ['on a still statement', nine],
    ['after arrivals', `y11 z10 ${nine}`],
    ['after removals of older rows', 'a9 b8 c7 d6 e5 f4 i1'],
    ['after balanced changes', 'z10 a9 b8 c7 d6 e5 f4 g3 h2'],
  ])('goes on with the row after it, %s', (_what, now) => {
    const ids = now.split(' ').map((word) => word[0]);
    const distance = ids.length - 1 - ids.indexOf('e');
    expect(ahead(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(distance - 1);
    expect(behind(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(distance + 1);
  });

  it('goes on just beyond the end where nothing follows it', () => {
    expect(ahead(cursorOf(nine, 'i'), nine, 2)).toBe(-1);
    expect(behind(cursorOf(nine, 'a'), nine, 0)).toBe(9);
  });

  it('looks at the page before it, once it stands elsewhere: ties may only have changed places', () => {
    const now = 'a9 b8 c7 d6 e5 f4 g3 h2';
    expect(ahead(cursorOf(nine, 'd'), now, 1)).toBe('read 0');
    expect(ahead(cursorOf(nine, 'd'), now, 0, 1)).toBe(3);
  });

  it('looks where it ought to be, once it moved by whole pages under one total', () => {
    const now = 'x12 y11 z10 a9 b8 c7 d6 e5 f4';
    expect(ahead(cursorOf(nine, 'b'), now, 1)).toBe('read 0');
    expect(ahead(cursorOf(nine, 'b'), now, 0, 1)).toBe(3);
  });
});

describe('a cursor at the edge of the page that was read', () => {
  it('goes on with that page while the total and the neighbour are as they were', () => {
    expect(ahead(cursorOf(nine, 'c'), nine, 1)).toBe(5);
    expect(behind(cursorOf(nine, 'd'), nine, 0)).toBe(6);
  });

  it('needs no neighbour walking to older rows, but one walking to newer rows', () => {
    expect(ahead(cursorOf(nine, 'c', { older: null }), nine, 1)).toBe(5);
    expect(behind(cursorOf(nine, 'd', { newer: null }), nine, 0)).toBe('read 1');
  });

  it.each([
    ['the total is another', 'a9 b8 c7 d6 e5 f4 g3 h2', 'read 0'],
    ['the neighbour is another', 'a9 b8 c7 x6 e5 f4 g3 h2 i1', 'read 0'],
    ['its own row has come over', 'z10 a9 b8 c7 d6 e5 f4 g3 h2', 'read 0'],
  ])('does not where %s', (_what, now, outcome) => {
    expect(ahead(cursorOf(nine, 'c'), now, 1)).toBe(outcome);
  });

  it.each([
    ['newer row', nine, 'x12 y11 z10 b8 e5 f4 g3 h2 i1'],
    ['tie that was given', 'a9 b7 c7 d6 e5 f4 g3 h2 i1', 'x12 y11 z10 b7 e5 f4 g3 h2 i1'],
  ])('does not where a %s stands after it, whatever its neighbour', (_what, before, now) => {
    expect(ahead(cursorOf(before, 'c', { older: null }), now, 0, 1)).toBe(4);
  });
});

describe('a cursor whose row is gone', () => {
  it('goes on with the row that followed it, once a newer one is seen right before that', () => {
    expect(ahead(cursorOf(nine, 'b'), 'a9 c7 d6 e5 f4 g3 h2 i1', 0)).toBe(6);
    expect(behind(cursorOf(nine, 'b'), 'a9 c7 d6 e5 f4 g3 h2 i1', 0)).toBe(7);
  });

  it('reads on where the row that followed it stands first on its page', () => {
    expect(ahead(cursorOf(nine, 'c'), 'a9 b8 x8 d6 e5 f4 g3 h2 i1', 1)).toBe(5);
    expect(ahead(cursorOf(nine, 'c'), 'z10 a9 b8 d6 e5 f4 g3 h2', 1)).toBe('read 0');
  });
});

describe('a cursor of a row without id', () => {
  const spoiled = 'a9 b8 -7 d6 -5 f4 g3 h2 i1';

  it('is found at its place', () => {
    expect(ahead(cursorOf(spoiled, 2), spoiled, 0)).toBe(5);
    expect(ahead(cursorOf(spoiled, 2), `z10 ${spoiled}`, 0, 1)).toBe(5);
  });

  it('is found by its createdAt where it moved', () => {
    expect(ahead(cursorOf(spoiled, 2), 'a9 b8 -7 d6 -5 f4 i1', 0, 1, 2)).toBe(3);
    expect(behind(cursorOf(spoiled, 4), 'a9 b8 -7 d6 -5 f4 i1', 0, 1, 2)).toBe(3);
  });

  it('is found at its place among rows of its createdAt, and not guessed elsewhere', () => {
    const pair = 'a9 -7 -7 d6 e5 f4 g3 h2 i1';
    expect(ahead(cursorOf(pair, 1), pair, 0)).toBe(6);
    expect(ahead(cursorOf(pair, 1), 'a9 -7 -7 d6 e5 f4 g3', 0, 1, 2)).toBe('expired');
  });

  it('without createdAt is found at its place, and not guessed elsewhere', () => {
    const blank = 'a9 b8 -- d6 e5 f4 g3 h2 i1';
    expect(ahead(cursorOf(blank, 2), blank, 0)).toBe(5);
    expect(ahead(cursorOf(blank, 2), 'a9 b8 -- d6 e5 f4 i1', 0, 1, 2)).toBe('expired');
  });
});

describe('a cursor of a row without createdAt', () => {
  const undated = 'a- b- c- d- e- f- g- h- i-';

  it('is found by its id, wherever it stands', () => {
    expect(ahead(cursorOf(undated, 'e'), `y- z- ${undated}`, 2)).toBe(3);
    expect(behind(cursorOf(undated, 'e'), 'z- b- c- d- e- f- g- h-', 1)).toBe(4);
  });

  it('goes on beside a neighbour where it is gone, and expires without one', () => {
    expect(ahead(cursorOf(undated, 'e'), 'a- b- c- d- f- g- h- i-', 0, 1, 2)).toBe(3);
    expect(ahead(cursorOf(undated, 'e'), 'a- b- c- g- h- i-', 0, 1, 2)).toBe('expired');
  });
});
