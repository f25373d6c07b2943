// Limits the length of an answer, because aliases and entity references can repeat long values of the service.
import type { FormattedExecutionResult } from 'graphql';
import { GatewayError } from '../../errors.ts';

/**
 * Twice the default of UPSTREAM_MAX_BODY_BYTES. With long aliases, a text of 100,000 characters can select 30 million,
 * which would take more than 50 ms. The fast path counts bytes; `boundAnswer` counts characters.
 */
export const maxAnswerLength = 8 * 1_048_576;

/** The longest answer to a long text without an admitted caller: its aliases could make the answer as long as it is. */
const maxAnonymousLength = 16_384;

const lengthError = (maxLength: number) =>
  new GatewayError('OPERATION_TOO_COMPLEX', {
    message: `The answer would be longer than ${maxLength} characters.`,
  });
export const tooLong = lengthError(maxAnswerLength);
const tooLongWithoutCaller = lengthError(maxAnonymousLength);

export function boundAnswer(
  result: FormattedExecutionResult,
  isAnonymous: boolean,
): FormattedExecutionResult {
  const maxLength = isAnonymous ? maxAnonymousLength : maxAnswerLength;
  if (leftAfter(result, maxLength) >= 0) return result;
  return failedAnswer(isAnonymous ? tooLongWithoutCaller : tooLong);
}

/** An answer that has only this error. */
export function failedAnswer({ message, extensions }: GatewayError): FormattedExecutionResult {
  return { errors: [{ message, extensions: { ...extensions } }], data: null };
}

/** From this length on, strings are measured as JSON, in which one character may become six, such as `\u0000`. */
const shortLength = 1024;

/** What the value leaves of `left` characters. Most punctuation does not count; counting stops below zero. */
function leftAfter(value: unknown, left: number): number {
  if (typeof value === 'string') {
    return left - (value.length < shortLength ? value.length : JSON.stringify(value).length);
  }
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      rest = leftAfter(item, rest - 1);
      if (rest < 0) break;
    }
    return rest;
  }
  for (const key in value) {
    rest = leftAfter((value as Readonly<Record<string, unknown>>)[key], rest - key.length);
    if (rest < 0) break;
  }
  return rest;
}
