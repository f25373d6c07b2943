// The versions of the gateway and of Node.js.
import { readFileSync } from 'node:fs';

export interface Build {
  /** From package.json. */
  readonly version: string;
  /** As in `process.version`, such as `v24.21.0`. */
  readonly node: string;
}

/** Reads package.json, once, at start. */
export function readBuild(): Build {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return { version, node: process.version };
}
