// Histories that earlier versions of the planner got wrong without a twin (README.md), and that it gets right now.
import { expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { replay } from './replay.ts';
import { createVirtualService } from './service.ts';
import { statementOf } from './statement.ts';

const histories = [
  'posted:2,1,1:3:turn:1:1.0-1,1.0+0@1048576',
  'byId:1,2,2:3:forward:1:1.0-2,1.0+0@2097152',
  'posted:1,2,1:1:backward:1:1.1-1,1.1+0@2097152',
  'posted:1,2,1:1:backward:1:2.0+0@3145728,2.1-2',
  'byId:1,1,1:1:backward:1:2.1-0,2.1+1@1048576',
  'byId:1,2,2:1:backward:1:2.1+2@1572864,2.2-1',
  'byId:1,1,2:3:backward:2:1.0-1,1.0-1,1.0+1@2097152',
  'byId:1,1,2:3:turn:2:2.0-1,2.0-1,2.0+1@2097152',
  'byId:1,1,2:3:forward:2:1.0-1,1.0-1,1.0+1@2097152',
  'byId:1,1,1:1:backward:1:1.1~0,2.0+0@2097152',
  'byId:1,1,1,1:1:backward:1:1.1-3',
  'posted:2,1:1:turn:1:1.1+0@0,1.3-1',
  'byId:1,1,1:1:backward:1:2.1-0,2.2+1@1048576',
  'byId:1,1,1:2:forward:2:1.0-2,1.1+0@1048576',
  'byId:1,1,1:1:backward:2:1.0~0,1.2-2',
  'byId:1,1,1:1:backward:4:0.2-2,0.3+1@1048576',
  'byId:1,2,2:1:backward:4:0.1~0,0.3+2@1572864',
  'posted:1,2,1:1:backward:2:1.0+0@1048576,1.1-2,1.1+0@1048576',
  'posted:2,3,1:1:turn:1:2.0+0@2621440,2.1-2,2.1+0@4194304',
  'byId:1,2,2:1:turn:2:2.1+0@3145728,2.4~1',
  'byId:1,1,1:1:turn:2:2.1+0@2097152,2.4~1',
  'byId:1,1,1:1:turn:1:2.0+1@1048576,2.2-2',
  'byId:1,2,3:1:turn:1:2.0+1@2097152,2.2-2',
  'byId:1,1,1:2:forward:1:2.1+3@0,2.2-0',
  'byId:1,1,1:2:forward:1:2.1-1,2.1~0',
  'byId:1,1,1:3:forward:1:1.0~1,1.0+3@0,2.1-2',
  'byId:1,1,1:1:news:1:1.0-0,1.1+1@1048576',
  'byId:1,2,2:1:news:1:1.0-0,1.1+1@1572864',
  'byId:1,1,1:1:news:1:1.0-0,1.0+0@1048576',
  'posted:1,2,1,2,2:3:turn:4:3.0-3,3.0+0@3145728',
  'posted:1,2,1,2,3:3:turn:4:3.0-3,3.0+0@4194304',
  'byId:1,2,2,2,2:3:turn:4:3.1-0,3.1+3@2097152',
  'byId:1,1,1:3:turn:2:2.0+0@1048576,2.1-0,2.2~0',
  'byId:1:1:news:1:1.0+0@1048576,1.1~0,1.1+2@1048576',
  'byId:1:1:turn:4:1.0+0@1048576,1.0+2@1048576,1.2+2@1048576',
  'byId:1:1:turn:4:1.0+0@1048576,1.0+2@1048576,1.2~1',
  'byId:1:1:news:1:1.0-0,1.0+0@0,1.0+0@0,1.0+0@0,1.1-1',
];

test.each(histories)('the planner is right in the history %s', async (code) => {
  const service = createVirtualService(Statements, statementOf('posted', [], 1));
  const lines: string[] = [];
  const calls = await replay(service, code, (line) => lines.push(line));
  expect(calls, lines.join('\n')).not.toBeNull();
});
