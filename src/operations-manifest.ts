// An operations manifest, as @apollo/generate-persisted-query-manifest writes it: the text of a file -> its operations.
import { hash } from 'node:crypto';

/** An operation that clients were released with. */
export interface ManifestOperation {
  /** What clients send in its place. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The whole document. */
  readonly body: string;
}

/** Says what is wrong with a manifest, in words for whoever made it. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const format = 'apollo-persisted-query-manifest';

/** The operations by their ids; throws a ManifestError. What else a manifest holds is not looked at. */
export function parseManifest(text: string): ReadonlyMap<string, ManifestOperation> {
  const manifest = parseObject(text);
  if (manifest['format'] !== format) throw new ManifestError(`its format is not ${format}`);
  if (manifest['version'] !== 1) throw new ManifestError('its version is not 1');
  const { operations } = manifest;
  if (!Array.isArray(operations)) throw new ManifestError('it has no list of operations');
  const known = new Map<string, ManifestOperation>();
  for (const [index, value] of operations.entries()) {
    const operation = parseOperation(value, `operations[${index}]`);
    checkId(operation, known.get(operation.id), `operations[${index}]`);
    known.set(operation.id, operation);
  }
  return known;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (!isObject(value)) throw new ManifestError('it is not a JSON object');
  return value;
}

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
  return { id, name, body } as ManifestOperation;
}

const looksLikeSha256 = /^[\da-f]{64}$/;

/**
 * Everything keeps documents by the SHA-256 of their text, so that an id which is another text's would answer that one.
 * The same operation may be there twice: some manifests list it once a client.
 */
function checkId({ id, body }: ManifestOperation, same?: ManifestOperation, place = ''): void {
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
