// The context of one operation: admits its caller, and gives resolvers the caller's profile and statements.
import type { DocumentNode } from 'graphql';
import { GatewayError, noMemory } from '../errors.ts';
import type { Caller, Callers, RequestHead, RouterCheck } from '../identity/caller.ts';
import { type HolderKinds, ProfileReader } from '../profile/profile.ts';
import type { PageNumbering } from '../statement/page-numbering.ts';
import { Statements } from '../statement/statement.ts';
import type { OperationRecord } from '../telemetry/operation-record.ts';
import type { CallBudget, EndSignal, UpstreamCall, UpstreamClient } from '../upstream/client.ts';
import type { AnswerOf, ParametersOf, UpstreamRoute } from '../upstream/endpoints.ts';
import { Allowance } from './limits/allowance.ts';

export interface GatewayRequest {
  readonly id: string;
  readonly head: RequestHead;
  /** Aborted when the client disconnects, the deadline passes or the answer is complete. */
  readonly signal: EndSignal;
  /** The HTTP status of the answer if the document or its variables are invalid (docs/errors.md). */
  readonly documentErrorStatus: 200 | 400;
  readonly record: OperationRecord;
  /** The cached document; null if the operation text still has to be parsed. */
  readonly document: DocumentNode | null;
  /** Stores the operation text for requests that send only its hash; null unless the client sent both. */
  readonly register: (() => void) | null;
}

export interface ContextParts {
  readonly callers: Callers;
  /** Null if every caller may use router fields. */
  readonly isRouter: RouterCheck | null;
  readonly createBudget: () => CallBudget;
  readonly openCall: (caller: Caller, request: GatewayRequest, budget: CallBudget) => UpstreamCall;
  readonly upstream: UpstreamClient;
  readonly holderKinds: HolderKinds;
  readonly pageNumbering: PageNumbering;
  readonly maxParallelReads: number;
  /** Whether CURSOR_EXPIRED errors have the reason in their `extensions`. */
  readonly showsReasons: boolean;
}

/** The memory for an edge with its cursor, as measured. */
const bytesPerEdge = 256;

/** The public members of an operation's context. */
export type GatewayContext = Pick<OperationContext, keyof OperationContext>;

/** The fields are not `#private`, because Apollo Server copies the context with Object.assign. */
export class OperationContext {
  readonly request: GatewayRequest;
  /** What this execution may use. */
  allowance: Allowance;
  private readonly parts: ContextParts;
  private admission: { readonly caller: Caller; readonly call: UpstreamCall } | null = null;
  private admitting: Promise<void> | null = null;
  private profileReader: ProfileReader | null = null;
  private statementReader: Statements | null = null;
  private answers: Map<string, Promise<unknown>> | null = null;

  constructor(parts: ContextParts, request: GatewayRequest) {
    this.parts = parts;
    this.request = request;
    this.allowance = new Allowance(parts.createBudget());
  }

  /** Whether the caller has been admitted. */
  get hasCaller(): boolean {
    return this.admission !== null;
  }

  checkRouter(): void {
    if (this.parts.isRouter?.(this.request.head) === false) {
      throw new GatewayError('FORBIDDEN', {
        message: 'Only the federation router may send this operation.',
      });
    }
  }

  /** Admits the caller. Returns null if no wait is needed; rejects as `Callers.read` does. */
  admit(): Promise<void> | null {
    if (this.admission !== null) return null;
    if (this.admitting !== null) return this.admitting;
    const caller = this.parts.callers.read(this.request.head);
    if (caller instanceof Promise) {
      return (this.admitting = caller.then((known) => this.open(known)));
    }
    this.open(caller);
    return null;
  }

  private open(caller: Caller): void {
    this.admission = {
      caller,
      call: this.parts.openCall(caller, this.request, this.allowance.calls),
    };
  }

  get profile(): ProfileReader {
    const { upstream, holderKinds } = this.parts;
    const { call, caller } = this.admitted;
    return (this.profileReader ??= new ProfileReader(() =>
      holderKinds.readProfile(upstream, call, caller),
    ));
  }

  get statements(): Statements {
    return (this.statementReader ??= this.openStatements());
  }

  private openStatements(): Statements {
    const { upstream, pageNumbering: numbering, showsReasons, maxParallelReads } = this.parts;
    const observer = this.request.record;
    const { call } = this.admitted;
    const onRows = (count: number) => {
      if (!this.keep(count * bytesPerEdge)) throw noMemory;
    };
    return new Statements({
      ...{ upstream, call, numbering, maxParallelReads, observer, showsReasons, onRows },
    });
  }

  /** Reserves memory for a part of the answer until the operation ends; returns false if too little is left. */
  keep(bytes: number): boolean {
    return this.admission === null || this.parts.upstream.keep(this.admission.call, bytes);
  }

  /** Reads from the service, with only one call per operation for the same route and parameters. */
  read<Route extends UpstreamRoute>(
    route: Route,
    parameters: ParametersOf<Route>,
  ): Promise<AnswerOf<Route>> {
    this.answers ??= new Map();
    const key = `${route} ${JSON.stringify(parameters)}`;
    const answer =
      this.answers.get(key) ?? this.parts.upstream.read(this.admitted.call, route, parameters);
    this.answers.set(key, answer);
    return answer as Promise<AnswerOf<Route>>;
  }

  private get admitted() {
    if (this.admission === null)
      throw new Error('a call to the service before the caller was admitted');
    return this.admission;
  }
}
