// Writes a history as text, and replays a history from its text, over a service in memory or over HTTP.
import { dueIn, judge, type Walk } from './judge.ts';
import type { Finding, Route } from './search.ts';
import type { GivenSlice, Service } from './service.ts';
import type { Statement } from './statement.ts';
import { applyEvent, worldOf } from './worlds.ts';

/**
 * The text of a history, such as `byId:1,1,2:2:forward:2:1.0-0,1.1+2@1048576`: the order of the service, the createdAt
 * of the initial rows in the order of posting, itemsPerPage, route, slice size, and the events. An event is preceded by
 * the call and the read before which it happens. README.md explains the notation.
 */
export function codeOf({ task, route, world }: Finding, of = world): string {
  const { statement, start, history } = of;
  const events: string[] = [];
  for (let one = history; one !== null; one = one.before) {
    events.unshift(`${one.call}.${one.read}${one.event}`);
  }
  return [statement.order, start.join(','), task.size, route, task.count, events.join(',')].join(
    ':',
  );
}

/**
 * Replays a history, and calls `trace` for each call and event. Returns the number of pages read; null if a call ends
 * with a wrong answer or an error.
 */
export async function replay(
  service: Service,
  code: string,
  trace: (line: string) => void,
): Promise<number | null> {
  const [order, start = '', size, route, count, events = ''] = code.split(':');
  if (order !== 'byId' && order !== 'posted') throw new Error(`"${code}" is not a history`);
  const first = worldOf(order, start.split(',').map(Number), Number(size));
  const happening = events.split(',').filter((event) => event !== '');
  let [world, call, reads] = [first, 0, 0];
  const names = new Map<number, string>();
  const nameOf = (serial: number) => {
    const name = names.get(serial) ?? String.fromCharCode(97 + names.size);
    names.set(serial, name);
    return name;
  };
  const describe = ({ live }: Statement) =>
    live.map(({ serial, at }) => `${nameOf(serial)}${at / 2 ** 20}`).join(' ');
  service.statement = world.statement;
  service.onRead = (read) => {
    const point = `${call}.${read}`;
    while (happening[0]?.startsWith(point) === true) {
      const event = happening.shift()?.slice(point.length) ?? '';
      const after = applyEvent(world, event);
      if (after === null) throw new Error(`${event} cannot happen to ${describe(world.statement)}`);
      world = after;
      service.statement = world.statement;
      trace(`    ${event}: ${describe(world.statement)}`);
    }
  };
  trace(`    ${describe(world.statement)}`);
  let walk: Walk = {
    direction: route === 'backward' ? -1 : 1,
    ...{ cursor: null, count: Number(count), given: new Set<number>(), due: null, mark: null },
  };
  let cursor: string | null = null;
  for (; call < 12; call++) {
    const args: object =
      walk.direction === 1
        ? { first: walk.count, after: cursor }
        : { last: walk.count, before: cursor };
    const answer = await service.slice(args);
    reads += service.pages.length;
    const asked = `${walk.direction === 1 ? 'first' : 'last'} ${walk.count}: pages ${service.pages.join(' ')}`;
    if ('error' in answer) {
      trace(`${asked} => ${answer.error}`);
      return null;
    }
    const verdict = judge(walk, service.states, answer);
    const isRight = typeof verdict !== 'string';
    const flags = `${answer.hasPrevious ? ', previous' : ''}${answer.hasNext ? ', next' : ''}`;
    const rows = answer.serials.map(nameOf).join(' ');
    trace(`${asked} => ${rows} of ${answer.total}${flags}${isRight ? '' : ` WRONG: ${verdict}`}`);
    if (!isRight) return null;
    const next = nextWalk(route as Route, Number(count), call + 1, walk, answer, verdict);
    if (next === null) return reads;
    [walk, cursor] = next;
  }
  return reads;
}

/** The walk at the next call, and the cursor for that call; null if the walk has ended. */
function nextWalk(
  route: Route,
  count: number,
  calls: number,
  walk: Walk,
  answer: GivenSlice,
  state: Statement,
): [Walk, string | null] | null {
  const [start, end] = [answer.serials[0], answer.serials.at(-1)];
  const back = {
    direction: -1,
    given: new Set<number>(),
    due: null,
    cursor: start ?? null,
    mark: state,
  } as const;
  if (route === 'news' && calls === 1) {
    return start === undefined ? null : [{ ...back, count: 4 }, answer.startCursor];
  }
  if (route === 'turn' && walk.direction === 1 && (calls === 2 || !answer.hasNext)) {
    return start === undefined ? null : [{ ...back, count: (count % 4) + 1 }, answer.startCursor];
  }
  const [more, last, text] =
    walk.direction === 1
      ? [answer.hasNext, end, answer.endCursor]
      : [answer.hasPrevious, start, answer.startCursor];
  if (!more) return null;
  const due = walk.due ?? dueIn(walk, state);
  const given = new Set([...walk.given, ...answer.serials]);
  return [{ ...walk, due, given, cursor: last ?? walk.cursor, mark: state }, text];
}
