// The base of the comparison: a hand-written REST handler on node:http and undici that does the same work.
import { createServer } from 'node:http';
import { URLSearchParams } from 'node:url';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM_URL, { connections: 512 });

async function read(path, { headers }) {
  const { body } = await pool.request({
    path,
    method: 'GET',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: headers.authorization,
      'x-tenant-id': headers['x-tenant-id'],
    },
  });
  return body.json();
}

const readPage = (account, page, request) =>
  read(`/accounts/${account}/transactions?page=${page}`, request);

function transaction(row) {
  return {
    id: row.id,
    amount: String(row.amount),
    credit: row.credit,
    signedAmount: String(row.credit ? row.amount : -row.amount),
    status: row.status,
    externalStatus: row.externalStatus,
    category: row.category,
    beneficiaryName: row.beneficiaryName,
    type: row.type,
    createdAt: row.createdAt,
  };
}

function connection(rows, total, first) {
  const edges = rows.slice(0, first).map((row, index) => ({
    cursor: `${row.id}.${index}`,
    node: transaction(row),
  }));
  return {
    edges,
    totalCount: total,
    pageInfo: {
      hasNextPage: total > edges.length,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

async function readSlice(account, first, request) {
  const { data, pagination } = await readPage(account, 0, request);
  const { totalItems, itemsPerPage } = pagination;
  const pages = Math.ceil(Math.min(first, totalItems) / itemsPerPage);
  const others = [];
  for (let page = 1; page < pages; page++) others.push(readPage(account, page, request));
  const rest = await Promise.all(others);
  return connection(
    rest.reduce((rows, page) => rows.concat(page.data), data),
    totalItems,
    first,
  );
}

function holder({ person, individual, address }) {
  return {
    id: person.id,
    name: person.name,
    document: person.document,
    email: person.email,
    emailConfirmation: person.emailConfirmation,
    phone: person.phone,
    phoneConfirmation: person.phoneConfirmation,
    status: person.status,
    onboardingStep: person.onboardingStep,
    hasPin: person.hasPin,
    individual: {
      id: individual.id,
      birthDate: individual.birthDate.slice(0, 10),
      motherName: individual.motherName,
      fatherName: individual.fatherName,
      income: String(individual.income),
      nationality: individual.nationality,
      publiclyExposedPerson: individual.publiclyExposedPerson,
      documentType: individual.documentType,
      documentNumber: individual.documentNumber,
      documentUf: individual.documentUf,
      documentIssuing: individual.documentIssuing,
      documentDateIssue: individual.documentDateIssue,
      documentExpiration: individual.documentExpiration,
    },
    address: {
      id: address.id,
      zipCode: address.zipCode,
      state: address.state,
      city: address.city,
      neighborhood: address.neighborhood,
      street: address.street,
      number: address.number,
      complement: address.complement,
    },
  };
}

function account({ id, bank, agency, number, balance, status, isEscrow }) {
  return { id, bank, agency, number, balance: String(balance), status, isEscrow };
}

async function profile(_query, request) {
  const body = await read('/persons', request);
  return { me: holder(body), accounts: body.accounts.map(account) };
}

async function transactions(query, request) {
  const first = Number(query.get('first'));
  return { transactions: await readSlice(query.get('accountId'), first, request) };
}

async function overview(query, request) {
  const first = Number(query.get('first'));
  const body = await read('/persons', request);
  const withSlice = async (one) => ({
    ...account(one),
    transactions: await readSlice(one.id, first, request),
  });
  return { me: holder(body), accounts: await Promise.all(body.accounts.map(withSlice)) };
}

const routes = new Map(Object.entries({ profile, transactions, overview }));

async function answer(request, response) {
  const [path, query] = request.url.split('?');
  const route = routes.get(path.slice(1));
  const body = route && JSON.stringify(await route(new URLSearchParams(query), request));
  response.writeHead(route ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body ?? ''),
  });
  response.end(body);
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
