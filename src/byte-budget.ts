// Limits of memory: how many bytes all of their users may hold together. docs/limits.md describes each limit.

/** Holds memory until its signal is aborted. */
export interface Keeper {
  readonly signal: {
    readonly aborted: boolean;
    addEventListener(type: 'abort', listener: { handleEvent(): void }): void;
  };
  readonly budget: { keptBytes: number };
}

export class ByteBudget {
  readonly #freeBytes: number;
  #leftBytes: number;

  /** The first `freeBytes` of each use do not count: ordinary uses are smaller. */
  constructor(maxBytes: number, freeBytes = 0) {
    this.#leftBytes = maxBytes;
    this.#freeBytes = freeBytes;
  }

  /** Reserves or releases memory for a use whose size changes; returns false if too little memory is left. */
  resize(fromBytes: number, toBytes: number): boolean {
    return this.take(Math.max(this.#freeBytes, toBytes) - Math.max(this.#freeBytes, fromBytes));
  }

  /** Reserves memory, or releases it if `bytes` is negative; returns false if too little memory is left. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  /** Reserves memory until the keeper ends; returns false if too little memory is left. */
  keep(bytes: number, { signal, budget }: Keeper): boolean {
    // A keeper that has ended would never release the memory, and keeps it only for a moment.
    if (signal.aborted) return true;
    if (!this.take(bytes)) return false;
    if (budget.keptBytes === 0) {
      signal.addEventListener('abort', { handleEvent: () => void this.take(-budget.keptBytes) });
    }
    budget.keptBytes += bytes;
    return true;
  }
}

const mebibyte = 1_048_576;

/** Limits of bodies are this number of the largest ones. */
const largestBodies = 32;

const bytesPerConnection = 262_144;

export interface BudgetSettings {
  readonly maxBodyBytes: number;
  readonly upstreamMaxBodyBytes: number;
  readonly upstreamConnections: number;
}

/** All budgets of a gateway. */
export function createBudgets(settings: BudgetSettings) {
  const { maxBodyBytes, upstreamMaxBodyBytes, upstreamConnections } = settings;
  const maxAnswerBytes = Math.max(
    largestBodies * upstreamMaxBodyBytes,
    upstreamConnections * bytesPerConnection,
    128 * mebibyte,
  );
  return {
    /** The bodies of requests without an answer. V8 needs up to twice as much for the texts in them. */
    bodies: new ByteBudget(largestBodies * Math.max(maxBodyBytes, mebibyte), 4096),
    /** Requests that wait under overload. */
    backlog: new ByteBudget(64 * mebibyte, 4096),
    /** Requests that wait for earlier answers of their connections: about 10,000 small ones. */
    pipelined: new ByteBudget(32 * mebibyte),
    /** The same on the operator's listener. */
    adminPipelined: new ByteBudget(32 * mebibyte),
    /** Answers that clients have not read yet: eight times the longest one. */
    unread: new ByteBudget(64 * mebibyte),
    /** The service's answers: while they are received, and while operations keep them, with what they make of them. */
    answers: new ByteBudget(maxAnswerBytes, 65_536),
  };
}
