// The log: JSON lines by pino.
import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redaction.ts';

export interface Log extends Logger {
  /**
   * Writes a line of level info; `members` are its fields as JSON. The caller checks that the level is enabled. pino's
   * own method costs three times as much, too much for every operation.
   */
  writeInfo(members: string, message: string): void;
}

export interface LogSettings {
  /** One of pino's levels, or silent. */
  readonly level: string;
  /** The destination of lines. */
  readonly destination: DestinationStream;
}

/** A log without host name and process id, which the platform adds. */
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
