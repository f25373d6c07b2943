// The bank's data: holders by tenant, and accounts by id, each with its ledger.
import { createAccountFields, type AccountFields, type NewAccount } from './account-fields.ts';
import { createHolder, type Holder, type HolderKind, type NewHolder } from './holders.ts';
import { Ledger } from './ledger.ts';
import { people } from './people.ts';
import { createRandom, type Random } from '../random.ts';

/** A holder in one tenant, as programs receive it. */
export interface HolderSummary {
  readonly id: string;
  readonly kind: HolderKind;
  readonly name: string;
  readonly tenant: string;
  /** Account ids, in the order of the profile. */
  readonly accounts: readonly string[];
}

/** An account with its owner and its statement. */
export interface Account {
  readonly owner: Holder;
  readonly fields: AccountFields;
  readonly ledger: Ledger;
  /** The source of randomness for the parts of answers that differ at each read. */
  readonly random: Random;
}

/** Thrown for a holder, an account or a control route that the bank does not have. */
export class NotInBankError extends Error {
  override readonly name = 'NotInBankError';
}

interface Entry {
  readonly holder: Holder;
  readonly accounts: Account[];
}

/** The holders and accounts of one bank. Ids are case-insensitive. */
export class Directory {
  readonly #seed: string;
  readonly #epochMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #accounts = new Map<string, Account>();
  readonly #tenants = new Set<string>();
  #random: Random;

  /** Creates the initial holders. `epochMs` is the instant that counts as the present in the data. */
  constructor(seed: string, epochMs: number) {
    this.#seed = seed;
    this.#epochMs = epochMs;
    this.#random = createRandom(seed);
    this.reset();
  }

  tenants(): string[] {
    return [...this.#tenants];
  }

  holders(): HolderSummary[] {
    return [...this.#entries.values()].map(summaryOf);
  }

  /** The holder with this id in a tenant, by default its first tenant; undefined if there is none. */
  holder(id: string, tenant = this.tenantsOf(id)[0]): Holder | undefined {
    return tenant === undefined ? undefined : this.#entries.get(keyOf(tenant, id))?.holder;
  }

  /** The tenants that have a holder with this id; empty if there is no such holder. */
  tenantsOf(id: string): string[] {
    return this.tenants().filter((tenant) => this.#entries.has(keyOf(tenant, id)));
  }

  accountsOf({ tenant, entity }: Holder): AccountFields[] {
    const accounts = this.#entries.get(keyOf(tenant, entity.id))?.accounts ?? [];
    return accounts.map(({ fields }) => fields);
  }

  account(id: string): Account | undefined {
    return this.#accounts.get(id.toLowerCase());
  }

  /** The statement of an account; throws a NotInBankError if there is no such account. */
  ledger(accountId: string): Ledger {
    const account = this.account(accountId);
    if (account === undefined) throw new NotInBankError(`There is no account ${accountId}.`);
    return account.ledger;
  }

  /**
   * Adds a holder with its accounts. Throws if the tenant already has a holder with this id, or if an account is
   * invalid or exists already.
   */
  addHolder({ tenant = this.tenants()[0] ?? '', ...given }: NewHolder): HolderSummary {
    const holder = createHolder(this.#random, tenant, given);
    const key = keyOf(tenant, holder.entity.id);
    if (this.#entries.has(key)) throw new RangeError(`${tenant} has ${holder.entity.id} already.`);
    // All accounts are created before any is added, so that an invalid account leaves the bank unchanged.
    const accounts = (given.accounts ?? []).map((account) => this.#create(holder, account));
    const entry = { holder, accounts: [] };
    this.#entries.set(key, entry);
    this.#tenants.add(tenant);
    accounts.forEach((account) => this.#open(entry, account));
    return summaryOf(entry);
  }

  /**
   * Opens an account, in the holder's first tenant by default, and returns its id. Throws if the holder is unknown, or
   * if the account is invalid or exists already.
   */
  addAccount(holderId: string, { tenant, ...given }: NewAccount & InTenant): string {
    const holder = this.holder(holderId, tenant);
    const entry = holder && this.#entries.get(keyOf(holder.tenant, holderId));
    if (entry === undefined) throw new NotInBankError(`There is no holder ${holderId}.`);
    return this.#open(entry, this.#create(entry.holder, given));
  }

  /** Closes an account, if it exists. */
  removeAccount(id: string): void {
    const account = this.account(id);
    if (account === undefined) return;
    this.#accounts.delete(id.toLowerCase());
    const { tenant, entity } = account.owner;
    const accounts = this.#entries.get(keyOf(tenant, entity.id))?.accounts ?? [];
    accounts.splice(accounts.indexOf(account), 1);
  }

  /** Restores the initial holders. */
  reset(): void {
    this.#entries.clear();
    this.#accounts.clear();
    this.#tenants.clear();
    this.#random = createRandom(`${this.#seed}/people`);
    const ids = new Map<string, string>();
    for (const { key, ...person } of people) {
      const id = ids.get(key) ?? this.#random.uuid();
      ids.set(key, id);
      this.addHolder({ id, ...person });
    }
  }

  #create(owner: Holder, given: NewAccount): Account {
    const fields = createAccountFields(this.#random, given);
    if (this.account(fields.id)) throw new RangeError(`There is an account ${fields.id} already.`);
    const made = createRandom(`${this.#seed}/transactions/${fields.id}`);
    const ledger = new Ledger(made, this.#epochMs, given.transactions ?? 0, given);
    return { owner, fields, ledger, random: createRandom(`${this.#seed}/reads/${fields.id}`) };
  }

  #open({ accounts }: Entry, account: Account): string {
    const { id } = account.fields;
    this.#accounts.set(id.toLowerCase(), account);
    accounts.push(account);
    return id;
  }
}

/** Selects one of a holder's tenants. */
interface InTenant {
  readonly tenant?: string;
}

function keyOf(tenant: string, holderId: string): string {
  return `${tenant} ${holderId.toLowerCase()}`;
}

function summaryOf({ holder, accounts }: Entry): HolderSummary {
  const { kind, tenant, entity } = holder;
  const ids = accounts.map(({ fields }) => fields.id);
  return { id: entity.id, kind, name: entity.name, tenant, accounts: ids };
}
