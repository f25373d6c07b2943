// The body of a POST: read up to a limit, and parsed as the JSON object that GraphQL over HTTP requires.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ByteBudget } from '../../byte-budget.ts';
import { GatewayError } from '../../errors.ts';
import { append } from '../../received-body.ts';
import type { Admission } from '../admission/admission.ts';
import { Refusal } from '../http-exchange.ts';
import { ClientGoneError } from './lifetime.ts';

const jsonInUtf8 = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?$/i;

function checkHeaders({ headers }: IncomingMessage, maxBytes: number): void {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && !jsonInUtf8.test(type)) {
    throw new Refusal(415, 'The content type must be application/json, in UTF-8.');
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal(415, 'A request must not be compressed.');
  }
  if (Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
}

/** Times MAX_REPRESENTATIONS, but at least 1,000: the largest weight of a body, which JSON.parse reads in 3 ms. */
const referenceWeight = 60;

/** Members weigh most, then strings, because V8 stores each new name and each new string of up to 10 characters. */
const weights = Object.entries({ ':': 10, '{': 10, '"': 2, '[': 2, ',': 1 });

/** Smaller bodies are parsed in little time, whatever their weight. */
const lightBytes = 16_384;

const nothing = Buffer.alloc(0);

/** A parsed body, and the number of bytes that it had. */
interface Received<T> {
  readonly value: T;
  readonly bytes: number;
}

/**
 * Reads the bodies of all requests. Without a limit on their total memory, clients could use up all memory: they can
 * send slowly, or send long variables in operations for which the service takes long.
 */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #memory: ByteBudget;
  readonly #admission: Pick<Admission, 'turns' | 'enter'>;

  /** `maxBytes` is for a body, and `memory` for all bodies of requests without an answer. */
  constructor(maxBytes: number, memory: ByteBudget, admission: Pick<Admission, 'turns' | 'enter'>) {
    this.#maxBytes = maxBytes;
    this.#memory = memory;
    this.#admission = admission;
  }

  /**
   * Reads a body and parses it. The texts in it stay in memory, so it counts towards the limit until `release` is called
   * with its bytes. Throws a Refusal if the headers are wrong. Rejects with a Refusal, a GatewayError, a ClientGoneError,
   * or what `parse` throws.
   */
  read<T>(request: IncomingMessage, parse: (body: Buffer) => T): Promise<Received<T>> {
    const maxBytes = this.#maxBytes;
    checkHeaders(request, maxBytes);
    const turns = this.#admission.turns;
    const { promise, resolve, reject } = Promise.withResolvers<Received<T>>();
    let body: Buffer = nothing;
    let bytes = 0;
    // Each chunk costs time, even a tiny one. A body in chunks of at least 1,000 bytes never reaches this limit.
    let chunksLeft = 1000 + maxBytes / 1000;
    const take = (chunk: Buffer) => {
      const length = bytes + chunk.length;
      if (length > maxBytes) end(tooLarge(maxBytes));
      else if (--chunksLeft < 0) end(new Refusal(400, 'The chunks of the request are too small.'));
      else keep(append(body, bytes, chunk, maxBytes));
      bytes = length;
    };
    const keep = (grown: Buffer) => {
      if (this.#memory.resize(body.length, grown.length)) body = grown;
      else end(new GatewayError('OVERLOADED'));
    };
    const onError = (cause: Error) => end(new ClientGoneError('gone while it sent', { cause }));
    const end = (error?: Error) => {
      this.#memory.resize(body.length, error === undefined ? bytes : 0);
      // The request stays in memory until its answer is sent, and its listeners would keep the body in memory as well.
      // Without the pause, the data would be buffered, and a later listener would not restart the flow.
      request.off('data', take).off('end', end).off('error', onError).pause();
      if (error !== undefined) {
        reject(error);
        return;
      }
      const received = bytes === body.length ? body : body.subarray(0, bytes);
      // Parsed here, because an asynchronous caller would keep the body in memory until its end.
      try {
        const turn = this.#admission.turns === turns ? null : this.#admission.enter();
        if (turn === null) resolve({ value: parse(received), bytes });
        else resolve(this.#parseInTurn(turn, request, received, parse));
      } catch (refusal) {
        this.release(bytes);
        reject(refusal);
      }
    };
    request.on('data', take).on('end', end).on('error', onError);
    return promise;
  }

  /**
   * Parses a body that has ended in a later turn of the event loop than its request began: bodies can end together, and
   * their operations would otherwise all be executed in one turn.
   */
  async #parseInTurn<T>(
    turn: Promise<undefined>,
    { socket }: IncomingMessage,
    body: Buffer,
    parse: (body: Buffer) => T,
  ): Promise<Received<T>> {
    try {
      await turn;
      if (socket.destroyed) throw new ClientGoneError('gone before its turn');
      return { value: parse(body), bytes: body.length };
    } catch (refusal) {
      this.release(body.length);
      throw refusal;
    }
  }

  release(bytes: number): void {
    this.#memory.resize(bytes, 0);
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `The request is larger than ${maxBytes} bytes.`, 'OPERATION_TOO_COMPLEX');
}

/** Parses a body into an object, whose members are not checked yet; throws a Refusal for any other body. */
export function parseBody(body: Buffer, maxReferences: number): Readonly<Record<string, unknown>> {
  const text = isUtf8(body) ? body.toString() : '';
  if (body.length > lightBytes) checkWeight(text, referenceWeight * Math.max(1000, maxReferences));
  const value = parseJson(text);
  if (value === undefined) throw new Refusal(400, 'The body is not JSON in UTF-8.');
  if (Array.isArray(value)) throw new Refusal(400, 'Operations cannot be sent in batches.');
  if (typeof value !== 'object' || value === null) {
    throw new Refusal(400, 'The body must be a JSON object.');
  }
  return value as Readonly<Record<string, unknown>>;
}

/** Throws if a body is too heavy. Characters of strings count as well, but ordinary clients send few of them. */
function checkWeight(text: string, maxWeight: number): void {
  let weight = 0;
  for (const [mark, each] of weights) {
    // The native search takes 20 ns for each mark. A loop takes 1 ms for a megabyte, and 8 ms before it is compiled.
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
      weight += each;
      if (weight <= maxWeight) continue;
      throw new Refusal(400, 'The request has too many values.', 'OPERATION_TOO_COMPLEX');
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
