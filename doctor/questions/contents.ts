// Finds differences between the service's answers and its API description: unknown and missing fields, unknown values,
// and violations.
import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../src/errors.ts';
import { type AnswerOf, endpoints, type UpstreamRoute } from '../../src/upstream/endpoints.ts';
import { headersFailure } from '../../src/upstream/exchange/exchange.ts';
import { transactionFields } from '../../src/upstream/shape/shapes.ts';
import { counted, type Finding } from '../finding.ts';
import type { Reply } from '../probe.ts';

/** The documented fields of the objects at each place in an answer. The place of a list's elements ends with `[]`. */
const documentedFields = new Map<string, string[]>();
for (const [route, { objects, otherNames }] of Object.entries(endpoints)) {
  const document = (place: string, names: readonly string[]) => {
    const key = `/${route} ${place}`.trim();
    documentedFields.set(key, [...(documentedFields.get(key) ?? []), ...names]);
  };
  for (const [place, { fields }] of Object.entries(objects)) {
    if (place !== '') document('', [place.replace('[]', '')]);
    document(place, Object.keys(fields));
  }
  for (const [place, names] of Object.entries(otherNames)) document(place, names);
}

/** Only names and values of these forms are shown. Others are withheld, because they may be personal data. */
const plainName = /^[A-Za-z_][\w-]{0,39}$/;
const plainCode = /^[A-Z][A-Z0-9_]{0,31}$/;
const plainHeader = /^[\w!#$&^.+/-]{1,60}(?:;[ \t]*charset="?[\w-]{1,20}"?)?$/;

/** The reason why a question has no answer if no answer of the service could be read. */
export const noAnswer = 'no answer could be read';

/** Checks every answer that is added, and reports the differences at the end. */
export class Contents {
  /** The places where objects were found, named as in `documentedFields`. */
  readonly #places = new Set<string>();
  /** `place.field` of every field that had a value. */
  readonly #fields = new Set<string>();
  readonly #unknownFields = new Set<string>();
  readonly #unknownValues = new Set<string>();
  /** The number of violations at each place. */
  readonly #violations = new Map<string, number>();

  /** Adds and reads an answer with status 200. Returns null if the gateway would reject it as a whole. */
  add<Route extends UpstreamRoute>(route: Route, { headers, body }: Reply): AnswerOf<Route> | null {
    const hasWrongHead = headersFailure(headers) !== null;
    if (hasWrongHead || !isUtf8(body)) {
      this.#addViolation(`/${route} (${hasWrongHead ? wrongHead(headers) : 'not UTF-8'})`);
      return null;
    }
    this.#look(`/${route}`, parsed(body));
    try {
      const { value } = endpoints[route].read(body, {
        violation: (pointer) => this.#addViolation(`/${route} ${pointer || '(the whole answer)'}`),
        value: (field, value) => this.#addValue(field, value),
      });
      return value;
    } catch (error) {
      // The observer has recorded the violation.
      if (error instanceof GatewayError) return null;
      throw error;
    }
  }

  /** Whether any answer could be read. */
  get hasAnswer(): boolean {
    return this.#places.size > 0;
  }

  findings(): Finding[] {
    const violations = [...this.#violations];
    const { hasAnswer } = this;
    return [
      listed('unknown-fields', this.#unknownFields, hasAnswer),
      listed('missing-fields', this.#missing(), hasAnswer),
      listed('unknown-values', this.#unknownValues, hasAnswer),
      listed(
        'violations',
        violations.map(([place, count]) => `${place} (${counted(count, 'time')})`),
        hasAnswer,
      ),
    ];
  }

  #look(place: string, value: unknown): void {
    // An undocumented list is not looked into, because it can be nested more deeply than the stack allows.
    if (Array.isArray(value) && documentedFields.has(`${place}[]`)) {
      for (const element of value) this.#look(`${place}[]`, element);
    }
    const documented = documentedFields.get(place);
    if (documented === undefined || !isObject(value)) return;
    this.#places.add(place);
    for (const [name, field] of Object.entries(value)) {
      if (field !== null) this.#fields.add(`${place}.${name}`);
      if (documented.includes(name)) this.#look(`${place} ${name}`, field);
      else
        this.#unknownFields.add(`${place}.${plainName.test(name) ? name : '(a name not shown)'}`);
    }
    if (place === '/transactions data[]') {
      const { status } = value;
      const documented: readonly unknown[] = transactionFields.status.values;
      if (!documented.includes(status)) this.#addValue('transaction.status', status);
    }
  }

  #addValue(field: string, value: unknown): void {
    if (typeof value !== 'string') return;
    this.#unknownValues.add(`${field} ${plainCode.test(value) ? value : '(another text)'}`);
  }

  #addViolation(pointer: string): void {
    const place = pointer.replace(/\/\d+/g, '/*');
    this.#violations.set(place, (this.#violations.get(place) ?? 0) + 1);
  }

  /** Documented fields that had no value in any object at their place. */
  #missing(): string[] {
    return [...this.#places].flatMap((place) =>
      (documentedFields.get(place) ?? [])
        .map((name) => `${place}.${name}`)
        .filter((field) => !this.#fields.has(field)),
    );
  }
}

function wrongHead({
  'content-type': type,
  'content-encoding': encoding,
}: Reply['headers']): string {
  const shown = [type, encoding].filter((one) => typeof one === 'string' && plainHeader.test(one));
  return `content type or encoding${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`;
}

/** Undefined if the text is not JSON, which the reader then reports. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For each kind of difference, the question, and how the gateway handles it. */
const differences = {
  'unknown-fields': [
    'Which fields does the API description not name?',
    'the gateway leaves them out',
  ],
  'missing-fields': ['Which fields never had a value?', 'they are null'],
  'unknown-values': [
    'Which values does the API description not name?',
    'open sets are passed on; another status is an error on its field',
  ],
  violations: [
    'Which values are violations?',
    'each is null, with UPSTREAM_CONTRACT_VIOLATION on its path; docs/mapping.md has the types',
  ],
} as const;

function listed(
  id: keyof typeof differences,
  items: Iterable<string>,
  hasAnswer: boolean,
): Finding {
  const [question, meaning] = differences[id];
  const all = [...items].sort();
  if (all.length > 0) return { id, question, answer: all.join(', '), seen: meaning };
  return hasAnswer
    ? { id, question, answer: 'none', seen: 'in all answers' }
    : { id, question, answer: null, seen: noAnswer };
}
