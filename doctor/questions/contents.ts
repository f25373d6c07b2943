// Finds the values and fields in the service's answers that the gateway reads strictly: where they are, how many objects
// have them, and what the service should send instead.
import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../src/errors.ts';
import { type AnswerOf, endpoints, type UpstreamRoute } from '../../src/upstream/endpoints.ts';
import type { FieldType } from '../../src/upstream/shape/field-types.ts';
import { transactionFields } from '../../src/upstream/shape/shapes.ts';
import { createTimeZone, type TimeZone } from '../../src/upstream/shape/time-zone.ts';
import { expected, type Finding, notice, setting, unknown } from '../finding.ts';
import { isObject, parsed } from '../json.ts';
import { causeOf, type Reply } from '../service.ts';

/** The documented fields of the objects at each place in an answer. The place of a list's elements ends with `[]`. */
const fieldsByPlace = new Map<string, Readonly<Record<string, FieldType<unknown> | null>>>();
for (const [route, { objects, otherNames }] of Object.entries(endpoints)) {
  const document = (place: string, fields: Readonly<Record<string, FieldType<unknown> | null>>) => {
    const key = `/${route} ${place}`.trim();
    fieldsByPlace.set(key, { ...fieldsByPlace.get(key), ...fields });
  };
  for (const [place, { fields }] of Object.entries(objects)) {
    if (place !== '') document('', { [place.replace('[]', '')]: null });
    document(place, fields);
  }
  for (const [place, names] of Object.entries(otherNames)) {
    document(place, Object.fromEntries(names.map((name) => [name, null])));
  }
}

/** Only names and codes of these forms are shown. Others are withheld, because they may be personal data. */
const plainName = /^[A-Za-z_][\w-]{0,39}$/;
const plainCode = /^[A-Z][A-Z0-9_]{0,31}$/;

/** What is wrong with a value, and what the service should send. */
interface Problem {
  readonly what: string;
  readonly remedy: string;
}

interface Place {
  /** The number of objects at the place. */
  objects: number;
  /** The names that at least one of the objects had. */
  readonly names: Set<string>;
}

/** Reads every answer as the gateway does, and reports the differences from the API description at the end. */
export class Contents {
  readonly #places = new Map<string, Place>();
  readonly #problems = new Map<
    string,
    { readonly problem: Problem; readonly path: string; count: number }
  >();

  readonly #timeZone: TimeZone | null;

  /** `zone` is the zone of times without one (UPSTREAM_TIME_ZONE). */
  constructor(zone: string | null) {
    this.#timeZone = zone === null ? null : createTimeZone(zone);
  }

  /** Reads an answer, whose problems are reported at the end; a reason if the gateway cannot use the answer. */
  add<Route extends UpstreamRoute>(
    route: Route,
    { body, reason }: Reply,
  ): AnswerOf<Route> | string {
    if (body === null) return reason;
    const sent = isUtf8(body) ? parsed(body) : undefined;
    this.#look(`/${route}`, sent);
    try {
      const observer = {
        violation: (pointer: string) => this.#addProblem(route, pointer, sent),
        value: () => undefined,
      };
      return endpoints[route].read(body, observer, this.#timeZone).value;
    } catch (error) {
      if (error instanceof GatewayError) return causeOf(error);
      throw error;
    }
  }

  findings(): Finding[] {
    if (this.#places.size === 0) return [unknown('values', 'no answer could be read')];
    const problems = [...this.#problems.values()].map(({ problem, path, count }) => {
      const place = path.replace(/\.[^.]*$/, '');
      const all = this.#places.get(place)?.objects ?? count;
      const things = place.endsWith('data[]') ? 'rows' : 'objects';
      const seen = `${path}: ${problem.what}, in ${count} of ${all} ${things}`;
      return problem === withoutZone
        ? setting('values', seen, { UPSTREAM_TIME_ZONE: zoneToAsk }, problem.remedy)
        : notice('values', seen, consequenceOf(path), problem.remedy);
    });
    const missing = [...this.#places].flatMap(([place, { names }]) => missingIn(place, names));
    const found = [...problems, ...missing];
    return found.length > 0 ? found : [expected('values')];
  }

  #look(path: string, value: unknown): void {
    // An undocumented list is not looked into, because it can be nested more deeply than the stack allows.
    if (Array.isArray(value) && fieldsByPlace.has(`${path}[]`)) {
      for (const element of value) this.#look(`${path}[]`, element);
    }
    const documented = fieldsByPlace.get(path);
    // An empty object states nothing: {} is the address of a holder whose onboarding is under way.
    if (documented === undefined || !isObject(value) || Object.keys(value).length === 0) return;
    const place = this.#places.get(path) ?? { objects: 0, names: new Set<string>() };
    this.#places.set(path, place);
    place.objects++;
    for (const [name, field] of Object.entries(value)) {
      place.names.add(name);
      if (name in documented) this.#look(`${path} ${name}`, field);
    }
  }

  #addProblem(route: UpstreamRoute, pointer: string, sent: unknown): void {
    const steps = pointer.split('/').slice(1);
    const [member = '', second = ''] = steps;
    const isList = /^\d+$/.test(second);
    const name = steps[isList ? 2 : 1];
    const place = `/${route} ${member}${isList ? '[]' : ''}`.trim();
    const path = name === undefined ? place : `${place}.${name}`;
    let value = sent;
    for (const step of steps)
      value = isObject(value) || Array.isArray(value) ? Reflect.get(value, step) : undefined;
    const problem = problemWith(value, fieldsByPlace.get(place)?.[name ?? ''] ?? null);
    const key = `${path} ${problem.what}`;
    const known = this.#problems.get(key) ?? { problem, path, count: 0 };
    this.#problems.set(key, known);
    known.count++;
  }
}

