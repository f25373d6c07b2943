// The body of a POST: read within its limit, and parsed as the JSON object that GraphQL over HTTP asks for.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './exchange.ts';
import { ClientGoneError } from './lifetime.ts';

/** A request's JSON object; nothing about it is certain but that it is one. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads and parses the body. Rejects with a Refusal, or with a ClientGoneError. */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<JsonObject> {
  checkHeaders(request, maxBytes);
  return parseObject(await readBody(request, maxBytes));
}

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

function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else giveUp();
  };
  const giveUp = () => {
    // Paused, as what comes without a listener would be kept, and not flow again.
    request.off('data', take).pause();
    chunks.length = 0;
    reject(tooLarge(maxBytes));
  };
  request.on('data', take);
  request.on('end', () => resolve(Buffer.concat(chunks, bytes)));
  request.on('error', (cause) => reject(new ClientGoneError('gone while it sent', { cause })));
  return promise;
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `The request is larger than ${maxBytes} bytes.`, 'OPERATION_TOO_COMPLEX');
}

function parseObject(body: Buffer): JsonObject {
  const value = isUtf8(body) ? parseJson(body.toString()) : undefined;
  if (value === undefined) throw new Refusal(400, 'The body is not JSON in UTF-8.');
  if (Array.isArray(value)) throw new Refusal(400, 'Operations cannot be sent in batches.');
  if (!isObject(value)) throw new Refusal(400, 'The body must be a JSON object.');
  return value;
}

/** Undefined where the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
