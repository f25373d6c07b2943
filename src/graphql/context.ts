// What a resolver gets: the caller's profile and statements, for one operation.
import { GatewayError } from '../errors.ts';
import type { Caller, CallerHeaders, Callers } from '../identity/caller.ts';
import type { TraceHeaders } from '../identity/forwarded.ts';
import type { RouterCheck } from '../identity/router.ts';
import type { HolderKinds } from '../profile/holder-kind.ts';
import { createProfileReader, type ProfileReader } from '../profile/profile.ts';
import type { PageNumbering } from '../statement/page-numbering.ts';
import type { StatementObserver } from '../statement/shift.ts';
import { createStatements, type Statements } from '../statement/statement.ts';
import type { OperationRecord } from '../telemetry/operation-record.ts';
import type { EndSignal, UpstreamCall, UpstreamClient } from '../upstream/client.ts';

/** What HTTP knows of a request. */
export interface GatewayRequest {
  readonly id: string;
  /** Read only where the operation needs a caller. */
  readonly head: { readonly headers: TraceHeaders; readonly headersDistinct: CallerHeaders };
  /** Ends with the client or with the operation's deadline. */
  readonly signal: EndSignal;
  /** The status for a document that cannot be run: 200 where the answer is plain application/json (docs/errors.md). */
  readonly documentErrorStatus: 200 | 400;
  /** What an operator will see of the operation. */
  readonly record: OperationRecord;
  /** Keeps the document for those who send its hash alone; called once the operation may run. Null if it is not to be kept. */
  readonly register: (() => void) | null;
}

/** What operations share: the parts of the process. */
export interface ContextParts {
  readonly callers: Callers;
  /** Whether a request is the federation router's; null where anybody may ask what a router asks. */
  readonly isRouter: RouterCheck | null;
  /** A caller's right to ask the service for this request. */
  readonly openCall: (caller: Caller, request: GatewayRequest) => UpstreamCall;
  readonly upstream: UpstreamClient;
  readonly holderKinds: HolderKinds;
  readonly pageNumbering: PageNumbering;
  readonly statementObserver: StatementObserver;
  /** Whether CURSOR_EXPIRED says why in `extensions`. */
  readonly tellsReasons: boolean;
}

interface Admission {
  readonly caller: Caller;
  readonly call: UpstreamCall;
}

/** One operation's context, which makes nothing before it is needed. */
export interface GatewayContext {
  readonly request: GatewayRequest;
  /** Throws FORBIDDEN where this is not the router's request, and has to be. */
  checkRouter(): void;
  /**
   * Finds out who asks, and counts it; rejects as `Callers.read` does. Nothing of the service
   * can be read before. Asked again, it has the same outcome. Null where that is done at once, as it mostly is.
   */
  admit(): Promise<void> | null;
  readonly profile: ProfileReader;
  readonly statements: Statements;
}

/** A context for one operation. */
export function createContext(parts: ContextParts, request: GatewayRequest): GatewayContext {
  return new OperationContext(parts, request);
}

/**
 * The fields are `private`, not `#private`: Apollo Server hands on a copy, made by Object.assign, which has the own
 * fields and the methods of its class only.
 */
class OperationContext implements GatewayContext {
  readonly request: GatewayRequest;
  private readonly parts: ContextParts;
  private admission: Admission | null = null;
  private admitting: Promise<void> | null = null;
  private profileReader: ProfileReader | null = null;
  private statementReader: Statements | null = null;

  constructor(parts: ContextParts, request: GatewayRequest) {
    this.parts = parts;
    this.request = request;
  }

  checkRouter(): void {
    if (this.parts.isRouter?.(this.request.head.headersDistinct) === false) {
      throw new GatewayError('FORBIDDEN', { message: 'Only the federation router may ask this.' });
    }
  }

  admit(): Promise<void> | null {
    if (this.admission !== null) return null;
    if (this.admitting !== null) return this.admitting;
    const caller = this.parts.callers.read(this.request.head.headersDistinct);
    if (caller instanceof Promise) {
      return (this.admitting = this.admitSoon(caller));
    }
    this.open(caller);
    return null;
  }

  private async admitSoon(reading: Promise<Caller>): Promise<void> {
    this.open(await reading);
  }

  private open(caller: Caller): void {
    this.admission = { caller, call: this.parts.openCall(caller, this.request) };
  }

  get profile(): ProfileReader {
    const { upstream, holderKinds } = this.parts;
    return (this.profileReader ??= createProfileReader({
      ...this.admitted(),
      upstream,
      holderKinds,
    }));
  }

  get statements(): Statements {
    const { upstream, pageNumbering, statementObserver, tellsReasons } = this.parts;
    const { record } = this.request;
    const { call } = this.admitted();
    return (this.statementReader ??= createStatements({
      upstream,
      call,
      numbering: pageNumbering,
      observer: {
        slice(outcome, reason, rereads) {
          statementObserver.slice(outcome, reason, rereads);
          if (reason !== '') record.noteSlice(outcome, reason);
        },
      },
      tellsReasons,
    }));
  }

  private admitted(): Admission {
    if (this.admission === null) throw new Error('the service is read for nobody');
    return this.admission;
  }
}
