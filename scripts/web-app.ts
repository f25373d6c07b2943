// The folders of the example web app and of the session kit, and the installation of their packages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './packages.ts';

export const webApp = join(import.meta.dirname, '../examples/web');
export const sessionKit = join(import.meta.dirname, '../deploy/session');
export const vite = join(webApp, 'node_modules/vite/bin/vite.js');

/** Installs the packages of both, which are not in the gateway's node_modules, if they are missing. */
export function installWebApp(): void {
  if (!existsSync(vite)) installPackages(webApp);
  if (!existsSync(join(sessionKit, 'node_modules/hono'))) installPackages(sessionKit);
}
