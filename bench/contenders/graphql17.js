// graphql 17 on node:http, without a server framework: each text is parsed and validated once.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { buildSchema, execute, parse, validate } from 'graphql17';
import { resolvers, typeDefs } from './schema.js';
import { createService } from './service.js';

const schema = buildSchema(typeDefs);
for (const [type, fields] of Object.entries(resolvers)) {
  for (const [field, resolve] of Object.entries(fields)) {
    schema.getType(type).getFields()[field].resolve = resolve;
  }
}

const documents = new Map();

function documentOf(query) {
  const known = documents.get(query);
  if (known !== undefined) return known;
  const document = parse(query);
  const [error] = validate(schema, document);
  if (error !== undefined) throw error;
  documents.set(query, document);
  return document;
}

async function answer(request, response) {
  const { query, variables } = JSON.parse((await text(request)) || '{}');
  const body = query && JSON.stringify(await run(query, variables, request.headers));
  response.writeHead(query ? 200 : 400, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body ?? ''),
  });
  response.end(body);
}

function run(query, variableValues, headers) {
  const contextValue = { service: createService(headers) };
  return execute({ schema, document: documentOf(query), variableValues, contextValue });
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
