// Parses and checks an operations manifest: the operations that clients were released with.
import { hash } from 'node:crypto';

/** An operation that clients were released with. */
export interface ManifestOperation {
  /** The id that clients send instead of the text. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The whole document. */
  readonly body: string;
}

/** An invalid manifest; the message is for its author. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/**
 * The id that a document is stored under: the hash of `sha256:…` (a prefixed document identifier, GraphQL over HTTP,
 * appendix A), and any other id unchanged.
 */
export function documentId(sent: string): string {
  const [, sha256 = sent] = /^sha256:([\da-f]{64})$/.exec(sent) ?? [];
  return sha256;
}

const apolloFormat = 'apollo-persisted-query-manifest';

/**
 * The operations by their ids; throws a ManifestError. It reads two formats: that of Apollo's
 * generate-persisted-query-manifest, and a JSON object of ids and texts, which the Relay compiler (`persistConfig`) and the
 * client preset of graphql-codegen (`persistedDocuments`) write.
 */
export function parseManifest(text: string): ReadonlyMap<string, ManifestOperation> {
  const manifest = parseJson(text);
  if (!isObject(manifest)) throw new ManifestError('it is not a JSON object');
  const entries = Object.entries(manifest);
  const areTexts = entries.length > 0 && entries.every(([, value]) => typeof value === 'string');
  const listed = areTexts ? textsById(entries as [string, string][]) : apolloOperations(manifest);
  const known = new Map<string, ManifestOperation>();
  for (const { place, operation } of listed) {
    checkId(operation, known.get(operation.id), place);
    known.set(operation.id, operation);
  }
  return known;
}

/** An operation, with its place in the file. */
interface Listed {
  readonly place: string;
  readonly operation: ManifestOperation;
}

function apolloOperations({ format, version, operations }: Manifest): Listed[] {
  if (format !== apolloFormat) throw new ManifestError(`its format is not ${apolloFormat}`);
  if (version !== 1) throw new ManifestError('its version is not 1');
  if (!Array.isArray(operations)) throw new ManifestError('it has no list of operations');
  return operations.map((value: unknown, index) => {
    const place = `operations[${index}]`;
    return { place, operation: parseOperation(value, place) };
  });
}

function textsById(entries: readonly [string, string][]): Listed[] {
  return entries.map(([id, body]) => {
    const name = /\b(?:query|mutation|subscription)\s+(\w+)/.exec(body)?.[1] ?? id;
    return { place: id, operation: parseOperation({ id, name, body }, id) };
  });
}

type Manifest = Readonly<Record<string, unknown>>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ManifestError('it is not JSON');
  }
}

function parseOperation(value: unknown, place: string): ManifestOperation {
  if (!isObject(value)) throw new ManifestError(`${place} is not an object`);
  const { id, name, body } = value;
  for (const [key, field] of Object.entries({ id, name, body })) {
    if (typeof field !== 'string' || field === '') {
      throw new ManifestError(`${place}.${key} is not a text`);
    }
  }
  return { ...({ name, body } as ManifestOperation), id: documentId(id as string) };
}

const looksLikeSha256 = /^[\da-f]{64}$/;

/**
 * Documents are stored by the SHA-256 of their text, so an id that is another text's hash would select that text. The same
 * operation may be listed twice: some manifests list it once for each client.
 */
function checkId(
  { id, body }: ManifestOperation,
  same: ManifestOperation | undefined,
  place: string,
): void {
  if (looksLikeSha256.test(id) && hash('sha256', body) !== id) {
    throw new ManifestError(`${place}.id is a SHA-256, but not that of its body`);
  }
  if (same !== undefined && same.body !== body) {
    throw new ManifestError(`${place}.id is another operation's too`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
