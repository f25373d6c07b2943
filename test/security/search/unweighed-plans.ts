// Preloaded into a gateway: plants the defect that plans have no weight, so a document may keep any number of
// them.
import { registerHooks } from 'node:module';

const sound = "return typeof state === 'object' ? state.weight : 0;";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/compiled/plan-set.ts')) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    if (!source.includes(sound)) throw new Error('the line that weighs a plan has changed');
    return { ...loaded, source: source.replace(sound, 'return 0;') };
  },
});
