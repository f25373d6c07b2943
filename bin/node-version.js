// Ends the process with one sentence if this Node.js is too old. Plain JavaScript, because Node.js 20 reads no TypeScript.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [major, minor] = process.version.slice(1).split('.').map(Number);

if (!engines.node.split(' || ').some(includesThisVersion)) {
  console.error(
    `account-bff needs Node.js ${engines.node}, and this is ${process.version}. \`npm ci\` in a clone, and \`npm install node@24\` beside the package, install one that npm and npx then run.`,
  );
  process.exit(1);
}

/** Whether a range of package.json, `^24.21` or `>=26.9`, includes the running version. */
function includesThisVersion(range) {
  const [, sign, ...numbers] = /^(\^|>=)(\d+)\.(\d+)$/.exec(range);
  const [leastMajor, leastMinor] = numbers.map(Number);
  return major === leastMajor ? minor >= leastMinor : sign === '>=' && major > leastMajor;
}
