// One read from the service: its attempts, and the calls that wait for the result.
import type { ByteBudget } from '../../byte-budget.ts';
import { TurnQueue } from '../../turn-queue.ts';
import { causeOf, GatewayError, noMemory } from '../../errors.ts';
import type {
  CallFollower,
  EndListener,
  RefusalReason,
  UpstreamCall,
  UpstreamSettings,
  CallFailure,
} from '../exchange/call.ts';
import { type Circuit, type ExchangeOutcome, type Permit, verdicts } from '../exchange/circuit.ts';
import type { Connections } from '../exchange/connection-pool.ts';
import type { Ask, Exchange, ExchangeListener } from '../exchange/exchange.ts';
import { abortFailure, causeCodeOf, outcomeOf, UpstreamStatusError } from '../exchange/failure.ts';
import type { Retries } from '../exchange/retry.ts';

/** An answer, and an estimate of the memory that it takes. */
export interface Parsed<T> {
  readonly value: T;
  readonly bytes: number;
}

/** The parts that all reads of a route share. */
export interface ReadParts {
  readonly connections: Pick<Connections, 'send' | 'giveUp'>;
  /** One for each route; the other parts are shared by all routes. */
  readonly circuit: Pick<Circuit, 'state' | 'admit' | 'settle'>;
  readonly retries: Retries;
  /** The memory for the service's answers. */
  readonly memory: ByteBudget;
  readonly settings: Pick<UpstreamSettings, 'timeoutMs' | 'log' | 'observer'>;
}

export interface Subject<T> extends Ask {
  /** Parses the body of an answer; may throw a GatewayError. */
  readonly parse: (utf8: Buffer) => Parsed<T>;
}

/** One error per reason for all calls, because rejecting a call must cost almost nothing. */
const refusals: Readonly<Record<RefusalReason, GatewayError>> = {
  circuit_open: new GatewayError('UPSTREAM_UNAVAILABLE', {
    cause: causeOf('the circuit is open', 'CIRCUIT_OPEN'),
  }),
  queue_full: new GatewayError('UPSTREAM_UNAVAILABLE', {
    cause: causeOf('too many calls wait for a connection', 'QUEUE_FULL'),
  }),
  memory_full: noMemory,
};

const ignore = () => undefined;

/** A read whose result is shared by all its waiters; it is aborted if the last waiter leaves. */
export class Read<T> implements ExchangeListener {
  readonly #parts: ReadParts;
  readonly #subject: Subject<T>;
  #onClosed: (read: Read<T>) => void;
  readonly #startedMs = performance.now();
  #waiters: Waiter<T>[] = [];
  /** The calls of an ended read that end in later turns of the event loop. */
  #ending: TurnQueue<Waiter<T>> | null = null;
  #tries = 0;
  /** The number of requests sent again because their connection had been closed; not counted as attempts. */
  #resent = 0;
  #exchange: Exchange | null = null;
  #permit: Permit | null = null;
  /** The time at which the latest request was sent or queued. */
  #sentMs = 0;
  #failure: GatewayError | null = null;
  #pause: NodeJS.Timeout | undefined;

  /** Calls `onClosed`, perhaps several times, when no further call may join. */
  constructor(parts: ReadParts, subject: Subject<T>, onClosed: (read: Read<T>) => void) {
    this.#parts = parts;
    this.#subject = subject;
    this.#onClosed = onClosed;
  }

  /** The x-request-id of the call that opened the read; the service receives this id. */
  get requestId(): string {
    return this.#subject.headers.requestId;
  }

  get authorization(): string {
    return this.#subject.headers.authorization;
  }

  get requests(): number {
    return this.#tries + this.#resent;
  }

