// What a program can do with a running bank. The same is offered over HTTP, for client teams: control.ts.
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

/** A running bank. Disposing of it closes it. */
export interface Bank extends AsyncDisposable, CallLog, StatementScript {
  /** The service's base address, as UPSTREAM_URL wants it. */
  readonly url: string;
  /** Where the bank is scripted over HTTP. */
  readonly controlUrl: string;
  /** Where the key of its tokens is: a JWK set. */
  readonly keySetUrl: string;
  /** iss and aud of its tokens. */
  readonly issuer: string;
  readonly audience: string;
  /** Stands in every body text of an answer that must never leave the gateway. */
  readonly secretMark: string;
  readonly tenants: readonly string[];
  /** A holder has an entry for each of its tenants. */
  readonly holders: readonly HolderSummary[];

  readonly tokenFor: TokenMint['tokenFor'];
  /** Enters a holder; what is left out is made up. */
  addHolder(holder?: NewHolder): HolderSummary;
  /** Opens an account, in the holder's first tenant where none is named, and answers its id. */
  addAccount(holderId: string, account?: NewAccount & { readonly tenant?: string }): string;
  removeAccount(accountId: string): void;

  /** The behaviour as it is now, of the bank or of an account. */
  behaviour(accountId?: string): Behaviour;
  /** Changes the behaviour of the bank, or of one account. */
  configure(change: Partial<Behaviour>, accountId?: string): void;

  /** Does something at every read of a statement. */
  onStatementRead(hook: ReadHook): Disposable;
  clearReadHooks(accountId?: string): void;
  addFault(fault: Fault): ActiveFault;
  /** Takes off one fault, or all. */
  clearFaults(id?: number): void;
  faults(): readonly ActiveFault[];

  /** Connections and requests under way; the highest values since the last resetCalls. */
  load(): Load;
  /** Ends all connections and refuses new ones, until `goOnline` takes the same port again. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /** Everything as it was at the start: data, behaviour, faults, hooks, journal. */
  reset(): void;
  close(): Promise<void>;
}
