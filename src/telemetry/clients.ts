// The client names and versions of CLIENTS, under which operations are counted and logged (docs/clients.md).
import type { IncomingHttpHeaders } from 'node:http';
import type { Settings } from '../settings/settings.ts';

export type Clients = ReturnType<typeof createClients>;

/** `other`: CLIENTS does not list the name or version. `none`: the client did not send one. */
const other = 'other';
const none = 'none';

export function createClients(listed: NonNullable<Settings['clients']>) {
  const byName = new Map<string, Set<string>>();
  for (const [name, entries] of Map.groupBy(listed, (entry) => entry.name)) {
    byName.set(name, new Set(entries.flatMap(({ version }) => version ?? [])));
  }
  const ofNames = [...byName].flatMap(([name, versions]) =>
    [...versions, other, none].map((version) => ({ name, version })),
  );
  const unlisted = { name: other, version: other };
  const nameless = { name: none, version: none };
  return {
    /** Every client that `of` can return. */
    all: [...ofNames, unlisted, nameless],
    of(headers: IncomingHttpHeaders) {
      const neutral = headers['graphql-client-name'];
      const name = String(neutral ?? headers['apollographql-client-name'] ?? '');
      if (name === '') return nameless;
      const versions = byName.get(name);
      if (versions === undefined) return unlisted;
      const prefix = neutral === undefined ? 'apollographql-client' : 'graphql-client';
      const version = String(headers[`${prefix}-version`] ?? '');
      if (version === '') return { name, version: none };
      return { name, version: versions.has(version) ? version : other };
    },
  };
}