function consequenceOf(path: string): string {
  if (path.endsWith('.id')) return 'the object without a usable id is null';
  if (/^\/transactions(?: data| pagination.*)?$/.test(path))
    return 'the page cannot be used: `transactions` is null';
  return 'null, with UPSTREAM_CONTRACT_VIOLATION on the path';
}

const withZone = 'send times with their zone, as in 2026-06-10T12:00:00.000Z';
const withoutZone: Problem = { what: 'a time without a zone', remedy: withZone };

/** Only the provider knows the zone, and a wrong one would go unnoticed: the gateway does not start with this value. */
const zoneToAsk = '<the zone of the service, such as America/Sao_Paulo or UTC>';

const zoneless = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/i;

function problemWith(value: unknown, field: FieldType<unknown> | null): Problem {
  const sent = field?.sent ?? 'object or list';
  const isString = typeof value === 'string';
  if (value === undefined || value === null)
    return { what: 'absent', remedy: `send a value: ${sent}` };
  if (isString && !value.isWellFormed()) {
    return {
      what: 'half a surrogate pair',
      remedy: 'shorten texts between characters, not inside one',
    };
  }
  if (isString && sent.includes('timestamp')) {
    return zoneless.test(value)
      ? withoutZone
      : { what: 'no time as in RFC 3339', remedy: withZone };
  }
  if (field === transactionFields.status && isString) {
    const shown = plainCode.test(value) ? value : 'another text';
    return {
      what: `the undocumented value ${shown}`,
      remedy: `send ${transactionFields.status.values.join(', ')}`,
    };
  }
  const type = typeOf(value);
  return sent.startsWith(type)
    ? { what: field?.bad ?? 'not allowed', remedy: 'send what docs/mapping.md lists' }
    : {
        what: `${type} instead of ${sent}`,
        remedy: `send the type of the API description, ${sent}`,
      };
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Documented fields that no object at the place had, although their names may just be others. */
function missingIn(place: string, names: ReadonlySet<string>): Finding[] {
  const documented = fieldsByPlace.get(place) ?? {};
  const missing = Object.keys(documented).filter(
    (name) =>
      !names.has(name) && documented[name] !== null && !documented[name]?.sent.endsWith('or null'),
  );
  if (missing.length === 0) return [];
  const other = [...names].filter((name) => !(name in documented));
  const shown = other.map((name) => (plainName.test(name) ? name : '(a name not shown)')).sort();
  const seen = `${place} never has ${missing.join(', ')}`;
  const others = shown.length === 0 ? '' : `; it has the undocumented ${shown.join(', ')}`;
  return [
    notice(
      'fields',
      seen + others,
      'these fields are null',
      'send them under their documented names',
    ),
  ];
}
