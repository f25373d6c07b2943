// `npm start`: reads the settings, starts, and ends on SIGTERM after the requests under way.
import { startSessionServer } from './server.ts';
import { parseSettings, type Settings, SettingsError } from './settings.ts';

const settings = readSettings();
const server = await startSessionServer(settings);
console.log(JSON.stringify({ message: 'listening', url: server.url, origin: settings.origin }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.close());

function readSettings(): Settings {
  try {
    return parseSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
