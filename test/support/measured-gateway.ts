// A gateway with a small heap in a separate process, so that its memory and CPU time exclude those of the test.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type GatewayProcess, startProcess } from '../../bench/gateway-process.ts';
import type { Memory, Use } from '../../bench/soak/probe.ts';

export interface MeasuredGateway extends GatewayProcess {
  /** Bytes in use after garbage collection. */
  retained(): Promise<number>;
  /** The number of bytes by which the peak during an action exceeds the memory in use before the action. */
  mostRetained(during: () => Promise<unknown>): Promise<number>;
  /** The CPU time so far, and the current size of the heap. */
  use(): Promise<Use>;
}

/** The limit of V8's old space, above which V8 ends the process. */
const heapMiB = 256;

/** Starts a gateway with production settings, overridden by `env`. `flags` are further flags of Node.js. */
export async function startMeasuredGateway(
  upstreamUrl: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<MeasuredGateway> {
  const gateway = await startProcess(upstreamUrl, {
    env,
    preload: {
      path: fileURLToPath(new URL('../../bench/soak/probe.ts', import.meta.url)),
      flags: ['--expose-gc', '--no-flush-bytecode', `--max-old-space-size=${heapMiB}`, ...flags],
    },
  });
  const retained = async () => ((await gateway.ask('memory')) as Memory).retained;
  return {
    ...gateway,
    retained,
    mostRetained: (during) => mostRetained(retained, during),
    use: () => gateway.ask('use') as Promise<Use>,
  };
}

async function mostRetained(
  retained: () => Promise<number>,
  during: () => Promise<unknown>,
): Promise<number> {
  const before = await retained();
  const over = new AbortController();
  const end = during().finally(() => over.abort());
  let most = 0;
  while (!over.signal.aborted) {
    most = Math.max(most, (await retained()) - before);
    // Without this pause, the gateway would do nothing but collect garbage.
    await sleep(20);
  }
  await end;
  return most;
}
