// Preloaded into a gateway: reports the CPU time and the size of the heap, or the memory in use after garbage
// collection.
import { getHeapSpaceStatistics } from 'node:v8';

/** Memory in bytes. */
export interface Memory {
  /** Objects and buffers that are still referenced, without compiled code. */
  readonly retained: number;
  /**
   * Bytecode and machine code. They may grow even after many minutes, because V8 compiles rarely used functions late.
   */
  readonly code: number;
  /** The process's resident memory. */
  readonly resident: number;
}

/** The CPU time used so far, and the current size of the heap. */
export interface Use {
  /** CPU time of all threads. */
  readonly cpuMs: number;
  /** The memory of all objects, including garbage. */
  readonly heapBytes: number;
}

/** The bytes in use in the heap's spaces for machine code and bytecode. */
function codeBytes(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) =>
    /code|trusted/.test(name),
  );
  return spaces.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}

process.on('message', (message) => {
  if (message === 'use') {
    const { user, system } = process.cpuUsage();
    const use: Use = { cpuMs: (user + system) / 1000, heapBytes: process.memoryUsage().heapUsed };
    process.send?.(use);
    return;
  }
  // Garbage is collected twice, because memory that finalizers release is freed only by the next collection. That
  // collection also waits for the thread that frees buffers.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const code = codeBytes();
  const memory: Memory = { retained: heapUsed + arrayBuffers - code, code, resident: rss };
  process.send?.(memory);
});
// If the parent process ends, this process stops itself.
process.on('disconnect', () => process.exit(1));
// The channel is unreferenced, because it would otherwise keep the process running.
process.channel?.unref();
