// A statement page that is still the text that the service sent: where each value stands, and what it is.
import type { Transaction, TransactionStatus } from './shapes.ts';

/** The fields of a transaction, in the order in which the service documents them. */
export const fieldNames = [
  'id',
  'amount',
  'status',
  'externalStatus',
  'category',
  'beneficiaryName',
  'type',
  'credit',
  'createdAt',
] as const;

type Field = (typeof fieldNames)[number];

/** The number of a field in `PageText.places`. */
export const fieldNumbers = Object.fromEntries(
  fieldNames.map((name, number) => [name, number]),
) as {
  readonly [Name in Field]: number;
};

/** Where each field of a row stands in its page's text. */
export type Places = number[];

/**
 * For each field in turn where its value begins and ends, quotes included; twice 0 for none. A literal of its length is
 * made at once, where a list that grows is copied again and again.
 */
export function newPlaces(): Places {
  return [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
}

/**
 * A transaction whose values are looked up in the text of its page, in which each character is a byte of the page's UTF-8:
 * most values are written into an answer just as they stand there.
 */
export class TextTransaction implements Transaction {
  readonly #page: string;
  readonly #places: Places;

  constructor(page: string, places: Places) {
    this.#page = page;
    this.#places = places;
  }

  /** A field as the JSON that GraphQL shows, each character a byte of its UTF-8; undefined where there is no such field. */
  json(field: string): string | undefined {
    switch (field) {
      case 'id':
        return this.#textOf(fieldNumbers.id) ?? 'null';
      case 'amount':
        return quoted(this.#textOf(fieldNumbers.amount));
      case 'credit':
        return this.#textOf(fieldNumbers.credit) ?? 'null';
      case 'signedAmount':
        return quoted(this.signedAmount);
      case 'status':
        return this.#textOf(fieldNumbers.status) ?? 'null';
      case 'externalStatus':
        return this.#textOf(fieldNumbers.externalStatus) ?? 'null';
      case 'category':
        return this.#textOf(fieldNumbers.category) ?? 'null';
      case 'beneficiaryName':
        return this.#textOf(fieldNumbers.beneficiaryName) ?? 'null';
      case 'type':
        return this.#textOf(fieldNumbers.type) ?? 'null';
      case 'createdAt':
        return this.#textOf(fieldNumbers.createdAt) ?? 'null';
      default:
        return undefined;
    }
  }

  get id(): string {
    return this.#string(fieldNumbers.id) ?? '';
  }

  get amount(): string | null {
    return this.#textOf(fieldNumbers.amount);
  }

  get credit(): boolean | null {
    const text = this.#textOf(fieldNumbers.credit);
    return text === null ? null : text === 'true';
  }

  get signedAmount(): string | null {
    const amount = this.#textOf(fieldNumbers.amount);
    const credit = this.#textOf(fieldNumbers.credit);
    if (amount === null || credit === null) return null;
    return credit === 'true' || isZero.test(amount) ? amount : `-${amount}`;
  }

  get status(): TransactionStatus | null {
    return this.#string(fieldNumbers.status) as TransactionStatus | null;
  }

  get externalStatus(): string | null {
    return this.#string(fieldNumbers.externalStatus);
  }

  get category(): string | null {
    return this.#string(fieldNumbers.category);
  }

  get beneficiaryName(): string | null {
    return this.#string(fieldNumbers.beneficiaryName);
  }

  get type(): string | null {
    return this.#string(fieldNumbers.type);
  }

  get createdAt(): string | null {
    return this.#string(fieldNumbers.createdAt);
  }

  #textOf(field: number): string | null {
    const start = this.#places[field * 2] ?? 0;
    return start === 0 ? null : this.#page.slice(start, this.#places[field * 2 + 1]);
  }

  #string(field: number): string | null {
    const text = this.#textOf(field);
    return text === null ? null : decode(text.slice(1, -1));
  }
}

const isZero = /^[0.]+$/;

function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

const isAscii = /^[\0-\x7f]*$/;

/** Bytes as characters -> the text whose UTF-8 they are. */
function decode(bytes: string): string {
  return isAscii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}
