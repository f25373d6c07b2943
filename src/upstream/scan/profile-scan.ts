// Scans a profile byte by byte, if it is exactly as the service documents it (docs/service.md).
import { braces, brackets, JsonReader, unexpected, valueKinds } from '../../json/json-reader.ts';
import { Literal } from '../../json/literal.ts';
import type { SourceClass } from '../../json/source-object.ts';
import { SourceText } from '../../json/source-text.ts';
import type { AnswerObserver } from '../observer.ts';
import { maxInvestmentLength } from '../shape/investment-shape.ts';
import type { Account, HolderKind, Profile } from '../shape/shapes.ts';
import { type Layout, maxDepth } from './source-layout.ts';
import {
  accountLayout,
  AccountSource,
  addressLayout,
  AddressSource,
  holderLayout,
  HolderSource,
  individualLayout,
  IndividualSource,
} from './sources.ts';

/**
 * Like `scanStatementPage`, for an answer of `GET /persons` or `GET /companies`: anything unexpected is left to
 * profile-shape.ts. A company's `token` is not at a place whose values are shown.
 */
export function scanProfile(
  kind: HolderKind,
  utf8: Buffer,
  observer?: AnswerObserver,
): Profile | null {
  try {
    return new ProfileScanner(kind, utf8, observer).profile();
  } catch (error) {
    if (error === unexpected) return null;
    throw error;
  }
}

type Part = 'holder' | 'individual' | 'address' | 'accounts';

/** The keys of either answer that are read, in their usual order. */
const partsOf: Readonly<Record<HolderKind, readonly (readonly [string, Part])[]>> = {
  PERSON: [
    ['person', 'holder'],
    ['individual', 'individual'],
    ['address', 'address'],
    ['accounts', 'accounts'],
  ],
  COMPANY: [
    ['entity', 'holder'],
    ['accounts', 'accounts'],
  ],
};

interface Keys {
  readonly keys: readonly Literal[];
  readonly parts: readonly Part[];
}

const keysOf: Readonly<Record<HolderKind, Keys>> = {
  PERSON: keysIn(partsOf.PERSON),
  COMPANY: keysIn(partsOf.COMPANY),
};

function keysIn(parts: readonly (readonly [string, Part])[]): Keys {
  return {
    keys: parts.map(([key]) => new Literal(`"${key}"`)),
    parts: parts.map(([, part]) => part),
  };
}

const investmentAccount = accountLayout.shape.fieldOf('investmentAccount');

class ProfileScanner {
  readonly #kind: HolderKind;
  readonly #observer: AnswerObserver | undefined;
  readonly #json: JsonReader;
  readonly #text: SourceText;
  readonly #found: { -readonly [Name in Part]?: Profile[Name] } = {};

  constructor(kind: HolderKind, utf8: Buffer, observer: AnswerObserver | undefined) {
    this.#kind = kind;
    this.#observer = observer;
    this.#text = new SourceText(utf8);
    this.#json = new JsonReader(this.#text);
  }

  profile(): Profile {
    const json = this.#json;
    const { keys, parts } = keysOf[this.#kind];
    let likely = 0;
    if (json.enter(braces)) {
      do {
        const key = json.key(keys, likely);
        const part = parts[key];
        if (part === undefined) json.any(maxDepth);
        else this.#read(part);
        likely = key + 1;
      } while (json.goOn(braces));
    }
    json.finish();
    const { holder = null, individual = null, address = null, accounts = null } = this.#found;
    return { kind: this.#kind, holder, individual, address, accounts };
  }

  #read(part: Part): void {
    const found = this.#found;
    if (found[part] !== undefined) throw unexpected;
    if (part === 'accounts') found.accounts = this.#accounts();
    else if (part === 'holder') found.holder = this.#object(holderLayout, HolderSource);
    else if (part === 'address') found.address = this.#object(addressLayout, AddressSource);
    else found.individual = this.#object(individualLayout, IndividualSource);
  }

  #accounts(): readonly Account[] | null {
    const json = this.#json;
    if (!json.isAt(brackets)) return this.#null();
    const accounts: Account[] = [];
    if (!json.enter(brackets)) return accounts;
    let investmentLength = 0;
    do {
      const account = this.#object(accountLayout, AccountSource);
      // An account that is null is a violation.
      if (account === null) throw unexpected;
      investmentLength += account.lengthOf(investmentAccount);
      if (investmentLength > maxInvestmentLength) throw unexpected;
      accounts.push(account);
    } while (json.goOn(brackets));
    return accounts;
  }

  #object<T>(layout: Layout, Source: SourceClass<T>): InstanceType<SourceClass<T>> | null {
    if (!this.#json.isAt(braces)) return this.#null();
    const places: number[] = [];
    layout.read(this.#json, this.#text, places, 0, this.#observer);
    return new Source(this.#text, places, 0);
  }

  #null(): null {
    if (this.#json.value() !== valueKinds.null) throw unexpected;
    return null;
  }
}
