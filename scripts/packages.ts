// The packages of a folder that has its own package.json, such as examples/web.
import { spawnSync } from 'node:child_process';

/** Installs them, and ends the process if that fails. */
export function installPackages(cwd: string): void {
  console.log(`Installing the packages of ${cwd} …`);
  const { status } = spawnSync('npm', ['ci', '--no-update-notifier'], { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
