// The limit of memory for the service's answers: while they are received, and while operations keep them until they end,
// with what they make of them.
import { BodyMemory } from '../../received-body.ts';
import type { UpstreamCall, UpstreamSettings } from '../exchange/call.ts';

/** An answer, and an estimate of the memory that it takes. */
export interface Parsed<T> {
  readonly value: T;
  readonly bytes: number;
}

/** The limit is the greatest of three: for bodies of UPSTREAM_MAX_BODY_BYTES, for all connections, and the least. */
const [bodies, bytesPerConnection, leastBytes] = [32, 262_144, 134_217_728];

/** The first bytes of each body that is being received are exempt; ordinary answers are smaller than this. */
const freeBytes = 65_536;

/** One for all operations of a gateway. */
export class AnswerMemory extends BodyMemory {
  constructor({
    maxBodyBytes,
    connections,
  }: Pick<UpstreamSettings, 'maxBodyBytes' | 'connections'>) {
    super(Math.max(bodies * maxBodyBytes, connections * bytesPerConnection, leastBytes), freeBytes);
  }

  /** Reserves memory until the operation of the call ends; returns false if too little is left. */
  keep(bytes: number, { signal, budget }: Pick<UpstreamCall, 'signal' | 'budget'>): boolean {
    // An operation that has ended would never release the memory, and keeps it only for a moment.
    if (signal.aborted) return true;
    if (!this.take(bytes)) return false;
    if (budget.keptBytes === 0) {
      signal.addEventListener('abort', { handleEvent: () => void this.take(-budget.keptBytes) });
    }
    budget.keptBytes += bytes;
    return true;
  }
}
