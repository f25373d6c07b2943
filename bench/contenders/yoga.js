// GraphQL Yoga on node:http, as in the first steps of its documentation.
import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import { resolvers, typeDefs } from './schema.js';
import { createService } from './service.js';

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  logging: 'error',
  context: ({ req }) => ({ service: createService(req.headers) }),
});
createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1');
