// Mutates JSON texts of the service, and reads the fields of objects that keep the JSON as sent.
import fc from 'fast-check';
import { JsonOutput } from '../../src/json/json-output.ts';
import { Literal } from '../../src/json/json-bytes.ts';
import { SourceObject } from '../../src/json/source-object.ts';
import { wrong } from '../support/answer-model.ts';

/** Values, keys and punctuation, including values that the service should not write. */
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
    '"\\u0069d"',
    '"accounts"',
    '"data"',
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

/** One of the JSON texts, unchanged or compact, with up to three of its tokens replaced, removed or doubled. */
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
function compact(text: string): string {
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

/**
 * The fields of an object twice: the values of its properties, and the values that are written into an answer. A
 * violation is shown as `wrong`.
 */
export function shownIn(value: unknown): unknown {
  if (value instanceof Error) return [wrong, wrong];
  if (!(value instanceof SourceObject)) return [value, value];
  const { names } = value.shape;
  const read = names.map((name) => [name, Reflect.get(value, name) as unknown] as const);
  return [
    Object.fromEntries(read.map(([name, one]) => [name, one instanceof Error ? wrong : one])),
    Object.fromEntries(names.map((name, field) => [name, writtenField(value, field)])),
  ];
}

const nothing = new Literal('');

function writtenField(object: SourceObject, field: number): unknown {
  const { names, decimals } = object.shape;
  const isDigits = decimals.includes(names[field] ?? '');
  const output = new JsonOutput(Infinity);
  const isWritten = object.write([{ head: nothing, field, isDigits, isNullable: true }], output);
  return isWritten ? JSON.parse(Buffer.from(output.take(), 'latin1').toString()) : wrong;
}
