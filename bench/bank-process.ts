// Runs the sandbox bank as a separate process, so that the load generator and the service do not delay each other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { BankDescription, DescribedHolder } from '../src/sandbox/describe.ts';
import { readCpuSeconds } from './gateway-process.ts';

export interface BankProcess extends AsyncDisposable {
  readonly url: string;
  readonly holders: readonly DescribedHolder[];
  readonly pid: number;
  cpuSeconds(): number;
}

/** Starts the bank on a free port; resolves when the bank listens. */
export async function startBankProcess(): Promise<BankProcess> {
  const child = spawn(process.execPath, ['src/sandbox/sandbox.ts', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = child.pid ?? 0;
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = /http:\S+(?=,)/.exec(line)?.[0] ?? '';
  const response = await fetch(`${url}/__bank/`);
  const { holders } = (await response.json()) as BankDescription;
  return {
    url,
    holders,
    pid,
    cpuSeconds: () => readCpuSeconds(pid),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
