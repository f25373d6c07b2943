// The names and versions of CLIENTS, under which operations are counted and logged (docs/clients.md).

/** An entry of CLIENTS; `version` is null if it lists a name alone. */
export interface ListedClient {
  readonly name: string;
  readonly version: string | null;
}

/** A name with a version, each from CLIENTS or one of `other` and `none`; all are made at start. */
export interface Client {
  readonly name: string;
  readonly version: string;
  /** Both as members of a JSON object, for the log. */
  readonly logMembers: string;
}

export interface Clients {
  /** Every client that `of` can return. */
  readonly all: readonly Client[];
  /** The app that sent these headers. */
  of(headers: Readonly<NodeJS.Dict<string | string[]>>): Client;
}

/** `other`: CLIENTS does not list it; `none`: it was not sent. */
const other = 'other';
const none = 'none';

export function createClients(listed: readonly ListedClient[]): Clients {
  const all: Client[] = [];
  const add = (name: string, version: string): Client => {
    const logMembers = `"clientName":${JSON.stringify(name)},"clientVersion":${JSON.stringify(version)}`;
    const client = { name, version, logMembers };
    all.push(client);
    return client;
  };
  const byName = new Map<unknown, { other: Client; none: Client; listed: Map<unknown, Client> }>();
  for (const [name, entries] of Map.groupBy(listed, (entry) => entry.name)) {
    const versions = new Set(entries.flatMap(({ version }) => version ?? []));
    byName.set(name, {
      listed: new Map([...versions].map((version) => [version, add(name, version)])),
      other: add(name, other),
      none: add(name, none),
    });
  }
  const [unlisted, nameless] = [add(other, other), add(none, none)];
  return {
    all,
    of(headers) {
      const neutral = headers['graphql-client-name'];
      const name = neutral ?? headers['apollographql-client-name'];
      if (name === undefined || name === '') return nameless;
      const client = byName.get(name);
      if (client === undefined) return unlisted;
      const version =
        headers[neutral === undefined ? 'apollographql-client-version' : 'graphql-client-version'];
      if (version === undefined || version === '') return client.none;
      return client.listed.get(version) ?? client.other;
    },
  };
}
