// The log: JSON lines by pino.
import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redaction.ts';

export interface Log extends Logger {
  /** Writes a line of level info if that is enabled; pino's own method costs twice as much, too much for every operation. */
  writeInfo(fields: object, message: string): void;
}

/** A log without host name and process id, which the platform adds. */
export function createLogger(parts: { level: string; destination: DestinationStream }): Log {
  const { level, destination } = parts;
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  const log = pino(options, destination);
  return Object.assign(log, {
    writeInfo(fields: object, message: string) {
      if (!log.isLevelEnabled('info')) return;
      const members = JSON.stringify(fields).slice(1, -1);
      const line = `{"level":"info","time":${Date.now()},${members},"msg":"${message}"}\n`;
      destination.write(redact(line));
    },
  });
}
