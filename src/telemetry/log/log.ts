// The log: JSON lines by pino.
import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redaction.ts';

export type Log = Logger;

export interface LogSettings {
  /** One of pino's levels, or silent. */
  readonly level: string;
  /** The destination of lines. */
  readonly destination: DestinationStream;
}

/** A log without host name and process id, which the platform adds. */
export function createLogger({ level, destination }: LogSettings): Log {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, formatters, hooks: { streamWrite: redact } }, destination);
}
