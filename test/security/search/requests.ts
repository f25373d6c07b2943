// The requests of an attack as bytes: documents, JSON, headers and framing.
import { hash } from 'node:crypto';
import { chunked, rawRequest } from '../../support/raw.ts';
import { type Attack, repeat, type Target } from './attack.ts';
import { documentOf } from './document.ts';

/** Once a series has this many bytes, no further connection is opened. */
const maxSeriesBytes = 2 * 1_048_576;

/**
 * The requests of an attack, grouped by connection; the last request on each connection closes it. `salt` makes
 * operation texts, tokens and tenants unique.
 */
export function requestsOf(attack: Attack, target: Target, salt: string): Buffer[][] {
  const { requests = 3, pipelined = 1 } = attack.dials;
  const connections: Buffer[][] = [];
  for (let index = 0, bytes = 0; index < requests && bytes < maxSeriesBytes;) {
    const onOne: Buffer[] = [];
    for (let left = Math.min(pipelined, requests - index); left > 0; left--) {
      const place = { index, salt: `${salt}.${index}`, isLast: left === 1 };
      const request = requestOf(attack, target, place);
      bytes += request.length;
      index++;
      onOne.push(request);
    }
    connections.push(onOne);
  }
  return connections;
}

interface Place {
  readonly index: number;
  readonly salt: string;
  readonly isLast: boolean;
}

function requestOf(attack: Attack, target: Target, { index, salt, isLast }: Place): Buffer {
  const { dials } = attack;
  const { text, variables } = documentOf(attack, target, index, salt);
  const isUnknown = dials.persisted === 2;
  const persisted = persistedQuery(isUnknown ? salt : text);
  const load = loadOf(attack);
  const extensions = members([
    ...(dials.persisted === undefined ? [] : [persisted]),
    ...(dials.inExtensions === 1 ? load : []),
  ]);
  const values = members([...variables, ...(dials.inExtensions === 1 ? [] : load)]);
  const lines = [
    ...headerLines(attack, target, salt),
    `Connection: ${isLast ? 'close' : 'keep-alive'}`,
  ];
  if (dials.get === 1) {
    const search = new URLSearchParams({ query: text, variables: values, extensions });
    if (isUnknown) search.delete('query');
    return rawRequest({
      start: `GET /graphql?${String(search)} HTTP/1.1`,
      standard,
      lines,
      framing: [],
    });
  }
  const { operationName = 0, duplicates = 0, spaces = 0 } = dials;
  const body = members([
    ...(isUnknown ? [] : [`"query":${JSON.stringify(text)}`]),
    `"variables":${values}`,
    ...(extensions === '{}' ? [] : [`"extensions":${extensions}`]),
    ...(operationName === 0 ? [] : [`"operationName":"${'Q'.repeat(operationName)}"`]),
    ...repeat(duplicates, () => '"a":0'),
    ...repeat(dials.members ?? 0, (i) => `"${i}":0`),
    ...namesOf(attack, salt),
  ]);
  return framed(' '.repeat(spaces) + body, dials.chunks ?? 0, lines);
}

const standard = ['Host: gateway', 'Content-Type: application/json'];

function framed(body: string, chunks: number, lines: readonly string[]): Buffer {
  if (chunks === 0) return rawRequest({ standard, lines, body });
  const size = Math.ceil(body.length / chunks);
  const count = Math.ceil(body.length / size);
  const parts = repeat(count, (i) => body.slice(i * size, (i + 1) * size));
  const framing = ['Transfer-Encoding: chunked'];
  return rawRequest({ standard, lines, framing, body: chunked(...parts) });
}

function persistedQuery(text: string): string {
  return `"persistedQuery":{"version":1,"sha256Hash":"${hash('sha256', text)}"}`;
}

/** Variables or extensions that no operation uses. */
function loadOf({ dials: { elements = 0, depth = 0 } }: Attack): string[] {
  if (elements + depth === 0) return [];
  return [`"load":${'['.repeat(depth + 1)}${'0,'.repeat(elements)}0${']'.repeat(depth + 1)}`];
}

/** Names that no earlier request had: of members of the body or of objects, or short strings, which V8 also stores. */
function namesOf({ dials: { names = 0, nameKind = 0 } }: Attack, salt: string): string[] {
  const name = (i: number) => `"${salt}.${i}"`;
  if (nameKind === 0) return repeat(names, (i) => `${name(i)}:0`);
  const short = (i: number) => `"${hash('sha256', name(i), 'base64url').slice(0, 9)}"`;
  return [`"names":[${repeat(names, nameKind === 1 ? (i) => `{${name(i)}:0}` : short).join()}]`];
}

function members(list: readonly string[]): string {
  return `{${list.join()}}`;
}

function headerLines(attack: Attack, { authorization, tenant }: Target, salt: string): string[] {
  const { caller, dials } = attack;
  const { freshCaller, tokenLength = 0, headers = 0, headerLength = 0, mediaTypes = 0 } = dials;
  const refused = () =>
    refusedToken(authorization, freshCaller === 1 ? salt : '', 'x'.repeat(tokenLength));
  return [
    ...(caller === 'none' ? [] : [`x-tenant-id: ${freshCaller === 2 ? salt : tenant}`]),
    ...(caller === 'good' ? [`Authorization: ${authorization}`] : []),
    ...(caller === 'refused' ? [`Authorization: ${refused()}`] : []),
    ...repeat(headers, (i) => `x-${i}: ${i}`),
    ...(headerLength === 0 ? [] : [`x-long: ${'x'.repeat(headerLength)}`]),
    ...(mediaTypes === 0 ? [] : [`Accept: */*${',/'.repeat(mediaTypes)}`]),
  ];
}

/**
 * The accepted token with another holder and more claims, but the same signature. Only the service rejects this token,
 * because the gateway does not verify signatures here.
 */
function refusedToken(authorization: string, jti: string, padding: string): string {
  const [header, payload = '', signature] = authorization.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'nobody', jti, padding })).toString(
    'base64url',
  );
  return `${header}.${changed}.${signature}`;
}
