// The log: JSON lines by pino.
import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redaction.ts';

export interface Log extends Logger {
  /**
   * Writes a line of level info whose fields are there already, as the members of a JSON object; whether that level is
   * enabled is for the caller to ask. pino's way costs three times as much, which is too much for every operation.
   */
  writeInfo(members: string, message: string): void;
}

export interface LogSettings {
  /** One of pino's levels, or silent. */
  readonly level: string;
  /** Where lines go. */
  readonly destination: DestinationStream;
}

/** A log without the host's name and process id, which whatever runs the process adds itself. */
export function createLogger({ level, destination }: LogSettings): Log {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  return Object.assign(pino(options, destination), {
    writeInfo(members: string, message: string) {
      const line = `{"level":"info","time":${Date.now()},${members},"msg":"${message}"}\n`;
      destination.write(redact(line));
    },
  });
}
