// A small account service with one holder and one account, and with the differences that real services have.
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { statementText } from './statements.ts';

/** How the service differs from one that fits the gateway as it is. */
export interface Differences {
  /** The number of the first page; default 0. */
  readonly pageBase?: 0 | 1;
  /** Whether rows with the same createdAt are sorted by id; if not, their order depends on the page. Default true. */
  readonly hasTieBreak?: boolean;
  /** Changes each row before it is sent. */
  readonly row?: (row: ExampleRow) => object;
  /** Changes the answer to a request for a page. */
  readonly page?: (answer: ExamplePage) => object;
  /** The TLS certificate, and whether one is asked of the client; by default, the service speaks plain HTTP. */
  readonly tls?: ServerOptions;
}

export interface ExampleRow {
  readonly id: string;
  readonly amount: number;
  readonly credit: boolean;
  readonly status: string;
  readonly externalStatus: string;
  readonly category: string;
  readonly beneficiaryName: string;
  readonly type: string;
  readonly createdAt: string;
}

export interface ExamplePage {
  readonly data: readonly unknown[];
  readonly pagination: Readonly<
    Record<'totalItems' | 'currentPage' | 'itemsPerPage' | 'totalPages', number>
  >;
}

export interface ExampleService extends AsyncDisposable {
  /** The base address, which has a path. */
  readonly url: string;
  readonly token: string;
  readonly tenant: string;
  readonly accountId: string;
}

const tenant = 'aurora';
const accountId = '0b6f3c0e-4c1d-4f7a-9d53-1f0a7f6e2c11';
const pageSize = 20;
const rowCount = 130;

/** Starts the service on a free port of 127.0.0.1. It answers only the token that it returns. */
export async function startExampleService(
  token: string,
  differences: Differences = {},
): Promise<ExampleService> {
  const answer = answerWith(token, differences);
  const { tls } = differences;
  const server = tls === undefined ? createHttpServer(answer) : createHttpsServer(tls, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}/v1`,
    ...{ token, tenant, accountId },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answerWith(token: string, differences: Differences): RequestListener {
  return (request, response) => {
    const { headers, url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://service');
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (headers.authorization !== `Bearer ${token}`) send(401, {});
    else if (headers['x-tenant-id'] !== tenant) send(403, {});
    else if (pathname === '/v1/persons') send(200, profile);
    else if (pathname === `/v1/accounts/${accountId}/transactions`) {
      const page = pageOf(searchParams, differences);
      send(page === null ? 400 : 200, page ?? {});
    } else send(404, {});
  };
}

const id = (n: number) => `5b1a7c52-3f54-4d0e-8b1c-${n.toString(16).padStart(12, '0')}`;

const profile = {
  person: {
    ...{ id: id(1), email: 'ana@example.com', emailConfirmation: true, phone: '+5511999990000' },
    ...{ phoneConfirmation: true, name: 'Ana', document: '12345678909', status: 'ACTIVE' },
    ...{ onboardingStep: 'DONE', hasPin: true },
  },
  individual: null,
  address: null,
  accounts: [
    {
      ...{ id: accountId, bank: '341', agency: '0001', number: '123456', balance: 10.5 },
      ...{ status: 'APPROVED', isEscrow: false, investmentAccount: null },
    },
  ],
};

/** A row with every field. */
const [sample] = (JSON.parse(statementText) as { readonly data: readonly [ExampleRow] }).data;

/** Two rows of three share a createdAt; there are seven hours from one createdAt to the next. */
const rows: readonly ExampleRow[] = Array.from({ length: rowCount }, (_, index) => ({
  ...sample,
  ...{ id: id(1000 - index), amount: 10 + index / 100, credit: index % 2 === 0 },
  createdAt: new Date(
    Date.UTC(2026, 4, 31, 23) - Math.floor((index * 2) / 3) * 25_200_000,
  ).toISOString(),
}));

function pageOf(query: URLSearchParams, differences: Differences): object | null {
  const { pageBase = 0, hasTieBreak = true, row, page } = differences;
  const number = Number(query.get('page') ?? pageBase) - pageBase;
  if (number < 0) return null;
  const [from, to] = [query.get('startDate') ?? '', query.get('endDate') ?? '9'];
  const sorted = rows
    .filter(({ createdAt }) => createdAt >= from && createdAt.slice(0, 10) <= to)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt) || tieOrder(one, other));
  // Without a tie-break, a database may sort ties in one way for one page, and in the other way for the next page.
  function tieOrder(one: ExampleRow, other: ExampleRow): number {
    const isReversed = !hasTieBreak && number % 2 === 1;
    return (isReversed ? -1 : 1) * other.id.localeCompare(one.id);
  }
  const data = sorted.slice(number * pageSize, (number + 1) * pageSize);
  const answer: ExamplePage = {
    data: row === undefined ? data : data.map(row),
    pagination: {
      totalItems: sorted.length,
      currentPage: number,
      itemsPerPage: pageSize,
      totalPages: Math.ceil(sorted.length / pageSize),
    },
  };
  return page?.(answer) ?? answer;
}
