// Checks manifests against the schemas of the Kubernetes API, without a cluster.
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/**
 * The models of an API version, compiled from the OpenAPI document of a Kubernetes release. `validate` is called with
 * the manifest as `this`, and throws the errors.
 */
type Models = Readonly<Record<string, { readonly prototype: { validate(): void } }>>;

/** The errors of a manifest: values that its schema rejects, and unknown fields. */
export async function problemsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const models = (await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}`)) as Models;
  const model = models[kind];
  if (model === undefined) return [`${apiVersion} has no ${kind}`];
  const unread = new Set<string>();
  const problems: string[] = [];
  try {
    model.prototype.validate.call(watched(manifest, '', unread));
  } catch (error) {
    problems.push(String(error));
  }
  return [...problems, ...[...unread].map((path) => `${path} is no field of its schema`)];
}

/**
 * Wraps a manifest so that reading a field removes its path from `unread`. The schemas accept unknown fields, but read
 * all known ones. A field that stays in `unread` is therefore unknown, usually misspelled, and Kubernetes would drop
 * it.
 */
function watched(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  for (const key of isList ? [] : Object.keys(value)) unread.add(`${path}/${key}`);
  const parts = new Map(
    Object.entries(value).map(([key, part]) => [key, watched(part, `${path}/${key}`, unread)]),
  );
  return new Proxy(value, {
    get(target, key, receiver) {
      if (typeof key === 'string') unread.delete(`${path}/${key}`);
      return typeof key === 'string' && parts.has(key)
        ? parts.get(key)
        : (Reflect.get(target, key, receiver) as unknown);
    },
  });
}
