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

test('after 2,000 large Accept headers, the cache of media types has grown by less than the size of 200 headers of 16 KiB', () => {
  const before = retainedBytes();
  for (let i = 0; i < 2000; i++) chooseMediaType(`text/html;a="${i}${'x'.repeat(15_000)}"`);
  expect(retainedBytes() - before).toBeLessThan(200 * 16_384);
});
