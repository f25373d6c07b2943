// Sends the answers of one turn of the event loop together.

/** This many answers are sent without waiting for the end of the turn. */
const enough = 32;

const ready: (() => void)[] = [];
let isEndAwaited = false;

/**
 * Calls `end`, which must not throw, at the end of this turn. A write to a socket whose reader sleeps costs a wake-up,
 * which is most of the write's time: a proxy that serves many clients is woken only once per turn.
 */
export function endSoon(end: () => void): void {
  ready.push(end);
  if (ready.length >= enough) endReady();
  else if (!isEndAwaited) {
    isEndAwaited = true;
    setImmediate(() => {
      isEndAwaited = false;
      endReady();
    });
  }
}

function endReady(): void {
  for (const end of ready.splice(0)) end();
}
