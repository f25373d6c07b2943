// Parses the body of a profile (docs/service.md).
import type { GatewayError } from '../../errors.ts';
import { AnswerCheck } from './check.ts';
import { parseBody } from './exact-json.ts';
import { checkElement, checkObject, type FieldTable } from './field-types.ts';
import {
  type Account,
  accountFields,
  addressFields,
  type HolderKind,
  holderFields,
  individualFields,
  type Profile,
} from './shapes.ts';

/**
 * Reads the answer of a profile endpoint; throws UPSTREAM_CONTRACT_VIOLATION if the text is not a JSON object. A company's
 * `token` is not kept. Its `entityType` is not checked, because no field shows it.
 */
export function parseProfile(kind: HolderKind, text: string, answer = new AnswerCheck()): Profile {
  const body = parseBody(text);
  const part = <Table extends FieldTable>(table: Table, key: string) =>
    checkObject(table, body[key], `/${key}`, answer);
  const isPerson = kind === 'PERSON';
  return {
    kind,
    holder: part(holderFields, isPerson ? 'person' : 'entity'),
    individual: isPerson ? part(individualFields, 'individual') : null,
    address: isPerson ? part(addressFields, 'address') : null,
    accounts: checkAccounts(body['accounts'], answer),
  };
}

/**
 * Each wrong value becomes an error in the answer, which costs up to 0.1 ms and 200 bytes: four million bytes of nulls
 * would block the process for minutes. A list with more wrong values is one violation.
 */
const maxWrong = 1000;

function checkAccounts(list: unknown, answer: AnswerCheck): Profile['accounts'] {
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list)) return answer.violation('/accounts', 'is not a list');
  const most = answer.violations.size + maxWrong;
  const accounts: (Account | GatewayError)[] = [];
  for (const [index, sent] of list.entries()) {
    accounts.push(checkElement(accountFields, sent, `/accounts/${index}`, answer));
    if (answer.violations.size > most) {
      return answer.violation('/accounts', `has more than ${maxWrong} wrong values`);
    }
  }
  return accounts;
}
