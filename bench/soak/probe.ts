// Preloaded into a gateway that soaks: says how much memory is in use once all garbage is gone, whenever it is asked.

/** In bytes. */
export interface Memory {
  /** Objects and buffers that something still holds on to. */
  readonly retained: number;
  /** What the process has of the machine's memory. */
  readonly resident: number;
}

process.on('message', () => {
  // Twice, as what finalizers let go of goes with the next one only.
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
