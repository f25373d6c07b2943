// The log: JSON lines by pino.
import { type DestinationStream, pino } from 'pino';
import { redact } from './redaction.ts';

export type { Logger as Log } from 'pino';

export interface LogSettings {
  /** One of pino's levels, or silent. */
  readonly level: string;
  readonly destination: DestinationStream;
}

/** A log without host name and process id, which the platform adds. */
export function createLogger({ level, destination }: LogSettings) {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  return pino(options, destination);
}
