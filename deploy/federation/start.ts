// `npm run supergraph`: account-bff with its sandbox bank, two other subgraphs, and a router in front of all three.
import { parseArgs } from 'node:util';
import { help, readArguments } from '../../scripts/arguments.ts';
import { AccountEnded, startAccount } from './account.ts';
import { startApolloGateway } from './routers/apollo-gateway.ts';
import type { Router } from './routers/forwarded.ts';
import { startHive } from './routers/hive.ts';
import { cards } from './subgraphs/cards.ts';
import { insights } from './subgraphs/insights.ts';
import { startSubgraph } from './subgraphs/subgraph.ts';
import { composeSupergraph } from './supergraph.ts';

type StartRouter = (supergraph: string, port: number) => Promise<Router>;

const routers: Readonly<Record<'hive' | 'apollo', StartRouter>> = {
  hive: startHive,
  apollo: startApolloGateway,
};

const example = `{
  accounts {
    balance
    cards { lastDigits isBlocked }
    transactions(first: 3) { nodes { signedAmount insight { topic text } } }
  }
}`;

const options = {
  router: { type: 'string', default: 'hive' },
  port: { type: 'string', default: '4100' },
  /** Free ports for account-bff and the other two subgraphs, instead of fixed ones. */
  'free-ports': { type: 'boolean', default: false },
  sdl: { type: 'boolean', default: false },
  help,
} as const;
const usage = 'npm run supergraph -- [--router hive|apollo] [--port 4100] [--free-ports] [--sdl]';
const { values } = readArguments(usage, () => {
  const given = parseArgs({ options });
  if (Object.hasOwn(routers, given.values.router)) return given;
  throw new TypeError(`--router is one of ${Object.keys(routers).join(', ')}.`);
});

if (values.sdl) printSupergraph();
else {
  await start(routers[values.router as keyof typeof routers]).catch((error: unknown) => {
    console.error(sentenceAbout(error as NodeJS.ErrnoException & { readonly port?: number }));
    process.exitCode = 1;
  });
}

/** For a port that is in use, a remedy; otherwise the whole error. */
function sentenceAbout(error: NodeJS.ErrnoException & { readonly port?: number }): unknown {
  if (error instanceof AccountEnded) return `${error.message} Free ports: --free-ports.`;
  if (error.code !== 'EADDRINUSE') return error;
  return `Port ${error.port} is in use: stop the program that uses it, or choose other ports with --port (the router's) and --free-ports (all others).`;
}

/** Prints the supergraph, for a router that is started from a file. */
function printSupergraph(): void {
  const account = 'http://127.0.0.1:4110/graphql';
  const cardsUrl = 'http://127.0.0.1:4101/';
  console.log(composeSupergraph({ account, cards: cardsUrl, insights: 'http://127.0.0.1:4102/' }));
}

async function start(startRouter: StartRouter): Promise<void> {
  // Not `once`: on Ctrl+C, the terminal sends one SIGINT and npm forwards another.
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const portOf = (port: number) => (values['free-ports'] ? 0 : port);
  // Not 4000 and 4001: `npm start` may be running.
  const env = { PORT: `${portOf(4110)}`, ADMIN_PORT: `${portOf(4111)}`, LOG_LEVEL: 'info' };
  await using account = await startAccount(env, (line) => {
    if (!line.startsWith('{')) console.log(line);
  });
  await using cardsGraph = await startSubgraph(cards, portOf(4101));
  await using insightsGraph = await startSubgraph(insights, portOf(4102));
  const urls = { account: account.url, cards: cardsGraph.url, insights: insightsGraph.url };
  await using router = await startRouter(composeSupergraph(urls), Number(values.port));
  for (const [name, url] of Object.entries(urls)) console.log(`Subgraph ${name} at ${url}`);
  console.log(`${values.router} at ${router.url}: ask it with the headers above, for example`);
  console.log(example);
  await stopped;
}
