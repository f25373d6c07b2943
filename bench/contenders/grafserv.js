// Grafast on Grafserv: calls to the service are steps of an operation's plan, which is made once per operation text.
import { createServer } from 'node:http';
import { context, get, lambda, loadOne, makeGrafastSchema } from 'grafast';
import { grafserv } from 'grafserv/node';
import { readSlice, typeDefs } from './schema.js';
import { createService } from './service.js';

const readProfiles = (services) => Promise.all(services.map((service) => service.profile()));
const readSlices = (slices) =>
  Promise.all(slices.map(({ service, account, first }) => readSlice(service, account, first)));

const service = () => context().get('service');
const profile = () => loadOne(service(), readProfiles);
const slice = (account, first) => loadOne({ service: service(), account, first }, readSlices);
const asText = (field) => ($parent) => lambda(get($parent, field), String, true);
const signed = ([amount, credit]) => String(credit ? amount : -amount);

const schema = makeGrafastSchema({
  typeDefs,
  unions: {
    Me: {
      planType: ($person) => ({
        $__typename: lambda($person, () => 'Person', true),
        planForType: () => $person,
      }),
    },
  },
  objects: {
    Query: {
      plans: {
        me: () =>
          lambda(
            profile(),
            ({ person, individual, address }) => ({ ...person, individual, address }),
            true,
          ),
        accounts: () => get(profile(), 'accounts'),
        transactions: (_root, { $accountId, $first }) => slice($accountId, $first),
      },
    },
    Individual: {
      plans: {
        birthDate: ($one) => lambda(get($one, 'birthDate'), (date) => date.slice(0, 10), true),
        income: asText('income'),
      },
    },
    Account: {
      plans: {
        balance: asText('balance'),
        transactions: ($account, { $first }) => slice(get($account, 'id'), $first),
      },
    },
    Transaction: {
      plans: {
        amount: asText('amount'),
        signedAmount: ($row) => lambda([get($row, 'amount'), get($row, 'credit')], signed, true),
      },
    },
  },
});

const server = createServer();
const preset = {
  grafserv: { websockets: false },
  grafast: { context: ({ node }) => ({ service: createService(node.req.headers) }) },
};
await grafserv({ schema, preset }).addTo(server);
server.listen(Number(process.env.PORT), '127.0.0.1');
