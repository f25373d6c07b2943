// Parses the body of a profile (docs/service.md).
import { GatewayError } from '../../errors.ts';
import {
  absentOr,
  checkBody,
  type Checked,
  type Fields,
  isFields,
  isUuid,
  parseJson,
  usableId,
  violation,
} from './check.ts';
import { createExactParser } from './exact-json.ts';
import {
  type CheckFields,
  checkFieldsOf,
  decimalsIn,
  type FieldTable,
  type ParsedAnswer,
  type Shape,
} from './field-types.ts';
import { createInvestmentReader } from './investment-shape.ts';
import {
  type Account,
  accountFields,
  addressFields,
  holderFields,
  individualFields,
  type Profile,
} from './shapes.ts';

const parse = createExactParser(
  decimalsIn(holderFields, individualFields, addressFields, accountFields),
);

const checkHolder = checkFieldsOf(holderFields);
const checkIndividual = checkFieldsOf(individualFields);
const checkAddress = checkFieldsOf(addressFields);
const checkAccount = checkFieldsOf(accountFields);

/** Reads the answer of `GET /persons`; throws UPSTREAM_CONTRACT_VIOLATION if the text is not a JSON object. */
export function parsePerson(text: string): Profile {
  const [body, answer] = parseAnswer(text);
  return {
    kind: 'PERSON',
    holder: checkPart(checkHolder, body, 'person', answer),
    individual: checkPart(checkIndividual, body, 'individual', answer),
    address: checkPart(checkAddress, body, 'address', answer),
    accounts: checkAccounts(body.accounts, answer),
  };
}

/**
 * Reads the answer of `GET /companies`; throws as parsePerson does. Its `token` is not kept. Its `entityType` is not
 * checked, because no field shows it.
 */
export function parseCompany(text: string): Profile {
  const [body, answer] = parseAnswer(text);
  return {
    kind: 'COMPANY',
    holder: checkPart(checkHolder, body, 'entity', answer),
    individual: null,
    address: null,
    accounts: checkAccounts(body.accounts, answer),
  };
}

function parseAnswer(text: string): [Fields, ParsedAnswer] {
  const { root, digits } = parseJson(parse, text);
  return [checkBody(root), { digits, exactObject: createInvestmentReader(text) }];
}

function checkPart<Table extends FieldTable>(
  check: CheckFields<Table>,
  body: Fields,
  key: string,
  answer: ParsedAnswer,
): Checked<Shape<Table>> {
  const value = body[key];
  if (!isFields(value)) return absentOr(value, '', key, 'is not an object');
  return checkObject(check, value, `/${key}`, answer);
}

function checkObject<Table extends FieldTable>(
  check: CheckFields<Table>,
  value: Fields,
  at: string,
  answer: ParsedAnswer,
): Checked<Shape<Table>> {
  const id = usableId(value.id);
  if (id === null) return violation(at, 'id', 'is no usable id');
  return check(value, id, at, answer);
}

function checkAccounts(value: unknown, answer: ParsedAnswer): Profile['accounts'] {
  if (!Array.isArray(value)) return absentOr(value, '', 'accounts', 'is not a list');
  const accounts: Checked<Account>[] = [];
  let wrong = 0;
  for (const [index, account] of value.entries()) {
    const checked = isFields(account)
      ? checkListedAccount(account, `/accounts/${index}`, answer)
      : violation('/accounts', `${index}`, 'is not an object');
    wrong +=
      checked === null || checked instanceof GatewayError
        ? 1
        : Object.values(checked).filter((one) => one instanceof GatewayError).length;
    if (wrong > maxWrong)
      return violation('', 'accounts', `has more than ${maxWrong} wrong values`);
    accounts.push(checked);
  }
  return accounts;
}

function checkListedAccount(account: Fields, at: string, answer: ParsedAnswer): Checked<Account> {
  const checked = checkObject(checkAccount, account, at, answer);
  const isAddressable = checked === null || checked instanceof GatewayError || isUuid(checked.id);
  return isAddressable ? checked : violation(at, 'id', 'is not a UUID');
}

/**
 * Each wrong value becomes an error in the answer, which costs up to 0.1 ms and 200 bytes: four million bytes of nulls
 * would block the process for minutes. A list with more wrong values is one violation.
 */
const maxWrong = 1000;
