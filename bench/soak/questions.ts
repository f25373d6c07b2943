// The requests of the soak test, and the allowed outcomes of each.
import { connectionFields, meFields } from '../../test/support/documents.ts';
import { type Answer, graphqlRequest } from '../../test/support/load.ts';
import type { Issuer, SoakCaller } from './callers.ts';

export interface Question {
  readonly name: string;
  /** The allowed outcomes: `OK`, or error codes. Any other outcome is unexplained. */
  readonly outcomes: ReadonlySet<string>;
  /** The request as bytes. A valid token is signed with the issuer's current key. */
  request(): Buffer;
}

/** The possible outcomes of a valid operation, given the service's faults and the rate limit. */
export const servedOutcomes: ReadonlySet<string> = new Set([
  'OK',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_REJECTED',
  'UPSTREAM_CONTRACT_VIOLATION',
  'RATE_LIMITED',
  'NOT_FOUND',
]);

const aliases = Array.from({ length: 40 }, (_, n) => `a${n}: accounts { id }`).join(' ');
const deep = `{ __schema { types ${'{ fields { type '.repeat(12)} { name } ${'} }'.repeat(12)} } }`;

const good = [
  `{ me { ${meFields} } }`,
  '{ me { __typename } accounts { id balance number status investmentAccount } }',
  '{ accounts { id transactions(first: 5) { nodes { id amount } } } }',
  '{ a: accounts { id } b: accounts { balance } me { ... on AccountHolder { accounts { id } } } }',
];

const goodOf = (account: string) => [
  `{ transactions(accountId: "${account}") { ${connectionFields} } }`,
  `{ transactions(accountId: "${account}", first: 100) { nodes { id signedAmount } totalCount } }`,
  `{ transactions(accountId: "${account}", last: 20) { nodes { id } pageInfo { startCursor } } }`,
  `{ account(id: "${account}") { id transactions(from: "2026-01-01") { totalCount } } }`,
];

const bad: readonly (readonly [document: string, outcome: string])[] = [
  ['{ __typename }', 'OK'],
  ['{ transactions(accountId: "none") { totalCount } }', 'BAD_USER_INPUT'],
  ['{ accounts { nothing } }', 'GRAPHQL_VALIDATION_FAILED'],
  ['mutation { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
  ['{ accounts {', 'GRAPHQL_PARSE_FAILED'],
  [`{ ${aliases} }`, 'OPERATION_TOO_COMPLEX'],
  [deep, 'OPERATION_TOO_COMPLEX'],
];

/** All requests, in an order in which consecutive requests usually come from different callers. */
export function questionsOf(issuer: Issuer): Question[] {
  const questions = issuer.callers.flatMap(questionsOfCaller).concat(refusedQuestions(issuer));
  const step = 47;
  return questions.map((_, index) => questions[(index * step) % questions.length] as Question);
}

function questionsOfCaller(caller: SoakCaller): Question[] {
  const [account] = caller.accounts;
  const asked = (document: string, outcomes: ReadonlySet<string>): Question => ({
    name: document,
    outcomes,
    request: () => graphqlRequest(document, caller.headers()),
  });
  return [
    ...[...good, ...(account === undefined ? [] : goodOf(account))].map((document) =>
      asked(document, servedOutcomes),
    ),
    ...bad.map(([document, outcome]) => asked(document, new Set([outcome]))),
  ];
}

function refusedQuestions(issuer: Issuer): Question[] {
  const document = '{ accounts { id } }';
  const [caller] = issuer.callers;
  const refused = (
    name: string,
    outcome: string,
    headers: () => Readonly<Record<string, string>>,
  ): Question => ({
    name,
    outcomes: new Set([outcome]),
    request: () => graphqlRequest(document, headers()),
  });
  return [
    refused('without a token', 'UNAUTHENTICATED', () => ({})),
    refused('with a forged token', 'UNAUTHENTICATED', () => issuer.forgedHeaders()),
    refused('with a malformed tenant', 'TENANT_REQUIRED', () => ({
      ...caller?.headers(),
      'x-tenant-id': 'not a tenant',
    })),
  ];
}

/**
 * The outcomes of an answer: the error codes; without error codes, `OK` or the HTTP status; `lost` if no answer came.
 */
export function outcomesOf({ status, body }: Pick<Answer, 'status' | 'body'>): string[] {
  if (status === 0) return ['lost'];
  const codes = [...body.matchAll(/"code":"(\w+)"/g)].map(([, code = '']) => code);
  if (codes.length > 0) return [...new Set(codes)];
  return status === 200 ? ['OK'] : [`HTTP ${status}`];
}
