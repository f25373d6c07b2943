// The operations of the manifest, by id and by text; reloaded when the file changes (docs/settings.md).
import { setImmediate as turn } from 'node:timers/promises';
import { type ManifestOperation, parseManifest } from '../../operations-manifest.ts';
import { ChangingFile } from './changing-file.ts';

/** The operations that the manifest currently lists. */
export interface Operations {
  /** The operation with this id. */
  find(id: string): ManifestOperation | undefined;
  /** Whether this is exactly the text of an operation. */
  hasText(text: string): boolean;
  /** Stops watching the file. */
  close(): void;
}

/** The part of pino's logger that is used. */
export interface OperationsLog {
  info(fields: { readonly operations: number }, message: string): void;
  warn(fields: { readonly operation: string; readonly problem: string }, message: string): void;
  error(fields: { readonly problem: string }, message: string): void;
}

export interface OperationsSettings {
  /** OPERATIONS_MANIFEST; null for none. */
  readonly path: string | null;
  /** Parses and validates a text in advance; throws the error. */
  readonly prepare: (text: string) => void;
  readonly log: OperationsLog;
}

const lookEveryMs = 1000;

/**
 * Reads the manifest, and again whenever it changes. If a new version is invalid, logs the error and keeps the one before.
 * Rejects if the first version is invalid.
 */
export async function openOperations(settings: OperationsSettings): Promise<Operations> {
  const { path } = settings;
  const listing = new Listing(settings);
  if (path === null) return listing;
  const file = new ChangingFile(path);
  await listing.take(file).catch((error: unknown) => {
    throw new Error(`OPERATIONS_MANIFEST: ${messageOf(error)}`, { cause: error });
  });
  listing.follow(file);
  return listing;
}

class Listing implements Operations {
  readonly #settings: OperationsSettings;
  #operations: ReadonlyMap<string, ManifestOperation> = new Map();
  #texts: ReadonlySet<string> = new Set();
  #following: NodeJS.Timeout | undefined;
  #isTaking = false;

  constructor(settings: OperationsSettings) {
    this.#settings = settings;
  }

  find(id: string): ManifestOperation | undefined {
    return this.#operations.get(id);
  }

  hasText(text: string): boolean {
    return this.#texts.has(text);
  }

  close(): void {
    clearInterval(this.#following);
  }

  follow(file: ChangingFile): void {
    this.#following = setInterval(() => void this.#takeOrTell(file), lookEveryMs).unref();
  }

  /** Replaces all operations at once if the file has changed. */
  async take(file: ChangingFile): Promise<void> {
    const text = await file.readIfChanged();
    if (text === null) return;
    const operations = parseManifest(text);
    // One per turn, so that requests are served meanwhile.
    for (const operation of operations.values()) {
      this.#prepare(operation);
      await turn();
    }
    this.#operations = operations;
    this.#texts = new Set(operations.values().map(({ body }) => body));
    this.#settings.log.info({ operations: operations.size }, 'the operations manifest is in force');
  }

  async #takeOrTell(file: ChangingFile): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      await this.take(file);
    } catch (error) {
      const problem = messageOf(error);
      this.#settings.log.error({ problem }, 'the operations manifest is wrong: the old one stays');
    }
    this.#isTaking = false;
  }

  /** An invalid operation stays listed; a client that sends it gets the error. */
  #prepare({ id, name, body }: ManifestOperation): void {
    if (this.find(id)?.body === body) return;
    try {
      this.#settings.prepare(body);
    } catch (error) {
      const fields = { operation: name, problem: messageOf(error) };
      this.#settings.log.warn(fields, 'an operation of the manifest cannot be run');
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
