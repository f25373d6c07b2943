// What is put together as bytes is what JSON.stringify makes of it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonOutput } from '../../../src/json/json-output.ts';
import { textOf } from '../../../src/json/json-text.ts';

const output = new JsonOutput();
const bytes = (text: string) => Buffer.from(text);

function written(add: (to: JsonOutput) => void): string {
  output.begin();
  add(output);
  return textOf(output.take());
}

it('writes any string as JSON.stringify does', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '\0', 'é', '€', '\ufffd', '\ud800', '😀'),
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(written((to) => to.string(text))).toBe(JSON.stringify(text));
    }),
    { numRuns: 2000 },
  );
});

it('writes any value as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(written((to) => to.value(value))).toBe(JSON.stringify(value));
    }),
  );
});

it('copies bytes as they are, or as a string, with a minus or without', () => {
  const source = bytes('{"a":12.50,"b":"é"}');
  const text = written((to) => {
    to.all(bytes('['));
    to.quote(source, 5, 10);
    to.ascii(',');
    to.quote(source, 5, 10, true);
    to.ascii(',');
    to.copy(source, 15, source.length - 1);
    to.ascii(',');
    to.plainString('x.y');
    to.all(bytes(']'));
  });
  expect(JSON.parse(text)).toEqual(['12.50', '-12.50', 'é', 'x.y']);
});

it('has room for any length, and begins anew after a text that was given up', () => {
  const long = 'é"'.repeat(400_000);
  output.begin();
  output.ascii('given up');
  expect(written((to) => to.string(long))).toBe(JSON.stringify(long));
  expect(written((to) => to.ascii('[]'))).toBe('[]');
});
