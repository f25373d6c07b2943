// The account service of bench/burst.ts, as a child process. Each body and each fault is determined by the caller and the
// target of a request, so the answer to an operation can be computed in advance.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';

/** The latency of every answer, and of a slow one. */
const [latencyMs, slowMs] = [4, 100];

/** The number of transactions of each account, and of a page. */
const [totalItems, itemsPerPage] = [60, 20];

/** 30 % of the requests fail if `hasFaults`, or are slow: 6 % in each of these ways. */
const faults = ['reset', '503', 'slow', 'cut', 'wrong shape'] as const;
const shareOfEach = 0.06;
let hasFaults = false;

const bodies = new Map<string, string>();

const server = createServer((request, response) => {
  const caller = callerOf(request);
  const target = `${caller} ${request.url}`;
  let body = bodies.get(target);
  if (body === undefined) bodies.set(target, (body = bodyOf(caller, request.url ?? '')));
  const fault = hasFaults ? faultOf(target) : undefined;
  const answer = () => sendWith(fault, body, request, response);
  setTimeout(answer, fault === 'slow' ? slowMs : latencyMs);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('message', (message) => {
  hasFaults = message === 'faults';
  process.send?.('done');
});
process.on('disconnect', () => process.exit());

function sendWith(
  fault: (typeof faults)[number] | undefined,
  body: string,
  { socket }: IncomingMessage,
  response: ServerResponse,
): void {
  if (fault === 'reset') {
    socket.resetAndDestroy();
    return;
  }
  const status = fault === '503' ? 503 : 200;
  const sent = fault === 'wrong shape' ? body.replaceAll(/"(?:data|accounts)"/g, '"other"') : body;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(sent),
  });
  if (fault !== 'cut') response.end(sent);
  else response.write(sent.slice(0, sent.length / 2), () => socket.destroy());
}

function faultOf(target: string): (typeof faults)[number] | undefined {
  const [byte = 0, next = 0] = createHash('sha256').update(target).digest();
  return faults[Math.floor((byte * 256 + next) / 65_536 / shareOfEach)];
}

/** The claim `sub` of the bearer token. */
function callerOf({ headers }: IncomingMessage): string {
  const [, payload = ''] = headers.authorization?.split('.') ?? [];
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }).sub;
}

function bodyOf(caller: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://service');
  if (pathname === '/persons') return profileOf(caller);
  const [, , accountId = ''] = pathname.split('/');
  return pageOf(accountId, Number(searchParams.get('page')));
}

function profileOf(caller: string): string {
  const flags = '"emailConfirmation": true, "phoneConfirmation": false, "hasPin": true';
  const accounts = [0, 1, 2].map(
    (nth) => `{"id": "${accountIdOf(caller, nth)}", "bank": "301", "agency": "0001",
      "number": "${caller}-${nth}", "balance": ${nth + 1}523.40, "status": "APPROVED", "isEscrow": false,
      "investmentAccount": null}`,
  );
  return `{"person": {"id": "${caller}", "name": "Holder ${caller}", "document": "${caller}",
      "email": "${caller}@example.com", "phone": "+55", "status": "ACTIVE", "onboardingStep": "DONE", ${flags}},
    "individual": {"id": "i-${caller}", "birthDate": "1988-04-17T00:00:00.000Z", "income": 5200.00},
    "address": {"id": "a-${caller}", "city": "São Paulo"}, "accounts": [${accounts.join()}]}`;
}

function pageOf(accountId: string, page: number): string {
  const rows = Array.from({ length: itemsPerPage }, (_, k) => page * itemsPerPage + k)
    .filter((nth) => nth < totalItems)
    .map((nth) => {
      const createdAt = new Date(Date.UTC(2026, 5, 30) - nth * 3_600_000).toISOString();
      return `{"id": "${accountId}-${nth}", "amount": ${nth}.${10 + nth}, "status": "DONE",
        "externalStatus": "SUCCESS", "category": "Pix enviado", "beneficiaryName": "${accountId}", "type": "PIX",
        "credit": ${nth % 2 === 0}, "createdAt": "${createdAt}"}`;
    });
  const totalPages = totalItems / itemsPerPage;
  const pagination = { totalItems, currentPage: page, itemsPerPage, totalPages };
  return `{"data": [${rows.join()}], "pagination": ${JSON.stringify(pagination)}}`;
}

/** Callers are numbers of six digits. */
function accountIdOf(caller: string, nth: number): string {
  return `00000000-0000-4000-8000-00000${nth}${caller}`;
}
