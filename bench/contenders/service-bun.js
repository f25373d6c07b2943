// Reads from the service with Bun's own client: Bun replaces undici by a module that has no pools.

/** Returns a function that reads a path of the service with the headers of a caller. */
export function readerOf(caller) {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    authorization: caller.get('authorization'),
    'x-tenant-id': caller.get('x-tenant-id'),
  };
  return async (path) => (await fetch(process.env.UPSTREAM_URL + path, { headers })).json();
}
