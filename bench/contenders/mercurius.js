// Mercurius on Fastify, with its just-in-time compiler on from the first request.
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { resolvers as common, typeDefs } from './schema.js';
import { createService } from './service.js';

const app = Fastify();
const resolvers = { ...common, Me: { resolveType: ({ __typename }) => __typename } };
app.register(mercurius, {
  schema: typeDefs,
  resolvers,
  jit: 1,
  context: ({ headers }) => ({ service: createService(headers) }),
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
