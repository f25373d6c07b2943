// The folders of the example web app and of the session kit, the installation of their packages, and the app's build.
import { execFileSync } from 'node:child_process';
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

/** Builds the app. In development mode, React and Apollo Client report mistakes on the console. */
export function buildWebApp(folder: string, mode: 'production' | 'development'): void {
  const options = ['--mode', mode, '--outDir', folder, '--emptyOutDir', '--logLevel', 'error'];
  execFileSync(process.execPath, [vite, 'build', ...options], {
    cwd: webApp,
    env: { ...process.env, NODE_ENV: mode },
    stdio: 'inherit',
  });
}
