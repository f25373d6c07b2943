// The body of a profile (docs/service.md) -> Profile.
import { GatewayError } from '../errors.ts';
import {
  absentOr,
  checkBody,
  checkDate,
  checkDecimal,
  checkFlag,
  checkText,
  checkTimestamp,
  type Fields,
  isFields,
  parseJson,
  usableId,
  violation,
} from './check.ts';
import { createExactParser, type ExactJson } from './exact-json.ts';
import { createInvestmentReader, type InvestmentReader } from './investment-shape.ts';
import type { Account, Address, Checked, Holder, Individual, Profile } from './shapes.ts';

const parse = createExactParser(['balance', 'income']);

/** Reads the answer of `GET /persons`; throws UPSTREAM_CONTRACT_VIOLATION where the text is no JSON object. */
export function parsePerson(text: string): Profile {
  const { root, digits } = parseJson(parse, text);
  const body = checkBody(root);
  return {
    kind: 'PERSON',
    holder: checkPart(body.person, 'person', digits, readHolder),
    individual: checkPart(body.individual, 'individual', digits, readIndividual),
    address: checkPart(body.address, 'address', digits, readAddress),
    accounts: checkAccounts(body.accounts, digits, createInvestmentReader(text)),
  };
}

/**
 * Reads the answer of `GET /companies`; throws as parsePerson does. Its `token` is left behind with the text, and its
 * `entityType` is not looked at: no field shows it, so that a wrong one has no field to spoil.
 */
export function parseCompany(text: string): Profile {
  const { root, digits } = parseJson(parse, text);
  const body = checkBody(root);
  return {
    kind: 'COMPANY',
    holder: checkPart(body.entity, 'entity', digits, readHolder),
    individual: null,
    address: null,
    accounts: checkAccounts(body.accounts, digits, createInvestmentReader(text)),
  };
}

/** Reads the fields of an object that has a usable `id`; `at` is the object's JSON pointer. */
type PartReader<T> = (fields: Fields, id: string, at: string, digits: ExactJson['digits']) => T;

function checkPart<T>(
  value: unknown,
  key: string,
  digits: ExactJson['digits'],
  read: PartReader<T>,
): T | GatewayError | null {
  if (!isFields(value)) return absentOr(value, '', key, 'is not an object');
  const id = usableId(value.id);
  const at = `/${key}`;
  return id === null ? violation(at, 'id', 'is no usable id') : read(value, id, at, digits);
}

function readHolder(holder: Fields, id: string, at: string): Holder {
  return {
    id,
    name: checkText(holder.name, at, 'name'),
    document: checkText(holder.document, at, 'document'),
    email: checkText(holder.email, at, 'email'),
    emailConfirmation: checkFlag(holder.emailConfirmation, at, 'emailConfirmation'),
    phone: checkText(holder.phone, at, 'phone'),
    phoneConfirmation: checkFlag(holder.phoneConfirmation, at, 'phoneConfirmation'),
    status: checkText(holder.status, at, 'status'),
    onboardingStep: checkText(holder.onboardingStep, at, 'onboardingStep'),
    hasPin: checkFlag(holder.hasPin, at, 'hasPin'),
  };
}

function readIndividual(
  individual: Fields,
  id: string,
  at: string,
  digits: ExactJson['digits'],
): Individual {
  return {
    id,
    birthDate: checkDate(individual.birthDate, at, 'birthDate'),
    motherName: checkText(individual.motherName, at, 'motherName'),
    fatherName: checkText(individual.fatherName, at, 'fatherName'),
    income: checkDecimal(individual.income, digits, at, 'income'),
    nationality: checkText(individual.nationality, at, 'nationality'),
    publiclyExposedPerson: checkFlag(individual.publiclyExposedPerson, at, 'publiclyExposedPerson'),
    documentType: checkText(individual.documentType, at, 'documentType'),
    documentNumber: checkText(individual.documentNumber, at, 'documentNumber'),
    documentUf: checkText(individual.documentUf, at, 'documentUf'),
    documentIssuing: checkText(individual.documentIssuing, at, 'documentIssuing'),
    documentDateIssue: checkTimestamp(individual.documentDateIssue, at, 'documentDateIssue'),
    documentExpiration: checkTimestamp(individual.documentExpiration, at, 'documentExpiration'),
  };
}

function readAddress(address: Fields, id: string, at: string): Address {
  return {
    id,
    zipCode: checkText(address.zipCode, at, 'zipCode'),
    state: checkText(address.state, at, 'state'),
    city: checkText(address.city, at, 'city'),
    neighborhood: checkText(address.neighborhood, at, 'neighborhood'),
    street: checkText(address.street, at, 'street'),
    number: checkText(address.number, at, 'number'),
    complement: checkText(address.complement, at, 'complement'),
  };
}

function checkAccounts(
  value: unknown,
  digits: ExactJson['digits'],
  investment: InvestmentReader,
): Profile['accounts'] {
  if (!Array.isArray(value)) return absentOr(value, '', 'accounts', 'is not a list');
  const accounts: Checked<Account>[] = [];
  let wrong = 0;
  for (const [index, account] of value.entries()) {
    const checked = checkAccount(account, index, digits, investment);
    wrong += countWrong(checked);
    if (wrong > maxWrong)
      return violation('', 'accounts', `has more than ${maxWrong} wrong values`);
    accounts.push(checked);
  }
  return accounts;
}

/**
 * Each wrong value becomes an error in the answer, which takes up to a tenth of a millisecond and 200 bytes: four million
 * bytes of nulls would hold up everybody for minutes. A list with so much wrong is none.
 */
const maxWrong = 1000;

function countWrong(account: Checked<Account>): number {
  if (account === null || account instanceof GatewayError) return 1;
  let wrong = 0;
  for (const value of Object.values(account)) if (value instanceof GatewayError) wrong++;
  return wrong;
}

function checkAccount(
  account: unknown,
  index: number,
  digits: ExactJson['digits'],
  investment: InvestmentReader,
): Checked<Account> {
  if (!isFields(account)) return violation('/accounts', `${index}`, 'is not an object');
  const at = `/accounts/${index}`;
  const id = usableId(account.id);
  if (id === null) return violation(at, 'id', 'is no usable id');
  return {
    id,
    bank: checkText(account.bank, at, 'bank'),
    agency: checkText(account.agency, at, 'agency'),
    number: checkText(account.number, at, 'number'),
    balance: checkDecimal(account.balance, digits, at, 'balance'),
    status: checkText(account.status, at, 'status'),
    isEscrow: checkFlag(account.isEscrow, at, 'isEscrow'),
    investmentAccount: isFields(account.investmentAccount)
      ? investment(index)
      : absentOr(account.investmentAccount, at, 'investmentAccount', 'is not an object'),
  };
}
