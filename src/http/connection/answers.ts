// Answers on their way out: those of one turn of the event loop go out together.

/** So many do not wait for the end of a turn that may be long. */
const enough = 32;

const ready: (() => void)[] = [];
let isEndAwaited = false;

/**
 * Calls `end`, which must not throw, at the end of this turn. Each write to a socket whose reader sleeps costs the system a
 * wake-up, more than all else about it: if many clients' answers pass through one proxy, it is woken once.
 */
export function endSoon(end: () => void): void {
  ready.push(end);
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
  for (const end of ready.splice(0)) end();
}
