// Scans a profile: the holder with its accounts, kept as the JSON that the service sent.
import { sourceClass, type SourceObject } from '../../json/source-object.ts';
import type { AnswerObserver } from '../observer.ts';
import { AnswerCheck } from '../shape/check.ts';
import { parseBody } from '../shape/exact-json.ts';
import { copyObject, maxInvestmentLength } from '../shape/investment-shape.ts';
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
import { utcDate } from '../shape/timestamp.ts';
import { answerScan, listPart, objectPart } from './answer-scan.ts';
import { Layout } from './source-layout.ts';

const accountLayout = new Layout(accountFields);
const AccountSource = sourceClass<Account>(accountLayout.shape, {
  investmentAccount: (json) => copyObject(parseBody(json), 1, new AnswerCheck()),
});
const investmentAccount = accountLayout.shape.fieldOf('investmentAccount');

const accounts = listPart(accountLayout, AccountSource);
const holder = objectPart<Holder>(holderFields);
const individual = objectPart<Individual>(individualFields, {
  birthDate: (json) => utcDate(JSON.parse(json) as string),
});
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

/** Reads an answer of `GET /persons` or `GET /companies`; null if it is left to `parseProfile`. */
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
