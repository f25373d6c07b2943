// A file that somebody else may change at any time: read again when it has.
import { readFile, stat } from 'node:fs/promises';

/**
 * Looks at the file's state instead of being told of changes: a mounted Kubernetes ConfigMap is changed by swapping a
 * link far from it, network file systems tell nothing, and editors put another file in its place.
 */
export class ChangingFile {
  readonly #path: string;
  #state = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Its text, null where it has not changed since it was last asked; rejects once a change where it cannot be read. */
  async readIfChanged(): Promise<string | null> {
    // Before it is read: what changes in between is seen the next time.
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
