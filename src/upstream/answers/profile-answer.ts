// Reads a profile: by a scan that keeps the service's JSON, or by a parser if the JSON has an unusual form.
import type { GatewayError } from '../../errors.ts';
import { sourceClass, type SourceObject } from '../../json/source-object.ts';
import type { AnswerObserver } from '../observer.ts';
import { AnswerCheck } from '../shape/check.ts';
import { parseBody } from '../shape/exact-json.ts';
import { checkElement, checkObject, type FieldTable } from '../shape/field-types.ts';
import { maxInvestmentLength } from '../shape/investment-shape.ts';
import {
  type Account,
  accountFields,
  type Address,
  addressFields,
  type Holder,
  type HolderKind,
  holderFields,
  type Individual,
  individualFields,
  type Profile,
} from '../shape/shapes.ts';
import { answerScan, listPart, objectPart } from './answer-scan.ts';
import { Layout } from './source-layout.ts';

const accountLayout = new Layout(accountFields);
const AccountSource = sourceClass<Account>(accountLayout.shape);
const investmentAccount = accountLayout.shape.fieldOf('investmentAccount');

const accounts = listPart(accountLayout, AccountSource);
const holder = objectPart<Holder>(holderFields);
const individual = objectPart<Individual>(individualFields);
const address = objectPart<Address>(addressFields);

interface Found {
  readonly person?: Holder | null;
  readonly entity?: Holder | null;
  readonly individual?: Individual | null;
  readonly address?: Address | null;
  readonly accounts?: readonly (Account & SourceObject)[] | null;
}

type Scan = (utf8: Buffer, observer?: AnswerObserver) => Found | null;

const scans: Readonly<Record<HolderKind, Scan>> = {
  PERSON: answerScan({ person: holder, individual, address, accounts }),
  COMPANY: answerScan({ entity: holder, accounts }),
};

/** Scans an answer of `GET /persons` or `GET /companies`; returns null if `parseProfile` has to read the answer. */
export function scanProfile(
  kind: HolderKind,
  utf8: Buffer,
  observer?: AnswerObserver,
): Profile | null {
  const found = scans[kind](utf8, observer);
  if (found === null) return null;
  const { person, entity, individual = null, address = null, accounts = null } = found;
  let investmentLength = 0;
  for (const account of accounts ?? []) investmentLength += account.lengthOf(investmentAccount);
  if (investmentLength > maxInvestmentLength) return null;
  return { kind, holder: person ?? entity ?? null, individual, address, accounts };
}

/** Parses an answer of a profile endpoint; throws UPSTREAM_CONTRACT_VIOLATION if the text is not a JSON object. */
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

/** The largest number of wrong values in a list of accounts; each becomes an error that takes up to 0.1 ms. */
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
