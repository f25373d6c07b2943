// The schema of the peers in Node.js: the part of ../../schema that the workloads need, with resolvers that use a
// service client. Decimals are `String(number)` after JSON.parse, which is cheaper than keeping the digits that were
// sent.
export const typeDefs = /* GraphQL */ `
  type Query {
    me: Me
    accounts: [Account]
    transactions(accountId: ID!, first: Int): TransactionConnection
  }
  union Me = Person | Company
  type Person {
    id: ID!
    name: String
    document: String
    email: String
    emailConfirmation: Boolean
    phone: String
    phoneConfirmation: Boolean
    status: String
    onboardingStep: String
    hasPin: Boolean
    individual: Individual
    address: Address
  }
  type Company {
    id: ID!
    name: String
    document: String
    email: String
    emailConfirmation: Boolean
    phone: String
    phoneConfirmation: Boolean
    status: String
    onboardingStep: String
    hasPin: Boolean
  }
  type Individual {
    id: ID!
    birthDate: String
    motherName: String
    fatherName: String
    income: String
    nationality: String
    publiclyExposedPerson: Boolean
    documentType: String
    documentNumber: String
    documentUf: String
    documentIssuing: String
    documentDateIssue: String
    documentExpiration: String
  }
  type Address {
    id: ID!
    zipCode: String
    state: String
    city: String
    neighborhood: String
    street: String
    number: String
    complement: String
  }
  type Account {
    id: ID!
    bank: String
    agency: String
    number: String
    balance: String
    status: String
    isEscrow: Boolean
    transactions(first: Int): TransactionConnection
  }
  type Transaction {
    id: ID!
    amount: String
    credit: Boolean
    signedAmount: String
    status: TransactionStatus
    externalStatus: String
    category: String
    beneficiaryName: String
    type: String
    createdAt: String
  }
  enum TransactionStatus {
    PROCESSING
    DONE
    CANCELED
    ERROR
  }
  type TransactionConnection {
    edges: [TransactionEdge!]!
    pageInfo: PageInfo!
    totalCount: Int
  }
  type TransactionEdge {
    cursor: String!
    node: Transaction
  }
  type PageInfo {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }
`;

/**
 * The resolvers. `service` in the context has `profile()`, which reads at most once per operation, and `page(account,
 * number)`, which reads on each call.
 */
export const resolvers = {
  Query: {
    me: async (_parent, _args, { service }) => {
      const { person, individual, address } = await service.profile();
      return { __typename: 'Person', ...person, individual, address };
    },
    accounts: async (_parent, _args, { service }) => (await service.profile()).accounts,
    transactions: (_parent, { accountId, first }, { service }) =>
      readSlice(service, accountId, first),
  },
  Individual: {
    birthDate: ({ birthDate }) => birthDate.slice(0, 10),
    income: ({ income }) => String(income),
  },
  Account: {
    balance: ({ balance }) => String(balance),
    transactions: ({ id }, { first }, { service }) => readSlice(service, id, first),
  },
  Transaction: {
    amount: ({ amount }) => String(amount),
    signedAmount: ({ amount, credit }) => String(credit ? amount : -amount),
  },
};

export async function readSlice(service, account, first) {
  const { data, pagination } = await service.page(account, 0);
  const { totalItems, itemsPerPage } = pagination;
  const pages = Math.ceil(Math.min(first, totalItems) / itemsPerPage);
  const others = [];
  for (let number = 1; number < pages; number++) others.push(service.page(account, number));
  const rows = (await Promise.all(others)).reduce((all, page) => all.concat(page.data), data);
  const edges = rows
    .slice(0, first)
    .map((node, index) => ({ cursor: `${node.id}.${index}`, node }));
  return {
    edges,
    totalCount: totalItems,
    pageInfo: {
      hasNextPage: totalItems > edges.length,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
