// Runs once before the test files of this folder: several start the example web app at the same time, and each would
// install its packages.
import { installWebApp } from '../../scripts/web-app.ts';
import { hasChromium } from '../support/browser.ts';

export default function setup(): void {
  if (hasChromium) installWebApp();
}
