// What a resolver gets: the caller's profile and statements, for one operation.
import type { Caller, CallerHeaders, Callers } from '../identity/caller.ts';
import type { TraceHeaders } from '../identity/forwarded.ts';
import type { HolderKinds } from '../profile/holder-kind.ts';
import { createProfileReader, type ProfileReader } from '../profile/profile.ts';
import type { PageNumbering } from '../statement/page-numbering.ts';
import { createStatements, type Statements } from '../statement/statement.ts';
import type { UpstreamCall, UpstreamClient } from '../upstream/client.ts';

/** What HTTP knows of a request. */
export interface GatewayRequest {
  readonly id: string;
  /** Read only where the operation needs a caller. `IncomingMessage` is one. */
  readonly head: { readonly headers: TraceHeaders; readonly headersDistinct: CallerHeaders };
  /** Ends with the client or with the operation's deadline. */
  readonly signal: AbortSignal;
  /** The status for a document that cannot be run: 200 where the answer is plain application/json (contract.md 4). */
  readonly documentErrorStatus: 200 | 400;
}

/** What operations share: the parts of the process. */
export interface ContextParts {
  readonly callers: Callers;
  /** A caller's right to ask the service for this request. */
  readonly openCall: (caller: Caller, request: GatewayRequest) => UpstreamCall;
  readonly upstream: UpstreamClient;
  readonly holderKinds: HolderKinds;
  readonly pageNumbering: PageNumbering;
}

interface Admission {
  readonly caller: Caller;
  readonly call: UpstreamCall;
}

/** One operation's context, which makes nothing before it is needed. */
export interface GatewayContext {
  readonly request: GatewayRequest;
  /** Finds out who asks; rejects as `Callers.read` does. Nothing of the service can be read before. */
  admit(): Promise<void>;
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
  private profileReader: ProfileReader | null = null;
  private statementReader: Statements | null = null;

  constructor(parts: ContextParts, request: GatewayRequest) {
    this.parts = parts;
    this.request = request;
  }

  async admit(): Promise<void> {
    const caller = await this.parts.callers.read(this.request.head.headersDistinct);
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
    const { upstream, pageNumbering } = this.parts;
    const { call } = this.admitted();
    return (this.statementReader ??= createStatements({
      upstream,
      call,
      numbering: pageNumbering,
    }));
  }

  private admitted(): Admission {
    if (this.admission === null) throw new Error('the service is read for nobody');
    return this.admission;
  }
}
