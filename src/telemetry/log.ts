// The log: JSON lines by pino.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

export interface LogSettings {
  /** One of pino's levels, or silent. */
  readonly level: string;
  /** Where lines go; standard output unless given. */
  readonly destination?: DestinationStream;
}

/**
 * Secrets are not handed to the log in the first place. Should one be, in an object that carries headers or claims,
 * these names stand between it and the line.
 */
const secretNames = ['authorization', 'token', 'cookie', 'x-router-secret', 'password', 'secret'];

/** A log without the host's name and process id, which whatever runs the process adds itself. */
export function createLogger({ level, destination }: LogSettings): Log {
  const options = {
    level,
    base: null,
    redact: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
