// Mutates JSON texts of the service, and reads the values of objects that keep the JSON as sent.
import fc from 'fast-check';
import { JsonOutput } from '../../src/json/json-output.ts';
import { Literal, textOf } from '../../src/json/json-bytes.ts';
import { SourceObject } from '../../src/json/source-object.ts';

/** Values that the service may write, and values that it should not. */
const tokens = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '0.00',
    '-0.00',
    '12.50',
    '-3',
    '1e2',
    '01',
    '1.',
    '.5',
    '1E999',
  ],
  ...[
    '"x"',
    '""',
    '"DONE"',
    '"PROCESSED"',
    '"é😀"',
    '"a\\"b"',
    '"\\u0041"',
    '"\\u00e3\\ud83d\\ude00\\ud800"',
    '"\\/\\n\\\\"',
    '"\\x41"',
    '"\\u00g1"',
    '"\\u12"',
    '"a\tb"',
    '"\u007f"',
    '"\u2028"',
  ],
  ...[
    '"2026-02-30T00:00:00Z"',
    '"2026-06-03T12:00:00+03:00"',
    '"2026-06-03"',
    '{}',
    '[]',
    '{"a":1}',
  ],
  ...[
    '"id"',
    '"extra": 1, "id"',
    '"type": "A", "type"',
    ',',
    ' ',
    '\n',
    '\u00a0',
    ']',
    '}',
    '',
    '20',
    '4294967296',
  ],
];

const part = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|[{}[\],:]|\s+/g;

/** One of the JSON texts, unchanged or compact, with some of its tokens replaced, removed or doubled. */
export function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...tokens), fc.constant(null))), {
      maxLength: 3,
    })
    .chain((changes) =>
      fc.constantFrom(...texts, ...texts.map(compact)).map((text) => change(text, changes)),
    );
}

/** The text without white space between tokens. */
export function compact(text: string): string {
  return text.replace(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, '');
}

function change(text: string, changes: readonly (readonly [number, string | null])[]): string {
  const parts = text.match(part) ?? [];
  for (const [place, token] of changes) {
    const at = place % parts.length;
    parts[at] = token ?? `${parts[at] ?? ''}${parts[at] ?? ''}`;
  }
  return parts.join('');
}

/** The values of an object's fields. */
export function valuesIn(object: object, fields: readonly string[]): unknown {
  return Object.fromEntries(
    fields.map((name): [string, unknown] => [name, Reflect.get(object, name)]),
  );
}

/**
 * The values of the fields as a client reads them: from the sent JSON if the gateway writes it unchanged, otherwise
 * from the object.
 */
export function jsonIn(object: object, fields: readonly string[]): unknown[] {
  return fields.map((name) => {
    const written = object instanceof SourceObject ? writtenField(object, name) : null;
    return (written === null ? Reflect.get(object, name) : JSON.parse(written)) as unknown;
  });
}

const nothing = new Literal('');

function writtenField(object: SourceObject, name: string): string | null {
  const field = object.shape.writable(name);
  if (field < 0) return null;
  const isDigits = object.shape.kinds[field] === 'digits';
  const output = new JsonOutput();
  object.write([{ head: nothing, field, isDigits, isNullable: true }], output);
  return textOf(output.take());
}
