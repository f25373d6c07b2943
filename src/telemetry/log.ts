// The log: JSON lines by pino.
import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redaction.ts';

export type Log = Logger;

export interface LogSettings {
  /** One of pino's levels, or silent. */
  readonly level: string;
  /** Where lines go; standard output, line by line, unless given. */
  readonly destination?: DestinationStream;
}

/** A log without the host's name and process id, which whatever runs the process adds itself. */
export function createLogger({ level, destination }: LogSettings): Log {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
