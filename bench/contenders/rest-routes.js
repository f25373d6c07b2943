// The routes of the REST handlers: what each reads from the service, and the objects that it answers.
import { URLSearchParams } from 'node:url';

const readPage = (account, page, read) => read(`/accounts/${account}/transactions?page=${page}`);

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

async function readSlice(account, first, read) {
  const { data, pagination } = await readPage(account, 0, read);
  const { totalItems, itemsPerPage } = pagination;
  const pages = Math.ceil(Math.min(first, totalItems) / itemsPerPage);
  const others = [];
  for (let page = 1; page < pages; page++) others.push(readPage(account, page, read));
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

async function profile(_query, read) {
  const body = await read('/persons');
  return { me: holder(body), accounts: body.accounts.map(account) };
}

async function transactions(query, read) {
  const first = Number(query.get('first'));
  return { transactions: await readSlice(query.get('accountId'), first, read) };
}

async function overview(query, read) {
  const first = Number(query.get('first'));
  const body = await read('/persons');
  const withSlice = async (one) => ({
    ...account(one),
    transactions: await readSlice(one.id, first, read),
  });
  return { me: holder(body), accounts: await Promise.all(body.accounts.map(withSlice)) };
}

const routes = new Map(Object.entries({ profile, transactions, overview }));

/** The answer to a path with its query, as JSON; undefined for an unknown path. `read` reads a path of the service. */
export async function answerTo(url, read) {
  const [path, query] = url.split('?');
  const route = routes.get(path.slice(1));
  return route && JSON.stringify(await route(new URLSearchParams(query), read));
}
