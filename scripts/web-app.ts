// The folder of the example web app, and the installation of its packages.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const webApp = join(import.meta.dirname, '../examples/web');
export const vite = join(webApp, 'node_modules/vite/bin/vite.js');

/** Installs the packages of the app, which are not in the gateway's node_modules, if they are missing. */
export function installWebApp(): void {
  if (existsSync(vite)) return;
  console.log('Installing the packages of examples/web …');
  const { status } = spawnSync('npm', ['ci', '--no-update-notifier'], {
    cwd: webApp,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
