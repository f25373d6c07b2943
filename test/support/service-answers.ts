// Reads answers of the service as the gateway does, into plain objects that tests can compare.
import { SourceObject } from '../../src/json/source-object.ts';
import { endpoints } from '../../src/upstream/endpoints.ts';
import type { HolderKind, Profile, StatementPage } from '../../src/upstream/shape/shapes.ts';

export function readProfile(kind: HolderKind, text: string): Profile {
  const { read } = endpoints[kind === 'PERSON' ? 'persons' : 'companies'];
  const { holder, individual, address, accounts } = read(Buffer.from(text)).value;
  return {
    kind,
    holder: plain(holder),
    individual: plain(individual),
    address: plain(address),
    accounts: Array.isArray(accounts) ? accounts.map(plain) : accounts,
  };
}

export function readPage(text: string): StatementPage {
  const { rows, ...counts } = endpoints.transactions.read(Buffer.from(text)).value;
  return {
    ...counts,
    rows: rows.map(({ key, createdAtMs, node }) => ({
      key,
      createdAtMs,
      node: plain(node),
    })),
  };
}

/** For an object that keeps its JSON, a plain copy; any other value as it is. */
function plain<T>(value: T): T {
  if (!(value instanceof SourceObject)) return value;
  const { names } = value.shape;
  return Object.fromEntries(names.map((name) => [name, Reflect.get(value, name) as unknown])) as T;
}
