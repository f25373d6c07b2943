// Reads the JSON bodies of the control routes: a typed value, or an error that says where it is wrong.

/** A body is not what its route asks for; the message is for whoever sent it. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Turns a value at a place into what it should be, or throws an InputError. */
export type Reader<T> = (value: unknown, at: string) => T;

type Readers = Readonly<Record<string, Reader<unknown>>>;
type Required<R extends Readers> = { readonly [K in keyof R]: ReturnType<R[K]> };
type Optional<R extends Readers> = { readonly [K in keyof R]?: ReturnType<R[K]> };

const wrong = (at: string, wanted: string) => new InputError(`${at} must be ${wanted}.`);

export const text: Reader<string> = (value, at) => {
  if (typeof value !== 'string') throw wrong(at, 'a string');
  return value;
};

export const flag: Reader<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw wrong(at, 'true or false');
  return value;
};

export const anything: Reader<unknown> = (value) => value;

export const number =
  (min: number, max = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (value, at) => {
    const fits = typeof value === 'number' && value >= min && value <= max;
    if (!fits) throw wrong(at, `a number from ${min} to ${max}`);
    return value;
  };

export const integer =
  (min: number, max?: number): Reader<number> =>
  (value, at) => {
    if (!Number.isInteger(value)) throw wrong(at, 'an integer');
    return number(min, max)(value, at);
  };

export const oneOf =
  <const T extends string | number | boolean | null>(...choices: readonly T[]): Reader<T> =>
  (value, at) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw wrong(at, `one of ${JSON.stringify(choices)}`);
    return found;
  };

/** What either reader takes; the second one's error is the one told. */
export const either =
  <A, B>(first: Reader<A>, second: Reader<B>): Reader<A | B> =>
  (value, at) => {
    try {
      return first(value, at);
    } catch {
      return second(value, at);
    }
  };

export const listOf =
  <T>(element: Reader<T>): Reader<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, 'a list');
    return value.map((one, index) => element(one, `${at}[${index}]`));
  };

/** An object with all of the first fields, any of the second, and no others. */
export const record =
  <R extends Readers, O extends Readers>(
    required: R,
    optional: O,
  ): Reader<Required<R> & Optional<O>> =>
  (value, at) => {
    const fields = plainObject(value, at);
    const known: Readers = { ...required, ...optional };
    const missing = Object.keys(required).find((name) => !Object.hasOwn(fields, name));
    if (missing !== undefined) throw wrong(`${at}.${missing}`, 'given');
    const entries = Object.entries(fields).map(([name, field]) => {
      const reader = Object.hasOwn(known, name) ? known[name] : undefined;
      if (reader === undefined) throw new InputError(`${at} has no field ${name}.`);
      return [name, reader(field, `${at}.${name}`)];
    });
    return Object.fromEntries(entries) as Required<R> & Optional<O>;
  };

/** An object with any fields. */
export const plainObject: Reader<Readonly<Record<string, unknown>>> = (value, at) => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) throw wrong(at, 'an object');
  return value as Record<string, unknown>;
};
