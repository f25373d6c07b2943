// Parses and checks an operations manifest: the list of operations that released clients send.
import { hash } from 'node:crypto';

export interface ManifestOperation {
  readonly id: string;
  readonly name: string;
  readonly body: string;
}

export class ManifestError extends Error {}

/** Removes the prefix that GraphQL over HTTP (appendix A) requires before a hash. */
export function documentId(sent: string): string {
  return sent.replace(/^sha256:(?=[\da-f]{64}$)/, '');
}

/** Operations by id, from Apollo's format or that of Relay's compiler and graphql-codegen. Throws ManifestError. */
export function parseManifest(text: string): ReadonlyMap<string, ManifestOperation> {
  const known = new Map<string, ManifestOperation>();
  for (const [place, value] of listed(parseJson(text))) {
    const operation = parseOperation(value, place);
    const { id, body } = operation;
    // Registered operation texts are found by their SHA-256, so this id could also be the id of another text.
    if (looksLikeSha256.test(id) && hash('sha256', body) !== id) {
      throw new ManifestError(`${place}.id is a SHA-256, but not that of its body`);
    }
    // Some manifests list an operation once for each client, so only different texts are an error.
    if ((known.get(id)?.body ?? body) !== body) {
      throw new ManifestError(`${place}.id is another operation's too`);
    }
    known.set(id, operation);
  }
  return known;
}

const looksLikeSha256 = /^[\da-f]{64}$/;

function parseJson(text: string): unknown {
  try {
    // Some editors and tools write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new ManifestError('it is not JSON');
  }
}

const apolloFormat = 'apollo-persisted-query-manifest';

function listed(manifest: unknown): (readonly [place: string, operation: unknown])[] {
  if (!isObject(manifest)) throw new ManifestError('it is not a JSON object');
  const { format, version, operations } = manifest;
  const entries = Object.entries(manifest);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  // A manifest without operations has lost the last one; it allows none.
  if (format === undefined && texts.length === entries.length) {
    return texts.map(([id, body]) => {
      const name = /\b(?:query|mutation|subscription)\s+(\w+)/.exec(body)?.[1] ?? id;
      return [id, { id, name, body }];
    });
  }
  if (format !== apolloFormat) throw new ManifestError(`its format is not ${apolloFormat}`);
  if (version !== 1) throw new ManifestError('its version is not 1');
  if (!Array.isArray(operations)) throw new ManifestError('it has no list of operations');
  return operations.map((value, index) => [`operations[${index}]`, value]);
}

function parseOperation(value: unknown, place: string): ManifestOperation {
  if (!isObject(value)) throw new ManifestError(`${place} is not an object`);
  const textOf = (key: keyof ManifestOperation) => {
    const text = value[key];
    if (typeof text === 'string' && text !== '') return text;
    throw new ManifestError(`${place}.${key} is not a text`);
  };
  return { id: documentId(textOf('id')), name: textOf('name'), body: textOf('body') };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
