// A file that is read again when it has changed.
import { readFile, stat } from 'node:fs/promises';

/**
 * Polls the file's state: file system events miss a mounted Kubernetes ConfigMap (a link elsewhere is swapped), network
 * file systems, and editors that replace the file.
 */
export class ChangingFile {
  readonly #path: string;
  #state = '';

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The text; null if it has not changed since the last call. Rejects once per change if the file
   * cannot be read.
   */
  async readIfChanged(): Promise<string | null> {
    // Before reading, so that a change in between is seen the next time.
    const state = await stateOf(this.#path);
    if (state === this.#state) return null;
    this.#state = state;
    return readFile(this.#path, 'utf8');
  }
}

async function stateOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${dev} ${ino} ${size} ${mtimeNs}`;
  } catch {
    return 'not there';
  }
}
