// Histories in which the planner once had a fault without a twin (README.md), by the rule that it lacked.
import { describe, expect, test } from 'vitest';
import { createStatements } from '../../src/statement/statement.ts';
import { replay } from './replay.ts';
import { createVirtualService } from './service.ts';
import { statementOf } from './statement.ts';

const histories: Readonly<Record<string, readonly string[]>> = {
  'if all ties to come are named, an unknown one before the row has come since': [
    'posted:2,1,1:3:turn:1:1.0-1,1.0+0@1048576',
    'byId:1,2,2:3:forward:1:1.0-2,1.0+0@2097152',
  ],
  'rows that a cursor names stay named until their place is seen': [
    'byId:1,1,1:3:forward:1:1.0+0@1048576,2.0~2',
  ],
  'ties to come stand after those given, if all of these stand': [
    'byId:1,1,1:3:forward:1:2.0+0@1048576,2.1~2',
  ],
  'if all ties on one side are named, an unknown one is on the other': [
    'byId:1,1,1,1:1:backward:1:1.1-3',
  ],
  'createdAt tells no place if the rows seen beside the slice are not in its order': [
    'posted:2,1,1:1:backward:1:1.1-2',
    'posted:2,1,1,1:1:backward:1:1.1-3',
  ],
  'the fewest changes count before createdAt, unless many rows are in its order': [
    'posted:2,1,2,1:1:turn:1:1.1-0',
    'posted:1,2,2,1:1:forward:1:1.1-0',
    'posted:2,1,1,2:1:backward:1:1.0-3',
    'posted:2,1,1:2:turn:2:1.1-0,1.1-0',
  ],
  'a row that was seen in an earlier state of the call is looked for from there': [
    'posted:2,1:1:turn:1:1.1+0@0,1.3-1',
  ],
  'rows that came and went between two reads count as arrivals': [
    'byId:1,1,1:1:backward:1:2.1-0,2.2+1@1048576',
    'byId:1,1,1:2:forward:2:1.0-2,1.1+0@1048576',
  ],
  'a changed order that one state shows holds in later ones': [
    'byId:1,1,1:1:backward:2:1.0~0,1.2-2',
  ],
  'ties before a row are explained by arrivals only as far as others are not': [
    'byId:1,1,2:1:backward:1:1.1~1,1.1+3@0',
  ],
  'states prove nothing of one another across a fall and a rise of the total': [
    'byId:1,1,1:1:backward:4:0.2-2,0.3+1@1048576',
  ],
  'unless many rows are in its order, the places with the fewest changes are read first': [
    'posted:1,1,1:1:forward:1:1.0-0,1.1+0@0',
  ],
  'rows beside a named one are arrivals only as far as the number of rows says so': [
    'posted:2,1,2:1:turn:1:2.0+0@0,2.1-2',
  ],
  'rows that a cursor names are looked for before createdAt counts': [
    'posted:1,1,1:1:news:4:0.1-0,0.1+0@0',
  ],
  'a state in which nothing had moved is shown, whatever was read after it': [
    'byId:1,1,1:2:forward:1:2.1+3@0,2.2-0',
    'byId:1,1,1:2:forward:1:2.1-1,2.1~0',
    'byId:1,1,1:1:turn:2:2.1+2@1048576,2.1+4@0',
  ],
};

describe.each(Object.entries(histories))('%s', (_rule, codes) => {
  test.each(codes)('%s', async (code) => {
    const service = createVirtualService(createStatements, statementOf('posted', [], 1));
    const lines: string[] = [];
    const calls = await replay(service, code, (line) => lines.push(line));
    expect(calls, lines.join('\n')).not.toBeNull();
  });
});
