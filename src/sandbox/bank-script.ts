// The interface of a running bank for programs. control.ts offers most of it over HTTP, for client teams.
import type { NewAccount } from './data/account-fields.ts';
import type { Behaviour } from './behaviour.ts';
import type { Load } from './service/connections.ts';
import type { HolderSummary } from './data/directory.ts';
import type { ActiveFault, Fault } from './faults/faults.ts';
import type { NewHolder } from './data/holders.ts';
import type { CallLog } from './service/journal.ts';
import type { ReadHook } from './data/read-hooks.ts';
import type { StatementScript } from './data/statement-script.ts';
import type { TokenMint } from './tokens.ts';

/** A running bank. Disposing of the bank closes it. */
export interface Bank extends AsyncDisposable, CallLog, StatementScript {
  /** The service's base address, for UPSTREAM_URL. */
  readonly url: string;
  /** The base address of the control routes. */
  readonly controlUrl: string;
  /** The address of the JWK set with the public key of the bank's tokens. */
  readonly keySetUrl: string;
  /** The claims iss and aud of the bank's tokens. */
  readonly issuer: string;
  readonly audience: string;
  /** A string that marks the parts of the service's answers that must never leave the gateway. */
  readonly secretMark: string;
  readonly tenants: readonly string[];
  /** All holders, with one entry for each tenant of a holder. */
  readonly holders: readonly HolderSummary[];

  readonly tokenFor: TokenMint['tokenFor'];
  /** Adds a holder; omitted personal data is generated. */
  addHolder(holder?: NewHolder): HolderSummary;
  /** Opens an account, in the holder's first tenant by default, and returns its id. */
  addAccount(holderId: string, account?: NewAccount & { readonly tenant?: string }): string;
  removeAccount(accountId: string): void;

  /** The current behaviour of the bank, or of an account; throws a NotInBankError if there is no such account. */
  behaviour(accountId?: string): Behaviour;
  /** Changes the behaviour of the bank, or of one account; throws a NotInBankError if there is no such account. */
  configure(change: Partial<Behaviour>, accountId?: string): void;

  /** Adds a hook that runs when a statement is read; disposing of the result removes the hook. */
  onStatementRead(hook: ReadHook): Disposable;
  clearReadHooks(accountId?: string): void;
  addFault(fault: Fault): ActiveFault;
  /** Removes the fault with this id, or all faults. */
  clearFaults(id?: number): void;
  faults(): readonly ActiveFault[];

  /** The current numbers of connections and of requests in progress, and their maxima since the last `resetCalls`. */
  load(): Load;
  /** Closes all connections and refuses new ones, until `goOnline` listens on the same port again. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /**
   * Restores the initial data, behaviour and random numbers, removes all faults and hooks, stops arrivals, empties the
   * journal, and resets the maxima of `load`.
   */
  reset(): void;
  close(): Promise<void>;
}
