// Accounts as in a profile, and their creation from given and generated fields.
import { parseExact, rawNumber, type RawNumber } from '../json.ts';
import type { Random } from '../random.ts';
import type { NewStatement, StatementShape } from './statement-builder.ts';

/** An account as in a profile (docs/mapping.md). */
export interface AccountFields {
  readonly id: string;
  readonly bank: string;
  readonly agency: string;
  readonly number: string;
  readonly balance: RawNumber;
  readonly status: string;
  readonly isEscrow: boolean;
  readonly investmentAccount: unknown;
}

/** An account to open; an omitted id or balance is generated. */
export interface NewAccount extends StatementShape {
  readonly id?: string;
  /** Decimal text, e.g. `1523.40`, so that every digit is kept. */
  readonly balance?: string;
  /** JSON text of an object, or null; its numbers keep their digits. Default null. */
  readonly investmentAccount?: string;
  /** The account's statement; default empty. */
  readonly transactions?: NewStatement;
}

/** Creates an account. Throws a SyntaxError if the balance is not a number or investmentAccount is not JSON. */
export function createAccountFields(random: Random, given: NewAccount): AccountFields {
  return {
    id: given.id ?? random.uuid(),
    bank: '301',
    agency: '0001',
    number: random.digits(8),
    balance: rawNumber(given.balance ?? `${random.integer(0, 99_999)}.${random.digits(2)}`),
    status: 'APPROVED',
    isEscrow: false,
    investmentAccount: parseExact(given.investmentAccount ?? 'null'),
  };
}
