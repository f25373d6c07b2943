// A client of the account service based on undici, for the peers without a client of their own.
import DataLoader from 'dataloader';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM_URL, { connections: 512 });

/** The client of one operation, with the caller's own headers; the profile goes through a DataLoader. */
export function createService({ authorization, 'x-tenant-id': tenant }) {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    authorization,
    'x-tenant-id': tenant,
  };
  const read = async (path) => {
    const { body } = await pool.request({ path, method: 'GET', headers });
    return body.json();
  };
  return serviceOf(read);
}

/** The same, given a function that reads a path of the service on behalf of the caller. */
export function serviceOf(read) {
  const profiles = new DataLoader((paths) => Promise.all(paths.map(read)));
  return {
    profile: () => profiles.load('/persons'),
    page: (account, number) => read(`/accounts/${account}/transactions?page=${number}`),
  };
}
