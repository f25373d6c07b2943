// The names and versions of CLIENTS, under which operations are counted and logged (docs/clients.md).

/** An entry of CLIENTS; `version` is null if it lists a name alone. */
export interface ListedClient {
  readonly name: string;
  readonly version: string | null;
}

/** How an operation ended: without error, with errors of the request, or with a failure of gateway or service. */
export const clientOutcomes = ['ok', 'error', 'fault'] as const;

/** A name with a version, each from CLIENTS or one of `other` and `none`; all are made at start. */
export interface Client {
  readonly name: string;
  readonly version: string;
  /** Both as members of a JSON object, for the log. */
  readonly logMembers: string;
  /** Operations that have ended. */
  readonly ended: Record<(typeof clientOutcomes)[number], number>;
  /** How many of them used a deprecated field or argument, by its coordinate. */
  readonly usedDeprecated: Map<string, number>;
}

export interface Clients {
  /** Every client that `of` can return. */
  readonly all: readonly Client[];
  /** The app that sent these headers. */
  of(headers: ClientHeaders): Client;
}

type ClientHeaders = Readonly<NodeJS.Dict<string | string[]>>;
type HeaderValue = string | string[] | undefined;

/** `other`: CLIENTS does not list it; `none`: it was not sent. */
const other = 'other';
const none = 'none';

/** The clients of one name. */
interface Versions {
  readonly listed: ReadonlyMap<HeaderValue, Client>;
  readonly other: Client;
  readonly none: Client;
}

export function createClients(listed: readonly ListedClient[]): Clients {
  const names = Map.groupBy(listed, ({ name }) => name);
  const known = new Map<HeaderValue, Versions>();
  for (const [name, entries] of names) known.set(name, versionsOf(name, entries));
  const [unlisted, nameless] = [createClient(other, other), createClient(none, none)];
  const ofNames = known.values().flatMap((one) => [...one.listed.values(), one.other, one.none]);
  return {
    all: [...ofNames, unlisted, nameless],
    of(headers) {
      const neutral = headers['graphql-client-name'];
      const name = neutral ?? headers['apollographql-client-name'];
      if (name === undefined || name === '') return nameless;
      const versions = known.get(name);
      if (versions === undefined) return unlisted;
      const version =
        neutral === undefined
          ? headers['apollographql-client-version']
          : headers['graphql-client-version'];
      if (version === undefined || version === '') return versions.none;
      return versions.listed.get(version) ?? versions.other;
    },
  };
}

function versionsOf(name: string, entries: readonly ListedClient[]): Versions {
  const versions = new Set(entries.map(({ version }) => version).filter((one) => one !== null));
  return {
    listed: new Map([...versions].map((version) => [version, createClient(name, version)])),
    other: createClient(name, other),
    none: createClient(name, none),
  };
}

function createClient(name: string, version: string): Client {
  const logMembers = `"clientName":${JSON.stringify(name)},"clientVersion":${JSON.stringify(version)}`;
  return {
    name,
    version,
    logMembers,
    ended: { ok: 0, error: 0, fault: 0 },
    usedDeprecated: new Map(),
  };
}
