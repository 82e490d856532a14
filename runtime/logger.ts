import { pino, type DestinationStream } from 'pino';
import type { Log } from '../domain/ports/log.ts';

export interface LoggerOptions {
  /** Lowest level that is logged. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Fields of every line, such as the name of the process. */
  readonly base?: Readonly<Record<string, unknown>>;
  readonly destination: DestinationStream;
}

/** Writes each line to standard output at once, for a process that may be killed. */
export const eachLine = (): DestinationStream => pino.destination({ dest: 1, sync: true });

/**
 * Writes all lines of one turn of the event loop to standard output in one system call, because every call blocks the
 * process. The rest is flushed at exit. pino's own destination, given each line, cost the api 1.2 times the CPU time
 * for a small request, because it measures its whole buffer again for every line.
 */
export const linesOfATurn = (): DestinationStream => {
  const out = eachLine();
  let lines = '';
  const flush = (): void => {
    const text = lines;
    lines = '';
    if (text !== '') out.write(text);
  };
  process.once('exit', flush);
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
};

/** Amounts and block numbers may exceed JSON numbers, so they become text. */
const withoutBigints = (fields: Record<string, unknown>): Record<string, unknown> => {
  const entries = Object.entries(fields);
  if (!entries.some(([, value]) => typeof value === 'bigint')) return fields;
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value]));
};

/** Creates a log of one JSON object per line, with `level`, `time` (ISO 8601), `message` and the fields. */
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
