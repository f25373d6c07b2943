// Parses the body of a profile (docs/service.md).
import { GatewayError } from '../../errors.ts';
import { violation } from './check.ts';
import { parseBody } from './exact-json.ts';
import { checkElement, checkObject, type FieldTable } from './field-types.ts';
import { Taken } from './investment-shape.ts';
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
export function parseProfile(kind: HolderKind, text: string): Profile {
  const body = parseBody(text);
  const taken = new Taken();
  const part = <Table extends FieldTable>(table: Table, key: string) =>
    checkObject(table, body[key], `/${key}`, taken);
  const isPerson = kind === 'PERSON';
  return {
    kind,
    holder: part(holderFields, isPerson ? 'person' : 'entity'),
    individual: isPerson ? part(individualFields, 'individual') : null,
    address: isPerson ? part(addressFields, 'address') : null,
    accounts: checkAccounts(body['accounts'], taken),
  };
}

/**
 * Each wrong value becomes an error in the answer, which costs up to 0.1 ms and 200 bytes: four million bytes of nulls
 * would block the process for minutes. A list with more wrong values is one violation.
 */
const maxWrong = 1000;

function checkAccounts(list: unknown, taken: Taken): Profile['accounts'] {
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list)) return violation('', 'accounts', 'is not a list');
  const accounts: (Account | GatewayError)[] = [];
  let wrong = 0;
  for (const [index, sent] of list.entries()) {
    const account = checkElement(accountFields, sent, `/accounts/${index}`, taken);
    const values = account instanceof GatewayError ? [account] : Object.values(account);
    wrong += values.filter((value) => value instanceof GatewayError).length;
    if (wrong > maxWrong)
      return violation('', 'accounts', `has more than ${maxWrong} wrong values`);
    accounts.push(account);
  }
  return accounts;
}
