// The settings of this process: its environment variables, read in one place (docs/settings.md).
import { parseSettings, type Settings, SettingsError } from './settings.ts';

/** Reads the settings. If any is wrong, writes a line for each to standard error and exits with code 1. */
export function readSettings(): Settings {
  try {
    return parseSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const line of error.lines) console.error(line);
    process.exit(1);
  }
}
