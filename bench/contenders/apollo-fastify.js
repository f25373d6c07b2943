// Apollo Server on Fastify, with undici and a DataLoader for the service.
import { ApolloServer } from '@apollo/server';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import Fastify from 'fastify';
import { resolvers, typeDefs } from './schema.js';
import { createService } from './service.js';

const app = Fastify();
const server = new ApolloServer({ typeDefs, resolvers, plugins: [fastifyApolloDrainPlugin(app)] });
await server.start();
await app.register(fastifyApollo(server), {
  context: ({ headers }) => Promise.resolve({ service: createService(headers) }),
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
