// Answers on their way out: those of one turn of the event loop go together.
import type { ServerResponse } from 'node:http';

/** An answer whose head is written. */
interface Answer {
  readonly response: ServerResponse;
  readonly content: string | Buffer;
  readonly encoding: BufferEncoding;
  /** Told once it is sent; or that it is not, as its client was gone before. */
  readonly onEnd: (isSent: boolean) => void;
}

/** So many do not wait for the end of a turn that may be long. */
const enough = 32;

const ready: Answer[] = [];
let isEndAwaited = false;

/**
 * Ends an answer with the end of this turn. Each write to a socket on which somebody sleeps costs the system the waking of
 * that somebody, more than all else about it: where many clients' answers pass through one proxy, that is woken once.
 */
export function endSoon(answer: Answer): void {
  ready.push(answer);
  if (ready.length >= enough) endReady();
  else if (!isEndAwaited) {
    isEndAwaited = true;
    setImmediate(onTurnEnd);
  }
}

function onTurnEnd(): void {
  isEndAwaited = false;
  endReady();
}

function endReady(): void {
  for (const { response, content, encoding, onEnd } of ready.splice(0)) {
    const isThere = !response.destroyed;
    // A text goes out with the head in one write.
    if (isThere) response.end(content, encoding);
    onEnd(isThere);
  }
}
