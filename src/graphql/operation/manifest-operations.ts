// The operations of the manifest: by id, by text, ready to run; followed while the file changes (docs/settings.md).
import { setImmediate as turn } from 'node:timers/promises';
import { type ManifestOperation, parseManifest } from '../../operations-manifest.ts';
import { ChangingFile } from './changing-file.ts';

/** What the manifest lists now. */
export interface Operations {
  /** The operation with this id. */
  find(id: string): ManifestOperation | undefined;
  /** Whether this is the text of an operation, to the character. */
  hasText(text: string): boolean;
  /** Follows the file no longer. */
  close(): void;
}

/** What there is to say about the manifest; pino's logger takes it. */
export interface OperationsLog {
  info(fields: { readonly operations: number }, message: string): void;
  warn(fields: { readonly operation: string; readonly problem: string }, message: string): void;
  error(fields: { readonly problem: string }, message: string): void;
}

export interface OperationsSettings {
  /** OPERATIONS_MANIFEST; null for none. */
  readonly path: string | null;
  /** Parses and validates a text, for the requests to come; throws what is wrong with it. */
  readonly prepare: (text: string) => void;
  readonly log: OperationsLog;
}

const lookEveryMs = 1000;

/**
 * Reads the manifest, and again whenever it has changed; a new version that is wrong is logged, and the one before
 * stays. Rejects where the first one is.
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

  /** Puts the file's operations in place of those before, all at once, if it has changed. */
  async take(file: ChangingFile): Promise<void> {
    const text = await file.readIfChanged();
    if (text === null) return;
    const operations = parseManifest(text);
    // One a turn: requests go on meanwhile.
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

  /** What cannot be run is listed all the same, and refused with the reason when a client sends it. */
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
