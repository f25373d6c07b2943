// Preloaded into a gateway: answers with its CPU time, or with the memory in use once all garbage is gone.

/** In bytes. */
export interface Memory {
  /** Objects and buffers that something still holds on to. */
  readonly retained: number;
  /** What the process has of the machine's memory. */
  readonly resident: number;
}

/** How much it took so far. */
export interface Use {
  /** Of all its threads. */
  readonly cpuMs: number;
  /** Objects, garbage included. */
  readonly heapBytes: number;
}

process.on('message', (message) => {
  if (message === 'use') {
    const { user, system } = process.cpuUsage();
    const use: Use = { cpuMs: (user + system) / 1000, heapBytes: process.memoryUsage().heapUsed };
    process.send?.(use);
    return;
  }
  // Twice: what finalizers let go of goes with the next one only, which also waits for the thread that frees buffers.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const memory: Memory = { retained: heapUsed + arrayBuffers, resident: rss };
  process.send?.(memory);
});
// Who started it is gone, and nobody would end it.
process.on('disconnect', () => process.exit(1));
// Else it would keep the process from ending.
process.channel?.unref();
