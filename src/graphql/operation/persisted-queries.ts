// Operation texts by id: those of the manifest, and those that clients have registered (docs/operations.md).
import { hash } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { type ManifestOperation, parseManifest } from '../../settings/operations-manifest.ts';
import { keyPrefix, type SharedStore } from '../../shared-store/shared-store.ts';

export type PersistedQueries = ReturnType<typeof createPersistedQueries>;

export function createPersistedQueries(
  manifest: Pick<Manifest, 'find'>,
  store: Pick<SharedStore, 'get' | 'set'>,
) {
  const keyOf = (sha256: string) => `${keyPrefix}:apq:${sha256}`;
  return {
    /** The operation text; undefined if the id is unknown. Never rejects. */
    find(id: string): string | undefined | Promise<string | undefined> {
      // Texts are registered only under their hashes.
      const isHash = /^[\da-f]{64}$/.test(id);
      const isGenuine = (text: string) => hash('sha256', text) === id;
      return manifest.find(id) ?? (isHash ? store.get(keyOf(id), isGenuine) : undefined);
    },
    /** Stores a text under its hash, which the caller must have checked. */
    register: (sha256: string, text: string) => void store.set(keyOf(sha256), text),
  };
}

export type Manifest = Awaited<ReturnType<typeof openManifest>>;

export interface ManifestSettings {
  readonly path: string | null;
  /** Parses and validates a new text of the manifest in advance; throws if the text is invalid. */
  readonly prepare: (text: string) => void;
  readonly log: Readonly<
    Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>
  >;
}

/** Polling, because file events miss ConfigMap updates, changes on network file systems and replaced files. */
const polling = { interval: 1000, persistent: false };

/** Reads the manifest, and again after each change. Rejects if the first read fails; logs later failures. */
export async function openManifest({ path, prepare, log }: ManifestSettings) {
  if (path === null) {
    const hasNone = () => false;
    return { find: () => undefined, hasText: hasNone, hasName: hasNone, close: () => undefined };
  }
  let operations: ReadonlyMap<string, ManifestOperation> = new Map();
  let texts: ReadonlySet<string> = new Set();
  let names: ReadonlySet<string> = new Set();

  const load = async () => {
    const listed = parseManifest(await readFile(path, 'utf8'));
    for (const { id, name, body } of listed.values()) {
      try {
        if (operations.get(id)?.body !== body) prepare(body);
      } catch (error) {
        // The operation remains in the manifest; a client that requests it gets the error.
        const fields = { operation: name, problem: messageOf(error) };
        log.warn(fields, 'an operation of the manifest cannot be executed');
      }
      // One operation per turn of the event loop, so that other requests are served in between.
      await turn();
    }
    operations = listed;
    texts = new Set(listed.values().map(({ body }) => body));
    names = new Set(listed.values().map(({ name }) => name));
    log.info({ operations: listed.size }, 'the operations manifest is loaded');
  };

  const reload = () => {
    loading = loading.then(load).catch((error: unknown) => {
      const problem = messageOf(error);
      log.error({ problem }, 'the operations manifest is invalid; the previous one stays in use');
    });
  };
  // The watch begins before the read, so that a change during the read is detected.
  watchFile(path, polling, reload);
  let loading = load();
  await loading.catch((error: unknown) => {
    unwatchFile(path, reload);
    throw new Error(`OPERATIONS_MANIFEST: ${messageOf(error)}`, { cause: error });
  });
  return {
    find: (id: string) => operations.get(id)?.body,
    hasText: (text: string) => texts.has(text),
    hasName: (name: string) => names.has(name),
    close: () => unwatchFile(path, reload),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
