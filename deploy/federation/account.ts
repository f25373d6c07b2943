// account-bff as a separate process, with its sandbox bank.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** An account-bff process. Disposing of it stops it. */
export interface AccountProcess extends AsyncDisposable {
  /** The address of its GraphQL endpoint. */
  readonly url: string;
  /** The address of its bank's control routes (docs/sandbox.md). */
  readonly bankUrl: string;
}

/** account-bff could not start; its own message is on standard error. */
export class AccountEnded extends Error {}

const folder = fileURLToPath(new URL('../../', import.meta.url));

/** Starts account-bff with these environment variables. `tell` is called with each line of its output. */
export async function startAccount(
  env: Readonly<Record<string, string>>,
  tell: (line: string) => void = () => undefined,
): Promise<AccountProcess> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const kill = () => child.kill('SIGTERM');
  // This process may end without disposing, for example because of an uncaught exception.
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const output = createInterface(child.stdout).on('line', tell);
  const ended = exit.then(() =>
    Promise.reject(new AccountEnded('account-bff ended before it listened.')),
  );
  const url = Promise.race([lineWith(output, /"url":"([^"]+)"/), ended]);
  const bankUrl = Promise.race([lineWith(output, /scripted at (\S+)\.$/), ended]);
  return {
    url: `${await url}/graphql`,
    bankUrl: await bankUrl,
    async [Symbol.asyncDispose]() {
      kill();
      await exit;
    },
  };
}

/** Resolves to the captured part of the first line that matches. */
function lineWith(output: NodeJS.EventEmitter, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    output.on('line', (line: string) => {
      const [, found] = pattern.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
}
