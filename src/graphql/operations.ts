// The operations of the manifest: by id, by text, ready to run; followed while the file changes (docs/settings.md).
import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentNode } from 'graphql';
import { type ManifestOperation, parseManifest } from '../operations-manifest.ts';
import { ChangingFile } from './changing-file.ts';

export interface ListedOperation extends ManifestOperation {
  /** Parsed and validated; null where it cannot be run, or where there was no room to keep it. */
  readonly document: DocumentNode | null;
}

/** What the manifest lists now. */
export interface Operations {
  /** The operation with this id. */
  find(id: string): ListedOperation | undefined;
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
  /** Text -> a document that can be run; throws what is wrong with it. */
  readonly prepare: (text: string) => DocumentNode;
  readonly log: OperationsLog;
}

const lookEveryMs = 1000;

/** Characters of the documents that are kept ready, which take some 100 times as much. */
const maxPreparedLength = 512 * 1024;

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
  #operations: ReadonlyMap<string, ListedOperation> = new Map();
  #texts: ReadonlySet<string> = new Set();
  #following: NodeJS.Timeout | undefined;
  #isTaking = false;

  constructor(settings: OperationsSettings) {
    this.#settings = settings;
  }

  find(id: string): ListedOperation | undefined {
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
    const operations = await this.#prepareAll(parseManifest(text));
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

  /** One a turn: requests go on meanwhile. */
  async #prepareAll(
    operations: ReadonlyMap<string, ManifestOperation>,
  ): Promise<ReadonlyMap<string, ListedOperation>> {
    const listed = new Map<string, ListedOperation>();
    let room = maxPreparedLength;
    for (const operation of operations.values()) {
      room -= operation.body.length;
      const document = this.#prepare(operation);
      listed.set(operation.id, { ...operation, document: room < 0 ? null : document });
      await turn();
    }
    return listed;
  }

  /** Null for what cannot be run: it is listed all the same, and whoever sends it is told what is wrong. */
  #prepare({ id, name, body }: ManifestOperation): DocumentNode | null {
    const before = this.find(id);
    if (before?.document && before.body === body) return before.document;
    try {
      return this.#settings.prepare(body);
    } catch (error) {
      const fields = { operation: name, problem: messageOf(error) };
      this.#settings.log.warn(fields, 'an operation of the manifest cannot be run');
      return null;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
