// JsonOutput writes values as JSON.stringify does, and copies literals and parts of a source text.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonOutput, tooLong } from '../../../src/json/json-output.ts';
import { Literal, SourceText } from '../../../src/json/json-bytes.ts';

const output = new JsonOutput(4_000_000);

function written(add: (to: JsonOutput) => void): string {
  output.begin();
  add(output);
  return Buffer.from(output.take(), 'latin1').toString();
}

it('JsonOutput writes any string as JSON.stringify does', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '\0', 'é', '€', '\ufffd', '\ud800', '😀'),
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(written((to) => to.value(text))).toBe(JSON.stringify(text));
    }),
    { numRuns: 2000 },
  );
});

it('JsonOutput writes any JSON value as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(written((to) => to.value(value))).toBe(JSON.stringify(value));
    }),
  );
});

it('JsonOutput copies any part of a source text unchanged, or in quotes with an optional minus sign', () => {
  const places = fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(), fc.nat());
  fc.assert(
    fc.property(places, fc.boolean(), ([text, from, to], isNegative) => {
      const source = new SourceText(Buffer.from(text));
      const start = from % (source.length + 1);
      const end = start + (to % (source.length - start + 1));
      const part = source.bytes.toString('latin1', start, end);
      output.begin();
      output.copy(source, start, end);
      output.quote(source, start, end, isNegative);
      output.value(0);
      expect(output.take()).toBe(`${part}"${isNegative ? '-' : ''}${part}"0`);
    }),
  );
});

it('JsonOutput writes consecutive literals, including empty and non-ASCII ones', () => {
  const texts = ['', '{', '[]', ',"é":', 'null', '"€":"', '{"amount":{"id":'];
  expect(written((to) => texts.forEach((text) => to.literal(new Literal(text))))).toBe(
    texts.join(''),
  );
});

it('JsonOutput writes long strings, and discards output that was begun but not taken', () => {
  const long = 'é"'.repeat(400_000);
  output.begin();
  output.value('given up');
  expect(written((to) => to.value(long))).toBe(JSON.stringify(long));
  expect(written((to) => to.value([]))).toBe('[]');
});

it('JsonOutput stops a text that becomes longer than its limit, without room for all of it', () => {
  const part = new Literal('x'.repeat(1000));
  const write = (count: number) =>
    written((to) => {
      for (let left = count; left > 0; left--) to.literal(part);
    });
  expect(write(4000)).toHaveLength(4_000_000);
  expect(() => write(4001)).toThrow(tooLong);
  expect(() => write(Infinity)).toThrow(tooLong);
  expect(write(1)).toHaveLength(1000);
});
