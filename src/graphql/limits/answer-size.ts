// How long an answer may be: aliases and references repeat what the service sent, which may be long itself.
import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import { GatewayError } from '../../errors.ts';

/** Characters of an answer: eight times the longest answer of the service, by default. */
export const maxAnswerLength = 32 * 1_048_576;

const message = `The answer would be longer than ${maxAnswerLength} characters.`;
const { extensions } = new GatewayError('OPERATION_TOO_COMPLEX', { message });

const bounding: GraphQLRequestListener<object> = {
  willSendResponse({ response: { body } }) {
    if (body.kind === 'single' && leftAfter(body.singleResult, maxAnswerLength) < 0) {
      body.singleResult = { errors: [{ message, extensions: { ...extensions } }], data: null };
    }
    return Promise.resolve();
  },
};

/** A plugin that puts an error in place of an answer that is too long, before any other plugin sees it. */
export const answerBound: ApolloServerPlugin<object> = {
  requestDidStart: () => Promise.resolve(bounding),
};

/** Strings of the same value are one in memory until they are written, and some characters are written as six. */
const shortLength = 1024;

/** What is left of a number of characters after a value is written; below zero, it stops counting. */
function leftAfter(value: unknown, left: number): number {
  if (typeof value === 'string') {
    return left - (value.length < shortLength ? value.length : JSON.stringify(value).length);
  }
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left;
  for (const key in value) {
    rest = leftAfter((value as Readonly<Record<string, unknown>>)[key], rest - key.length);
    if (rest < 0) break;
  }
  return rest;
}
