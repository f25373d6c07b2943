// Preloaded into a gateway as `planted.ts?defect=…`: plants a defect that the attack search has to find.
import { registerHooks } from 'node:module';

/**
 * For each defect, the end of the path of a source file, a piece of code in this file, and the replacement of this
 * code.
 */
const defects = {
  /** The references of `_entities` have no limit. */
  references: [
    '/operation/operation-admission.ts',
    'maxRepresentations: number): Admit {',
    'maxRepresentations: number): Admit { maxRepresentations = Infinity;',
  ],
  /** Every plan has the weight 1, so a document may keep plans of any size. */
  plans: ['/operation/operation-cache.ts', "typeof one === 'object' ? one.weight : 1", '1'],
  /** Equal response keys have no limit, so validation compares any number of pairs. */
  keys: [
    '/limits/response-keys.ts',
    'const areTooMany = () => pairs > maxPairs || visits > maxVisits;',
    'const areTooMany = () => false;',
  ],
  /** The values of a Boolean variable are quoted, however long they are. */
  quotes: ['/limits/variable-values.ts', 'const maxQuoted = 256;', 'const maxQuoted = Infinity;'],
} as const;

export type Defect = keyof typeof defects;

/** The flag of Node.js that plants a defect. */
export function plantingFlag(defect: Defect): string {
  return `--import=${import.meta.url}?defect=${defect}`;
}

const planted = new URL(import.meta.url).searchParams.get('defect');
if (planted !== null) plant(defects[planted as Defect]);

function plant([file, sound, defective]: readonly [string, string, string]): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(file)) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString();
      if (!source.includes(sound)) throw new Error(`${file} has changed`);
      return { ...loaded, source: source.replace(sound, defective) };
    },
  });
}
