// The log's destination in a child process: no line is lost when the process exits, and a slow reader blocks nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const source = new URL('../../../src/telemetry/log.ts', import.meta.url).href;

/** Starts a process with a script in which `destination` is a log destination for standard output. */
function run(script: string): ChildProcess & { readonly stdout: Readable } {
  const code = `
    import { createBufferedDestination } from '${source}';
    const destination = createBufferedDestination();
    ${script}`;
  const stdio = ['ipc', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: [...stdio],
  });
  return child as typeof child & { stdout: Readable };
}

const lines = (count: number) => Array.from({ length: count }, (_, k) => `line ${k} ç\n`).join('');

test.each([
  ['finishes', '', 0],
  ['exits', 'process.exit(3);', 3],
  ['crashes', "throw new Error('oh');", 1],
  ['has an unhandled rejection', "await Promise.reject(new Error('oh'));", 1],
])('the log destination writes every line if the process %s', async (_how, ending, status) => {
  const child = run(`
    for (let k = 0; k < 20_000; k++) destination.write(\`line \${k} ç\\n\`);
    process.disconnect();
    ${ending}`);
  const exit = once(child, 'exit') as Promise<[number]>;
  const [stdout, [code]] = await Promise.all([text(child.stdout), exit]);
  expect(code).toBe(status);
  expect(stdout === lines(20_000)).toBe(true);
});

test('the log destination writes a line that is larger than a batch completely, and all lines in order', async () => {
  const child = run(`
    destination.write('before\\n');
    destination.write('x'.repeat(100_000) + '\\n');
    destination.write('after\\n');
    process.disconnect();`);
  const stdout = await text(child.stdout);
  expect(stdout === `before\n${'x'.repeat(100_000)}\nafter\n`).toBe(true);
});

test('the log destination writes a line without waiting for further lines', async () => {
  const child = run("destination.write('alone\\n');");
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  expect(chunk.toString()).toBe('alone\n');
  child.kill();
});

test('the log destination does not block the process if its reader does not read', async () => {
  const child = run(`
    for (let k = 0; k < 100_000; k++) {
      destination.write('x'.repeat(99) + '\\n');
      if (k % 1000 === 0) await new Promise(setImmediate);
    }
    process.send('done');`);
  // The script must finish although nothing reads its output of 10 MB, which does not fit into the buffer of the pipe.
  expect(await once(child, 'message')).toEqual(['done', undefined]);
  child.kill('SIGKILL');
});

test('the log destination keeps at most 512 batches of 32 KiB for a slow reader, and then states how many further lines it dropped', async () => {
  const child = run(`
    for (let k = 0; k < 400_000; k++) destination.write('x'.repeat(99) + '\\n');
    process.on('message', () => process.disconnect());
    process.send('done');`);
  await once(child, 'message');
  // The process ends when its report has arrived: at its exit, it would wait only a second for this reader.
  const chunks: string[] = [];
  for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    chunks.push(chunk);
    if (/\n\{.*\n$/.test(chunks.slice(-2).join('').slice(-500))) child.send('end');
  }
  const stdout = chunks.join('');
  expect(stdout.length).toBeGreaterThan(2 ** 20);
  expect(stdout.length).toBeLessThan(18 * 2 ** 20);
  const written = stdout.trimEnd().split('\n');
  const reports = written.filter((line) => line.startsWith('{'));
  const counts = reports.map((line) => (JSON.parse(line) as { dropped: number }).dropped);
  expect(reports.at(-1)).toContain('"level":"warn"');
  expect(counts.reduce((sum, count) => sum + count, written.length - reports.length)).toBe(400_000);
});

test('the log destination does not end the process if its reader has closed the pipe', async () => {
  const child = run(`
    process.on('message', async () => {
      for (let k = 0; k < 20_000; k++) destination.write('to nobody\\n');
      process.disconnect();
    });
    process.send('ready');`);
  await once(child, 'message');
  child.stdout.destroy();
  await once(child.stdout, 'close');
  child.send('write');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
});
