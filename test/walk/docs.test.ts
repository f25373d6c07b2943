// docs/paging.md lists exactly the families of twins of the exhaustive check, each with a pair of histories.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { families } from './findings.ts';
import { replay } from './replay.ts';
import { createVirtualService, type Read } from './service.ts';
import { statementOf, type Statement } from './statement.ts';

const text = readFileSync(new URL('../../docs/paging.md', import.meta.url), 'utf8');
const [, section = ''] = text.split('## What cannot be seen');
const [list = ''] = section.split('\n## ');
const lines = new Map(
  [...list.matchAll(/^- \*\*(.+?):\*\*(.+?)(?=^- |\n\n)/gms)].map(([, name = '', line = '']) => [
    name,
    line.replaceAll(/\s+/g, ' '),
  ]),
);

const pairs: Readonly<Record<keyof typeof families, readonly [string, string]>> = {
  balance: ['byId:1,1,1:2:forward:2:1.0-0,1.0+1@1048576', 'byId:1,1,1:2:forward:2:'],
  place: ['byId:1,2:1:forward:1:1.0-0,1.0+0@1048576', 'posted:1,2:1:forward:1:1.0-0,1.0+0@1048576'],
  balanceDuring: ['byId:1,1,1:2:forward:4:0.1-0,0.1+2@1048576', 'byId:1,1,1:2:forward:4:'],
  ties: ['byId:1,1,1:2:forward:2:1.0~1,1.0+3@1048576', 'byId:1,1,1:2:forward:2:1.0+1@1048576'],
  tiesDuring: [
    'byId:1,1,1:2:forward:4:0.1~1,0.1+3@1048576',
    'byId:1,1,1:2:forward:4:0.1+0@1048576',
  ],
};

test('docs/paging.md has exactly one line for each family of indistinguishable histories', () => {
  expect([...lines.keys()].toSorted()).toEqual(Object.values(families).toSorted());
});

describe.each(Object.entries(pairs))(
  'the example of two histories for the family "%s"',
  (family, codes) => {
    test('has the same answers to the same reads, but a wrong slice in only one of the histories', async () => {
      const [one, twin] = await Promise.all(codes.map(play));
      expect(one?.reads).toEqual(twin?.reads);
      expect([one?.isRight, twin?.isRight].toSorted()).toEqual([false, true]);
      for (const { picture } of [one, twin].filter((each) => each !== undefined)) {
        expect(lines.get(families[family as keyof typeof families])).toContain(`\`${picture}\``);
      }
    });
  },
);

/**
 * Replays a history. Returns whether all slices are right, the reads with their answers, and a picture of the first and
 * the last statement that was read: "?" stands for a row that was not read, and a removed row is in parentheses.
 */
async function play(
  code: string,
): Promise<{ isRight: boolean; reads: readonly string[]; picture: string }> {
  const names = new Map<number, string>();
  const times = new Map<number, string>();
  const [reads, met]: [string[], Statement[]] = [[], []];
  const service = createVirtualService(Statements, statementOf('posted', [], 1));
  const shown = (statement: Statement, { page }: Read) => {
    const { live, size } = statement;
    const rows = live.slice(page * size, (page + 1) * size).map(({ serial, at }) => {
      if (!names.has(serial)) names.set(serial, String.fromCharCode(97 + names.size));
      if (!times.has(at)) times.set(at, `t${times.size}`);
      return `${names.get(serial)}@${times.get(at)}`;
    });
    reads.push(`page ${page}: ${rows.join(' ')} of ${live.length}`);
    met.push(statement);
    return statement;
  };
  service.manner = { shown };
  const isRight = (await replay(service, code, () => undefined)) !== null;
  const drawn = [met[0], met.at(-1)].map((statement) =>
    (statement?.entries ?? [])
      .map(({ serial, isGone }) => {
        const name = names.get(serial) ?? '?';
        return isGone ? `(${name})` : name;
      })
      .join(' '),
  );
  return { isRight, reads, picture: [...new Set(drawn)].join(' → ') };
}
