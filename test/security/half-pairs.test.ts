// Half of a surrogate pair that a client sends does not come back: strict JSON parsers would refuse the whole answer.
import { expect, test } from 'vitest';
import { gatewayOfFile } from '../support/fixtures.ts';
import { callerHeaders, post } from '../support/query.ts';

const gateway = await gatewayOfFile();
const headers = await callerHeaders(gateway.bank);

const withVariable = (type: string, text: string, value: string) =>
  `{"query":"query ($v: ${type}) { ${text} }","variables":{"v":${value}}}`;
const statement = (argument: string) =>
  `transactions(accountId: \\"x\\", ${argument}) { totalCount }`;
const reference = '_entities(representations: [$v]) { __typename }';

test.each([
  ['an operation text', String.raw`{"query":"\ud83d"}`],
  ['a name', String.raw`{"query":"{ a\udfff }"}`],
  ['a string', `{"query":"{ account(id: \\"\\ud83d\\") { id } }"}`],
  ['an escape in a string', `{"query":"{ account(id: \\"\\\\ud83d\\") { id } }"}`],
  ['a string for a date', `{"query":"{ ${statement(String.raw`from: \"\\u{d83d}\ude00\"`)} }"}`],
  ['a block', `{"query":"{ ${statement(String.raw`from: \"\"\"\ud83d\"\"\"`)} }"}`],
  ['an operation name', String.raw`{"query":"{ __typename }","operationName":"\ud83d"}`],
  ['a documentId', String.raw`{"documentId":"\ud83d"}`],
  ['a hash', String.raw`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"\ud83d"}}}`],
  ['an id', withVariable('ID!', 'account(id: $v) { id }', String.raw`"\ud83d"`)],
  ['a cursor', withVariable('String', statement('after: $v'), String.raw`"\ud83d"`)],
  ['a date', withVariable('Date', statement('from: $v'), String.raw`"\ud83d"`)],
  ['a number', withVariable('Int', statement('first: $v'), String.raw`"\ud83d"`)],
  ['a boolean', withVariable('Boolean!', '__typename @skip(if: $v)', String.raw`"\udfff"`)],
  ['a key', withVariable('Int', statement('first: $v'), String.raw`{"\ud83d":1}`)],
  ['a type', withVariable('_Any!', reference, String.raw`{"__typename":"\ud83d","id":"x"}`)],
  [
    'the id of a reference',
    withVariable('_Any!', reference, String.raw`{"__typename":"Account","id":"\ud83d"}`),
  ],
])('in %s does not come back', async (_what, body) => {
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    // From the second request on, the operation may have a plan.
    for (let time = 0; time < 3; time++) {
      const { text } = await post(gateway, body, { headers: { ...headers, accept } });
      expect(text).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
    }
  }
});
