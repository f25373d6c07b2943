// The log: JSON lines by pino.
import { type DestinationStream, pino } from 'pino';
import { redact } from './redaction.ts';

export type { Logger as Log } from 'pino';

/** A log without host name and process id, which the platform adds. */
export function createLogger(parts: { level: string; destination: DestinationStream }) {
  const options = {
    level: parts.level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  return pino(options, parts.destination);
}
