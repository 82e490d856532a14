import { pino, type DestinationStream } from 'pino';
import type { Log } from './domain/log.ts';

export interface LoggerOptions {
  /** What is below is left out. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Part of every line, such as the name of the process. */
  readonly base?: Readonly<Record<string, unknown>>;
  readonly destination: DestinationStream;
}

/**
 * Standard output, line by line, or by a thread of its own (`sync: false`), which takes the time of a call of the kernel
 * off every request. What is left then is written when the process exits, but is lost when it is killed.
 */
export const standardOutput = ({ sync }: { readonly sync: boolean }): DestinationStream =>
  pino.destination({ dest: 1, sync });

/** Amounts and block numbers may be too large for a number of JSON; they go as text. */
const withoutBigints = (fields: Record<string, unknown>): Record<string, unknown> => {
  const entries = Object.entries(fields);
  if (!entries.some(([, value]) => typeof value === 'bigint')) return fields;
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value]));
};

/** A log of one JSON object per line, with `level`, `time` (ISO 8601), `message` and the fields. */
export const createLogger = ({ level, base = {}, destination }: LoggerOptions): Log => {
  const options = {
    level,
    base,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: withoutBigints },
  };
  const logger = pino(options, destination);
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
};