  /** Describes the failure of a call that waits for the read. */
  describe(error: GatewayError): CallFailure {
    const serviceCode = error instanceof UpstreamStatusError ? error.serviceCode : null;
    return {
      route: this.#subject.route,
      cause: causeCodeOf(error),
      ...(serviceCode !== null && { serviceCode }),
      attempts: this.requests,
      ms: Math.round(performance.now() - this.#startedMs),
      circuit: this.#parts.circuit.state,
    };
  }

  /** The call's signal must not be aborted yet. */
  join(call: WaitingCall, follower?: CallFollower): Promise<T> {
    const isShared = this.#waiters.length > 0;
    const waiter = new Waiter(this, call, this.#parts.settings.timeoutMs, isShared, follower);
    // Most reads have one waiter; a list that grows reserves memory for 17.
    if (isShared) this.#waiters.push(waiter);
    else this.#waiters = [waiter];
    return waiter.promise;
  }

  /** Sends or queues the first request; called after the first call has joined. */
  start(): void {
    if (this.#try()) this.#parts.retries.earn();
  }

  onSent(): void {
    this.#sentMs = performance.now();
    this.#onClosed(this);
    // While the read waits for its answer, the callback would keep the read's key in memory.
    this.#onClosed = ignore;
  }

  onResent(): void {
    this.#resent++;
    this.#parts.settings.observer.resent(this.#subject.route);
  }

  onReceived(): void {
    this.#endExchange('ok');
    // The service was in time, even if the body is parsed after the deadline because others are parsed first.
    for (const waiter of this.#waiters) waiter.stopTimer();
  }

  onBody(utf8: Buffer): void {
    try {
      this.#succeed(this.#subject.parse(utf8));
    } catch (error) {
      this.#fail(error);
    }
  }

  onFailure(error: GatewayError): void {
    this.#endExchange(outcomeOf(error));
    this.#parts.settings.observer.failed(this.#subject.route, causeCodeOf(error));
    this.#exchange = null;
    const { circuit, retries, settings } = this.#parts;
    // A probe of the circuit is not retried, nor is the call whose failure opened the circuit.
    const isClosed = circuit.state === 'closed';
    const pauseMs = isClosed ? retries.pauseAfter(error, this.#tries, this.#leftMs) : null;
    if (pauseMs === null) {
      this.#fail(error);
      return;
    }
    const { route } = this.#subject;
    settings.observer.retry(route);
    settings.log.warn({ endpoint: route, err: error.cause }, 'a call to the service is retried');
    this.#failure = error;
    this.#pause = setTimeout(() => {
      for (const waiter of this.#waiters) waiter.restart();
      this.#try();
    }, pauseMs);
  }

  onRefused(reason: RefusalReason): void {
    // The request was sent, and its answer has begun.
    if (reason === 'memory_full') this.#endExchange('aborted');
    this.#refuse(reason);
  }

  /** Removes a waiter; called before its call fails. */
  leave(waiter: Waiter<T>, isLate: boolean): void {
    if (this.#ending?.delete(waiter) === true) return;
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
    if (this.#waiters.length === 0) this.#giveUp(isLate ? 'timeout' : 'aborted');
  }

  /** Sends or queues a request, and returns true; returns false if the circuit is open or the queue is full. */
  #try(): boolean {
    const { connections, circuit } = this.#parts;
    this.#permit = circuit.admit();
    if (this.#permit === null) return this.#refuse('circuit_open');
    this.#tries++;
    this.#sentMs = performance.now();
    this.#exchange = connections.send(this.#subject, this);
    if (this.#exchange !== null) return true;
    this.#tries--;
    return this.#refuse('queue_full');
  }

  #refuse(reason: RefusalReason): false {
    this.#settlePermit('aborted');
    this.#parts.settings.observer.refused(this.#subject.route, reason);
    this.#fail(this.#failure ?? refusals[reason]);
    return false;
  }

  /** Aborts the read, for which no call waits any more. A queued exchange does not count as a timeout. */
  #giveUp(outcome: 'timeout' | 'aborted'): void {
    clearTimeout(this.#pause);
    this.#onClosed(this);
    const exchange = this.#exchange;
    if (exchange === null) return;
    const wasSent = this.#parts.connections.giveUp(exchange);
    const { route } = this.#subject;
    if (wasSent && outcome === 'timeout') this.#parts.settings.observer.failed(route, 'TIMEOUT');
    if (wasSent) this.#endExchange(outcome);
    else this.#settlePermit('aborted');
  }

  /** The time left for the start of a retry: the last one starts before all operations that wait have ended. */
  get #leftMs(): number {
    const ends = this.#waiters.map(({ endsAtMs }) => endsAtMs);
    // The last attempt also starts within the timeout of the first.
    const lastMs = this.#startedMs + this.#parts.settings.timeoutMs;
    return Math.min(lastMs, Math.max(...ends)) - performance.now();
  }

  #endExchange(outcome: ExchangeOutcome): void {
    // Its body was received, and waited to be parsed when the last call left.
    if (this.#permit === null) return;
    const durationMs = performance.now() - this.#sentMs;
    this.#settlePermit(outcome);
    this.#parts.settings.observer.exchange(this.#subject.route, outcome, durationMs);
  }

  #settlePermit(outcome: ExchangeOutcome): void {
    if (this.#permit !== null) this.#parts.circuit.settle(this.#permit, verdicts[outcome]);
    this.#permit = null;
  }

  #succeed(parsed: Parsed<T>): void {
    const { memory, settings } = this.#parts;
    this.#end((waiter) => {
      if (memory.keep(parsed.bytes, waiter.call)) waiter.succeed(parsed.value);
      else {
        settings.observer.refused(this.#subject.route, 'memory_full');
        waiter.fail(refusals.memory_full);
      }
    });
  }

  #fail(error: unknown): void {
    this.#onClosed(this);
    this.#end((waiter) => waiter.fail(error));
  }

  /** Ends the calls: a limited number in a turn of the event loop, because their operations then continue in it. */
  #end(end: (waiter: Waiter<T>) => void): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    const run = (waiter: Waiter<T>) => {
      end(waiter);
      return 1;
    };
    // Most reads have one waiter.
    const ending = waiters.length > 1 ? new TurnQueue({ run }) : null;
    this.#ending = ending;
    for (const waiter of waiters) {
      if (ending === null) end(waiter);
      else ending.add(waiter);
    }
  }
}

