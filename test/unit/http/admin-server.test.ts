// The answer of the admin listener if the metrics cannot be collected.
import { expect, onTestFinished, test } from 'vitest';
import { ByteBudget } from '../../../src/byte-budget.ts';
import { createAdminServer } from '../../../src/http/admin-server.ts';
import { ask } from '../../support/query.ts';

test('the admin server answers 500 and logs one line if the metrics cannot be collected, and keeps serving', async () => {
  const lines: unknown[] = [];
  const err = new Error('a collector failed');
  const metrics = { contentType: 'text/plain', text: () => Promise.reject(err) };
  const log = { error: (line: unknown) => lines.push(line) };
  const admin = createAdminServer(() => true, metrics, log, new ByteBudget(0));
  const url = await admin.listen(0, '127.0.0.1');
  onTestFinished(() => admin.stop(0, 0));
  const answer = await ask(`${url}/metrics`);
  expect([answer.status, answer.text]).toEqual([500, '{"status":"failed"}']);
  expect(lines).toEqual([{ err }]);
  expect((await ask(`${url}/health/live`)).status).toBe(200);
});
