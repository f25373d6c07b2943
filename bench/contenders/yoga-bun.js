// GraphQL Yoga on Bun, with Bun's own server and client.
import { createSchema, createYoga } from 'graphql-yoga';
import { resolvers, typeDefs } from './schema.js';
import { serviceOf } from './service.js';
import { readerOf } from './service-bun.js';

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  logging: 'error',
  context: ({ request }) => ({ service: serviceOf(readerOf(request.headers)) }),
});
globalThis.Bun.serve({
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  fetch: yoga,
});