const late = causeOf('the time of the call was over', 'UPSTREAM_TIMEOUT_MS');

/** Whether the service made a call fail, or would have been asked; otherwise the operation has ended. */
function isOfService(error: GatewayError): boolean {
  return error instanceof UpstreamStatusError || error.code.startsWith('UPSTREAM_');
}

type WaitingCall = Pick<UpstreamCall, 'signal' | 'budget' | 'observer'>;

/** One call that waits for a read. The waiter itself listens to the signal, which saves a closure per call. */
class Waiter<T> implements EndListener {
  readonly promise: Promise<T>;
  readonly call: WaitingCall;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #read: Read<T>;
  readonly #isShared: boolean;
  readonly #follower: CallFollower | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(
    read: Read<T>,
    call: WaitingCall,
    timeoutMs: number,
    isShared: boolean,
    follower?: CallFollower,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#read = read;
    this.call = call;
    this.#isShared = isShared;
    this.#follower = follower;
    const onLate = () => this.#leave(new GatewayError('UPSTREAM_TIMEOUT', { cause: late }), true);
    this.#timer = setTimeout(onLate, timeoutMs);
    call.signal.addEventListener('abort', this);
  }

  get endsAtMs(): number {
    return this.call.signal.endsAtMs ?? Infinity;
  }

  succeed(value: T): void {
    this.call.budget.hasAnswers = true;
    this.#end('ok', 200);
    this.#resolve(value);
  }

  fail(error: unknown): void {
    const outcome = error instanceof GatewayError ? error.code : 'INTERNAL_SERVER_ERROR';
    if (error instanceof GatewayError && isOfService(error)) {
      this.call.observer?.failed(this.#read.describe(error));
    }
    this.#end(outcome, error instanceof UpstreamStatusError ? error.status : undefined);
    this.#reject(error);
  }

  /** Restarts the deadline, because each attempt has its own. */
  restart(): void {
    this.#timer.refresh();
  }

  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  /** Called when the operation has ended. */
  handleEvent(): void {
    const { signal } = this.call;
    const error = abortFailure(signal);
    this.#leave(error, error === signal.reason && error.code === 'UPSTREAM_TIMEOUT');
  }

  #leave(error: GatewayError, isLate: boolean): void {
    this.#read.leave(this, isLate);
    this.fail(error);
  }

  #end(outcome: string, status: number | undefined): void {
    clearTimeout(this.#timer);
    this.call.signal.removeEventListener('abort', this);
    const isShared = this.#isShared;
    const tries = isShared ? 0 : this.#read.requests;
    this.#follower?.end({ outcome, tries, isShared, status });
  }
}
