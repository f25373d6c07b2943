// Runs once before the test files of this folder: installs the packages of the example web app, and builds the app,
// because Vite would transform and send hundreds of files for each page.
import { buildWebApp, installWebApp } from '../../scripts/web-app.ts';
import { hasChromium } from '../support/browser.ts';
import { builtWebApp } from '../support/web-example.ts';

export default function setup(): void {
  if (!hasChromium) return;
  installWebApp();
  // Tests allow no message on the console, and the production build has fewer.
  buildWebApp(builtWebApp, 'development');
}
