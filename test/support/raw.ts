// Sends bytes to a gateway, for requests that no HTTP client would send, and parses the answers.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { type Answer, callerHeaders } from './query.ts';
import { parseStrictly, strictText } from './strict-json.ts';

/** A POST to /graphql by default; each of its parts may be replaced or left out. */
export interface RawRequest {
  /** The first line; default `POST /graphql HTTP/1.1`. */
  readonly start?: string;
  /** Lines after `Host`, `Connection: close` and the JSON content type, in order and unchanged. */
  readonly lines?: readonly string[];
  /** Replaces `Host`, `Connection: close` and the JSON content type. */
  readonly standard?: readonly string[];
  /** Sent with a content-length, unless `framing` replaces that header. */
  readonly body?: string | Buffer;
  readonly framing?: readonly string[];
}

const standardLines = ['Host: gateway', 'Connection: close', 'Content-Type: application/json'];

/**
 * A request as bytes. The head is encoded in Latin-1, so that `\xff` is one byte; a string as the body is encoded in
 * UTF-8.
 */
export function rawRequest(request: RawRequest): Buffer {
  const { start = 'POST /graphql HTTP/1.1', standard = standardLines, lines = [] } = request;
  const body = Buffer.from(request.body ?? '');
  const framing = request.framing ?? [`Content-Length: ${body.length}`];
  const head = [start, ...standard, ...lines, ...framing, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

export function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** The two header lines of the bank's first holder. */
export async function callerLines(bank: Bank): Promise<string[]> {
  return headerLines(await callerHeaders(bank));
}

/** A body in chunked encoding, with the empty last chunk. */
export function chunked(...chunks: readonly string[]): string {
  return [...chunks, '']
    .map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)
    .join('');
}

/** Opens a connection. If the gateway resets it, the test does not fail. */
export async function openSocket({ url }: { readonly url: string }): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Everything that arrives until the connection closes. */
export async function receiveAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks);
}

/** Sends bytes, and returns all answers that arrive until the gateway closes the connection. */
export async function sendRaw(
  gateway: { readonly url: string },
  request: string | Buffer,
): Promise<Answer[]> {
  const socket = await openSocket(gateway);
  const received = receiveAll(socket);
  socket.write(request);
  return parseAnswers(await received);
}

/** Sends a request and returns the only answer; throws if there is none or more than one. */
export async function sendRawOnce(
  gateway: { readonly url: string },
  request: string | Buffer,
): Promise<Answer> {
  const answers = await sendRaw(gateway, request);
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) {
    throw new Error(`${answers.length} answers came for one request`);
  }
  return answer;
}

/** Parses consecutive answers, each with a Content-Length; informational answers (1xx) are left out. */
export function parseAnswers(bytes: Buffer): Answer[] {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return [];
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1]);
  if (status < 200) return parseAnswers(bytes.subarray(end + 4));
  const headers = new Headers(lines.map((line) => splitLine(line)));
  const bodyEnd = end + 4 + Number(headers.get('content-length') ?? '0');
  const text = strictText(bytes.subarray(end + 4, bodyEnd));
  const isJson = headers.get('content-type')?.includes('json') ?? false;
  return [
    { status, headers, text, ...(isJson ? parseBody(text) : {}) },
    ...parseAnswers(bytes.subarray(bodyEnd)),
  ];
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function parseBody(text: string): Partial<Pick<Answer, 'data' | 'errors'>> {
  return text === '' ? {} : (parseStrictly(text) as Pick<Answer, 'data' | 'errors'>);
}
