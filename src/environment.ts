// The settings of this process: its environment variables, read in one place (docs/settings.md).
import { parseSettings, type Settings, SettingsError } from './settings.ts';

/** Reads them. Where any is wrong, each wrong one is a line on standard error, and the process ends with 1. */
export function readSettings(): Settings {
  try {
    return parseSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const line of error.lines) console.error(line);
    process.exit(1);
  }
}
