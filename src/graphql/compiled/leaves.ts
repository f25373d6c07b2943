// How the values of scalars and enums are written.
import { type GraphQLLeafType, isEnumType } from 'graphql';
import type { JsonOutput } from '../../json/json-output.ts';
import { SourceObject, type SourceShape } from '../../json/source-object.ts';
import type { Plan } from './plan.ts';
import { unusual } from './unusual.ts';

/** Adds a value to an output, after what it was made for. */
type LeafWrite = (output: JsonOutput, value: unknown) => void;

/** `head` stands before a value; `ifNull` is what is written for none, null where there must be one. */
type LeafWriter = (head: Uint8Array, ifNull: Uint8Array | null) => LeafWrite;

/** What stands before the values at a place of an answer, and for none there, as text. */
export interface LeafTexts {
  readonly head: string;
  readonly ifNull: string | null;
}

/**
 * The plan for values of a leaf type; undefined for a type that is not known here. A value that the type would not let
 * out as it is, is unusual.
 */
export function leafPlan(type: GraphQLLeafType, texts: LeafTexts): Plan | undefined {
  const writer = isEnumType(type)
    ? enumWriter(type.getValues().map(({ name }) => name))
    : writers.get(type.name);
  return writer && planOf(writer, texts);
}

/** The plan for a text that is made here, of nothing that JSON would escape. */
export function plainTextPlan(texts: LeafTexts): Plan {
  return planOf(writePlainText, texts);
}

function planOf(writer: LeafWriter, { head, ifNull }: LeafTexts): Plan {
  const nullBytes = ifNull === null ? null : Buffer.from(ifNull);
  return { write: writer(Buffer.from(head), nullBytes), load: undefined };
}

/**
 * The plan for a field of which the parent may have the JSON: it is written as it was sent. `sourceOf` gives the object
 * that has it; `plan` is for any other parent.
 */
export function sourcePlan(
  name: string,
  sourceOf: (parent: unknown) => unknown,
  { head, ifNull }: LeafTexts,
  plan: Plan,
): Plan {
  const headBytes = Buffer.from(head);
  const nullBytes = ifNull === null ? null : Buffer.from(ifNull);
  // Parents at one place are of one shape, or of two where the service answers differently.
  let shape: SourceShape | null = null;
  let field = -1;
  return {
    write(output, parent, run) {
      const source = sourceOf(parent);
      if (!(source instanceof SourceObject)) {
        plan.write(output, parent, run);
        return;
      }
      if (source.shape !== shape) {
        shape = source.shape;
        field = shape.writable(name);
      }
      if (field < 0) plan.write(output, parent, run);
      else writeSource(output, source, field, headBytes, nullBytes);
    },
    load: undefined,
  };
}

function writeSource(
  output: JsonOutput,
  source: SourceObject,
  field: number,
  head: Uint8Array,
  ifNull: Uint8Array | null,
): void {
  if (source.has(field)) {
    output.all(head);
    source.write(field, output);
  } else {
    if (ifNull === null) throw unusual;
    output.all(ifNull);
  }
}

const writers: ReadonlyMap<string, LeafWriter> = new Map([
  ['ID', writeText],
  ['String', writeText],
  // These were checked letter by letter where they came in.
  ['Date', writePlainText],
  ['DateTime', writePlainText],
  ['Decimal', writePlainText],
  ['Boolean', writeFlag],
  ['Int', writeInt],
  ['JSONObject', writeObject],
]);

function writeText(head: Uint8Array, ifNull: Uint8Array | null): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'string') {
      writeNull(output, value, ifNull);
      return;
    }
    output.all(head);
    output.string(value);
  };
}

/** Text that cannot hold what JSON would escape. */
function writePlainText(head: Uint8Array, ifNull: Uint8Array | null): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'string') {
      writeNull(output, value, ifNull);
      return;
    }
    output.all(head);
    output.plainString(value);
  };
}

function writeFlag(head: Uint8Array, ifNull: Uint8Array | null): LeafWrite {
  const [yes, no] = [Buffer.concat([head, trueBytes]), Buffer.concat([head, falseBytes])];
  return (output, value) => {
    if (typeof value === 'boolean') output.all(value ? yes : no);
    else writeNull(output, value, ifNull);
  };
}

const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');

/** What is no 32-bit integer is an error of graphql-js. */
function writeInt(head: Uint8Array, ifNull: Uint8Array | null): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'number' || (value | 0) !== value) {
      writeNull(output, value, ifNull);
      return;
    }
    output.all(head);
    output.ascii(String(value));
  };
}

function writeObject(head: Uint8Array, ifNull: Uint8Array | null): LeafWrite {
  return (output, value) => {
    if (!isPlainObject(value)) {
      writeNull(output, value, ifNull);
      return;
    }
    output.all(head);
    output.value(value);
  };
}

function isPlainObject(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Error) &&
    !Array.isArray(value)
  );
}

/** A value of an enum is its name: nothing here maps one to another. */
function enumWriter(names: readonly string[]): LeafWriter {
  return (head, ifNull) => {
    const written = new Map<unknown, Uint8Array>(
      names.map((name) => [name, Buffer.concat([head, Buffer.from(`"${name}"`)])]),
    );
    return (output, value) => {
      const bytes = written.get(value);
      if (bytes === undefined) writeNull(output, value, ifNull);
      else output.all(bytes);
    };
  };
}

function writeNull(output: JsonOutput, value: unknown, ifNull: Uint8Array | null): void {
  if (ifNull === null || (value !== null && value !== undefined)) throw unusual;
  output.all(ifNull);
}
