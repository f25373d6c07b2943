// The lines with which invalid settings are reported.
import { parseSettings, SettingsError } from '../../src/settings/settings.ts';

/** A line for each problem with the settings; empty if there is none. */
export function linesOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    parseSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n');
    throw error;
  }
}
