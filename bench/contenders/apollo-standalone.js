// Apollo Server as in the first steps of its documentation: startStandaloneServer, and @apollo/datasource-rest for
// the service.
import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { resolvers, typeDefs } from './schema.js';

class AccountService extends RESTDataSource {
  baseURL = `${process.env.UPSTREAM_URL}/`;
  #profile;

  constructor({ headers, cache }) {
    super({ cache });
    this.headers = headers;
  }

  willSendRequest(_path, request) {
    request.headers['authorization'] = this.headers.authorization;
    request.headers['x-tenant-id'] = this.headers['x-tenant-id'];
    request.headers['content-type'] = 'application/json';
  }

  profile() {
    return (this.#profile ??= this.get('persons'));
  }

  page(account, number) {
    return this.get(`accounts/${account}/transactions`, { params: { page: String(number) } });
  }
}

const server = new ApolloServer({ typeDefs, resolvers });
await startStandaloneServer(server, {
  listen: { port: Number(process.env.PORT), host: '127.0.0.1' },
  context: ({ req: { headers } }) =>
    Promise.resolve({ service: new AccountService({ headers, cache: server.cache }) }),
});
