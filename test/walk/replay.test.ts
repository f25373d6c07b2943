// Histories that earlier versions of the planner got wrong without a twin (README.md). Each key is the rule that now
// prevents the fault.
import { describe, expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { replay } from './replay.ts';
import { createVirtualService } from './service.ts';
import { statementOf } from './statement.ts';

const histories: Readonly<Record<string, readonly string[]>> = {
  'if the cursor names all ties after its row, an unknown tie before the row has arrived since': [
    'posted:2,1,1:3:turn:1:1.0-1,1.0+0@1048576',
    'byId:1,2,2:3:forward:1:1.0-2,1.0+0@2097152',
  ],
  'rows that a cursor names are also named by later cursors until their places have been read': [
    'byId:1,1,1:3:forward:1:1.0+0@1048576,2.0~2',
  ],
  'a cursor names the next row but one if that row was read, and the next row was not': [
    'posted:1,2,1:1:backward:1:1.1-1,1.1+0@2097152',
    'posted:1,2,1:1:backward:1:2.0+0@3145728,2.1-2',
    'byId:1,1,1:1:backward:1:2.1-0,2.1+1@1048576',
    'byId:1,2,2:1:backward:1:2.1+2@1572864,2.2-1',
  ],
  'if the row of the cursor is gone, a row that it could not name is still before the next one': [
    'byId:1,1,1:1:backward:1:1.0-2',
    'byId:1,1,1:1:backward:1:1.0-2,1.1+1@1048576',
    'byId:1,1,1:1:backward:1:1.0-2,1.0+2@0',
  ],
  'a row may have arrived in place of each named row that is gone': [
    'byId:1,1,2:3:backward:2:1.0-1,1.0-1,1.0+1@2097152',
    'byId:1,1,2:3:turn:2:2.0-1,2.0-1,2.0+1@2097152',
    'byId:1,1,2:3:forward:2:1.0-1,1.0-1,1.0+1@2097152',
  ],
  'after removals, a tie that the cursor does not name may have arrived': [
    'byId:1,1,1,1,1:3:backward:3:1.0-4,1.0-3,1.0+2@1048576',
  ],
  'a tie may have arrived after the row of the cursor if the cursor could not name the next row': [
    'byId:1,2,2:2:forward:1:2.0-0,2.0+1@2097152',
  ],
  'every named row with the createdAt of the cursor shows a change of the order of ties': [
    'byId:1,1,1:1:backward:1:1.1~0,2.0+0@2097152',
    'byId:1,2,2:1:backward:1:2.0+0@3145728,2.2~1',
  ],
  'if all returned ties still exist, the remaining ties are after them': [
    'byId:1,1,1:3:forward:1:2.0+0@1048576,2.1~2',
  ],
  'if the cursor names all ties on one side of its row, an unknown tie is on the other side': [
    'byId:1,1,1,1:1:backward:1:1.1-3',
  ],
  'createdAt does not determine a place if the rows next to the slice are not in createdAt order': [
    'posted:2,1,1:1:backward:1:1.1-2',
    'posted:2,1,1,1:1:backward:1:1.1-3',
  ],
  'the place with the fewest changes takes precedence over createdAt, unless many rows are in createdAt order':
    [
      'posted:2,1,2,1:1:turn:1:1.1-0',
      'posted:1,2,2,1:1:forward:1:1.1-0',
      'posted:2,1,1,2:1:backward:1:1.0-3',
      'posted:2,1,1:2:turn:2:1.1-0,1.1-0',
    ],
  'a row that was seen in an earlier state of the call is searched for from its place in that state':
    ['posted:2,1:1:turn:1:1.1+0@0,1.3-1'],
  'rows that arrived and vanished between two reads count as arrivals': [
    'byId:1,1,1:1:backward:1:2.1-0,2.2+1@1048576',
    'byId:1,1,1:2:forward:2:1.0-2,1.1+0@1048576',
  ],
  'a changed order of ties in one state also applies to later states': [
    'byId:1,1,1:1:backward:2:1.0~0,1.2-2',
  ],
  'arrivals account for ties before a row only if they do not already account for other rows': [
    'byId:1,1,2:1:backward:1:1.1~1,1.1+3@0',
  ],
  'rows of one state are not reused in another if the total fell and rose in between': [
    'byId:1,1,1:1:backward:4:0.2-2,0.3+1@1048576',
  ],
  'rows of one state are not reused in another if states in between contradict each other': [
    'byId:1,2,2:1:forward:4:0.1~0,0.2+2@1048576',
    'byId:1,2,2:1:forward:3:0.1~0,0.2+3@0',
    'byId:1,2,2:1:backward:4:0.1~0,0.3+2@1572864',
  ],
  'a state with a named row on the wrong side combines reads from before and after a change': [
    'posted:1,2,1:1:backward:2:1.0+0@1048576,1.1-2,1.1+0@1048576',
    'posted:2,3,1:1:turn:1:2.0+0@2621440,2.1-2,2.1+0@4194304',
  ],
  'of two ties at one place, the tie that was read first shows no movement of other rows': [
    'byId:1,2,2:1:turn:2:2.1+0@3145728,2.4~1',
    'byId:1,1,1:1:turn:2:2.1+0@2097152,2.4~1',
  ],
  'createdAt does not determine a place if an earlier state of the call was not in createdAt order':
    [
      'posted:2,1,2:1:forward:1:1.0-0,1.1+0@1048576',
      'posted:3,1,2:1:forward:1:1.0-0,1.1+0@1572864',
      'posted:1,1,1:1:news:1:1.0+0@0,1.0+0@0,1.2-2',
      'posted:1,1,2:1:news:1:1.0+0@0,1.0+0@0,1.2-3',
    ],
  'a named row that an earlier state of the call showed too is evidence of the place': [
    'byId:1,1,1:1:turn:1:2.0+1@1048576,2.2-2',
    'byId:1,2,3:1:turn:1:2.0+1@2097152,2.2-2',
  ],
  'if createdAt cannot be used, the pages nearest to the old place are read': [
    'posted:1,1,1:1:forward:1:1.0-0,1.1+0@0',
  ],
  'rows next to a named row count as arrivals only up to the number that the total allows': [
    'posted:2,1,2:1:turn:1:2.0+0@0,2.1-2',
  ],
  'rows that the cursor names are searched for before createdAt is used': [
    'posted:1,1,1:1:news:4:0.1-0,0.1+0@0',
  ],
  'if nothing has moved in one state, the slice shows that state regardless of later reads': [
    'byId:1,1,1:2:forward:1:2.1+3@0,2.2-0',
    'byId:1,1,1:2:forward:1:2.1-1,2.1~0',
    'byId:1,1,1:1:turn:2:2.1+2@1048576,2.1+4@0',
  ],
  'a state is not shown in place of a later one if the order of ties has changed before': [
    'byId:1,1,1:3:forward:1:1.0~0,1.0+3@0,2.1-0',
    'byId:1,1,1:3:forward:1:1.0~1,1.0+3@0,2.1-2',
  ],
  'if the total was another one earlier in the call, rows may have moved although the total is the same':
    ['byId:1,2,2:1:turn:2:2.0-2,2.1+2@2097152', 'byId:1,2,2:1:turn:2:2.0-2,2.1+2@1572864'],
  'unknown ties before a named row followed the row of the cursor, unless arrivals explain them': [
    'byId:1,1,1:2:forward:1:1.0-0,1.0~0',
  ],
  'a lack of room for all named rows that are left shows a changed order': [
    'byId:1,1,1:2:backward:1:1.0~1,1.1+2@1048576',
  ],
  'two ties at one place show a changed order': ['byId:1,1,2:2:forward:2:1.0+3@0,1.1~1'],
  'rows of a state after removals alone have a known side': [
    'byId:1,1,1:1:news:1:1.0-0,1.1+1@1048576',
    'byId:1,2,2:1:news:1:1.0-0,1.1+1@1572864',
  ],
  'if no arrival is known, ties that the cursor could not name are older than its row': [
    'byId:1,1,1:1:news:1:1.0-0,1.0+0@1048576',
  ],
  'after removals alone, a named tie that was next to the row of the cursor follows it': [
    'byId:1,1,1:1:backward:1:2.0-1,2.1~0',
    'byId:1,2,2:1:backward:1:2.0-2,2.1~0',
  ],
  'once rows were out of createdAt order, the rest of the walk does not use createdAt': [
    'posted:1,2,1,2,2:3:turn:4:3.0-3,3.0+0@3145728',
    'posted:1,2,1,2,3:3:turn:4:3.0-3,3.0+0@4194304',
  ],
  'if a slice begins with the second row of a page, its cursors also name rows of the page before':
    ['byId:1,2,2,2,2:3:turn:4:3.1-0,3.1+3@2097152'],
  'a row of another state is not one of the ties if this state has another row at its place': [
    'byId:1,1,1:3:turn:2:2.0+0@1048576,2.1-0,2.2~0',
  ],
  'before createdAt overrules the place of a row, the page nearest to its old place is read': [
    'posted:1,2,3:1:news:1:1.0+0@0,1.0-3',
  ],
  'an earlier state in which no row of the cursor was seen does not count while a later one is read':
    [
      'byId:1:1:news:1:1.0+0@1048576,1.1~0,1.1+2@1048576',
      'byId:1:1:turn:4:1.0+0@1048576,1.0+2@1048576,1.2+2@1048576',
      'byId:1:1:turn:4:1.0+0@1048576,1.0+2@1048576,1.2~1',
    ],
  'createdAt overrules the side of a row if the page of the cursor had all rows': [
    'byId:1:1:news:1:1.0-0,1.0+0@0,1.0+0@0,1.0+0@0,1.1-1',
  ],
};

describe.each(Object.entries(histories))('the rule "%s"', (_rule, codes) => {
  test.each(codes)('prevents a wrong slice in the history %s', async (code) => {
    const service = createVirtualService(Statements, statementOf('posted', [], 1));
    const lines: string[] = [];
    const calls = await replay(service, code, (line) => lines.push(line));
    expect(calls, lines.join('\n')).not.toBeNull();
  });
});
