// How the Accept header selects the media type of an answer, and how much memory the cache of these selections takes.
import { expect, test } from 'vitest';
import { chooseMediaType, graphqlType, jsonType } from '../../../src/http/request/media-type.ts';
import { retainedBytes } from '../../support/memory.ts';

const json = 'application/json';
const graphql = 'application/graphql-response+json';

test.each([
  [undefined, jsonType],
  ['', jsonType],
  ['*/*', jsonType],
  ['application/*', jsonType],
  [json, jsonType],
  ['Application/JSON; charset=utf-8', jsonType],
  [graphql, graphqlType],
  [`${graphql}; charset=utf-8, ${json}; charset=utf-8`, graphqlType],
  [`${json}, ${graphql}`, jsonType],
  [`${json};q=0.5, ${graphql}`, graphqlType],
  [`${graphql};q=0.5, */*;q=0.1`, graphqlType],
  [`${json};q=0, */*`, graphqlType],
  ['*/*;q=0', null],
  ['text/html', null],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', jsonType],
  [`${json};q=nonsense`, null],
])('Accept %j selects %j', (accept, expected) => {
  expect(chooseMediaType(accept)).toBe(expected);
  expect(chooseMediaType(accept)).toBe(expected);
});

test.each([
  ['ends', 1024, graphqlType],
  ['does not end', 1025, null],
])(
  'a media type that %s within the first 1,024 characters of a long Accept header: %d',
  (_how, end, expected) => {
    const list = `${'x/y,'.repeat(240)}${graphql}`;
    const accept = `${' '.repeat(end - list.length)}${list},x/y,${json}`;
    expect(chooseMediaType(accept)).toBe(expected);
  },
);

test.each([
  ['of at most 1,024 characters', 1024, graphqlType],
  ['whose only media type is longer', 1025, null],
])('an Accept header %s', (_what, length, expected) => {
  expect(chooseMediaType(graphql.padEnd(length))).toBe(expected);
});

test.each(['', '*/*,'])(
  'after 2,000 Accept headers of 1,000 and of 15,000 characters, the cache of media types has grown by less than 1 MiB: %j',
  (first) => {
    const before = retainedBytes();
    for (const length of [1000, 15_000]) {
      for (let i = 0; i < 2000; i++)
        chooseMediaType(`${first}text/html;a="${i}`.padEnd(length, 'x'));
    }
    expect(retainedBytes() - before).toBeLessThan(1_048_576);
  },
);

test('an Accept header of 15,400 characters takes less than twice the CPU time of one of 1,024', () => {
  const cpuOf = (mediaTypes: number, i: number) => {
    const accept = `${'/,'.repeat(mediaTypes)}${1000 + i}`;
    const before = process.cpuUsage();
    chooseMediaType(accept);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const [short, long] = [new Array<number>(), new Array<number>()];
  for (let i = 0; i < 20; i++) {
    short.push(cpuOf(510, i));
    long.push(cpuOf(7700, i));
  }
  expect(Math.min(...long)).toBeLessThan(2 * Math.min(...short));
});
