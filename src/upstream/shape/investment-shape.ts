// Copies `investmentAccount`, whose fields are not documented (docs/service.md), with its numbers as text.
import { braces, brackets, JsonReader, valueKinds } from '../../json/json-reader.ts';
import { SourceText } from '../../json/json-bytes.ts';
import { type AnswerCheck, Wrong } from './check.ts';
import { decimalText } from './decimal.ts';

/** The deepest nesting that is copied. Deeper values could not be serialized safely. */
const maxDepth = 100;

/** The largest number of characters in all investmentAccounts of a profile together, without white space. */
const maxInvestmentLength = 262_144;

/** The most characters that written-out exponents may add: a client can repeat these characters with aliases. */
const maxGained = 1_048_576;

/** Copies an object; returns a Wrong beyond a limit. A rejected object does not count towards `maxInvestmentLength`. */
export function copyInvestment(sent: string, answer: AnswerCheck): Record<string, unknown> | Wrong {
  const { length, copiedBytes } = answer;
  try {
    const json = new JsonReader(new SourceText(Buffer.from(sent)));
    const copy = copyValue(json, 1, answer) as Record<string, unknown> | Wrong;
    if (copy instanceof Wrong) Object.assign(answer, { length, copiedBytes });
    return copy;
  } catch (error) {
    Object.assign(answer, { length, copiedBytes });
    if (error instanceof Wrong) return error;
    throw error;
  }
}

/** The memory for an object or list, and for any other value with its key, as measured. */
const [bytesPerObject, bytesPerLeaf] = [320, 128];

const halfPair = new Wrong('has half of a surrogate pair');
const tooDeep = new Wrong('nests too deeply');
const tooManyDigits = new Wrong('holds a number of too many digits');

/**
 * Copies a value. Returns a Wrong for a value that cannot be copied, because the last of repeated members counts;
 * throws a Wrong if all values together exceed a limit. Objects have no prototype, so `__proto__` is an ordinary key.
 */
function copyValue(json: JsonReader, depth: number, answer: AnswerCheck): unknown {
  const isObject = json.isAt(braces);
  if (!isObject && !json.isAt(brackets)) return copyLeaf(json, answer);
  if (depth > maxDepth) {
    json.any();
    return tooDeep;
  }
  const copy = (isObject ? Object.create(null) : []) as Record<string | number, unknown>;
  const pair = isObject ? braces : brackets;
  count('[]', answer);
  answer.copiedBytes += bytesPerObject;
  let n = 0;
  for (let isMore = json.enter(pair); isMore; isMore = json.goOn(pair)) {
    if (n > 0) count(',', answer);
    const key = isObject ? json.name() : n;
    if (isObject) count(`${JSON.stringify(key)}:`, answer);
    const value = copyValue(json, depth + 1, answer);
    copy[key] = typeof key === 'number' || key.isWellFormed() ? value : halfPair;
    n++;
  }
  return Object.values(copy).find((one) => one instanceof Wrong) ?? copy;
}

const numbers = valueKinds.whole | valueKinds.fraction | valueKinds.exponent;

function copyLeaf(json: JsonReader, answer: AnswerCheck): unknown {
  answer.copiedBytes += bytesPerLeaf;
  const kind = json.any();
  if ((kind & numbers) === 0) {
    const value = json.decoded();
    if (kind === valueKinds.surrogates && !(value as string).isWellFormed()) return halfPair;
    count(JSON.stringify(value), answer);
    return value;
  }
  const sent = json.text.slice(json.start, json.end);
  count(sent, answer);
  const decimal = decimalText(sent);
  if (decimal === null) return tooManyDigits;
  answer.gained += Math.max(0, decimal.length - sent.length);
  if (answer.gained > maxGained) throw new Wrong('holds too many exponents');
  return decimal;
}

function count(text: string, answer: AnswerCheck): void {
  answer.length += text.length;
  if (answer.length > maxInvestmentLength) throw new Wrong('is too long');
}
