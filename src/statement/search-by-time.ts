// Where a cursor's row stood, by createdAt: asked last, as the service does not promise that order. Pure.
import { NO_KEY } from '../upstream/shape/row-key.ts';
import { found, mayReadMore, readAt, sideOf, type Place, type Search } from './search.ts';
import { isCovered, seenRows } from './snapshot.ts';

/** The rows between which the cursor's row must have stood: the nearest strictly newer and strictly older one. */
interface Bounds {
  /** Distance of the nearest row that comes before it in the direction of the walk, or just beyond the edge. */
  readonly behind: number;
  /** Distance of the nearest row that comes after it, or just beyond the edge. */
  readonly ahead: number;
  readonly hasTies: boolean;
}

/** Halves what lies between the bounds until the place lies open. Neither its row nor any that it names was seen. */
export function placeByTime(search: Search): Place {
  const { snapshot, cursor, direction } = search;
  const bounds = boundsOf(search);
  const [low, high] = [
    Math.min(bounds.behind, bounds.ahead),
    Math.max(bounds.behind, bounds.ahead),
  ];
  const isKept = direction * (bounds.behind - bounds.ahead) > 0;
  if (cursor.key === NO_KEY) return { kind: 'expired', reason: 'noId' };
  if (cursor.createdAtMs === null || !isKept) return { kind: 'expired', reason: 'gone' };
  const unseen = nextToRead(search, low, high, bounds.hasTies);
  if (unseen === undefined) return betweenBounds(search, bounds);
  return !bounds.hasTies || mayReadMore(snapshot)
    ? readAt(search, unseen)
    : { kind: 'expired', reason: 'tooFar' };
}

function boundsOf(search: Search): Bounds {
  const { snapshot, direction } = search;
  let [behind, ahead] = direction === 1 ? [snapshot.total, -1] : [-1, snapshot.total];
  let hasTies = false;
  for (const seen of seenRows(snapshot)) {
    const side = sideOf(search, seen);
    if (side < 0 && direction * (behind - seen.distance) > 0) behind = seen.distance;
    if (side > 0 && direction * (seen.distance - ahead) > 0) ahead = seen.distance;
    hasTies ||= side === 0;
  }
  return { behind, ahead, hasTies };
}

/** The next unseen distance between two: halfway; ties cannot be halved, so among them near the expected one. */
function nextToRead(
  { snapshot, expected }: Search,
  low: number,
  high: number,
  hasTies: boolean,
): number | undefined {
  const target = hasTies ? Math.min(Math.max(expected, low + 1), high - 1) : (low + high) >> 1;
  for (let away = 0; target - away > low || target + away < high; away++) {
    for (const distance of [target - away, target + away]) {
      if (distance > low && distance < high && !isCovered(snapshot, distance)) return distance;
    }
  }
  return undefined;
}

/** All between the bounds was seen: nothing, or ties of which the cursor says that they were all passed, or none was. */
function betweenBounds({ behind, ahead, direction }: Search, bounds: Bounds): Place {
  const afterBehind = found(bounds.behind - direction, 'createdAt');
  if (Math.abs(bounds.behind - bounds.ahead) === 1) return afterBehind;
  if (behind.complete) return afterBehind;
  if (ahead.complete) return found(bounds.ahead, 'createdAt');
  return { kind: 'expired', reason: 'ties' };
}
