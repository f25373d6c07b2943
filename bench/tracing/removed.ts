// Preloaded into a gateway to measure the cost of tracing while it is off. Removes tracing from the operation record,
// the only code that checks in each operation whether tracing is on.
import { type ModuleSource, registerHooks } from 'node:module';

const removed: readonly (readonly [text: string, without: string])[] = [
  ['parts.tracing?.begin(request) ?? null', 'null'],
  ['!listsCalls && this.#span === null', '!listsCalls'],
  ['this.#span?.end(this);', ''],
  ['this.#span?.traceId', 'undefined'],
];

/** With KEEP_TRACING=1 nothing is removed, so that the gateways that keep tracing also bear the cost of the hook. */
const isKept = process.env['KEEP_TRACING'] === '1';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/src/telemetry/operation-record.ts')) return loaded;
    const source = textOf(loaded.source);
    return { ...loaded, source: isKept ? source : removed.reduce(without, source) };
  },
});

function without(source: string, [text, replacement]: readonly [string, string]): string {
  if (!source.includes(text)) throw new Error(`there is no such text any more: ${text}`);
  return source.replace(text, replacement);
}

function textOf(source: ModuleSource | undefined): string {
  return typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
}
