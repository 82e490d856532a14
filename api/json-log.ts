import type { Log } from '../domain/log.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

export interface JsonLogOptions {
  /** What is below is left out. */
  readonly level: Level;
  readonly write: (line: string) => void;
  /** Part of every line, such as the name of the process. */
  readonly base?: Readonly<Record<string, unknown>>;
}

/** A log of one JSON object per line. */
export const createJsonLog = ({ level, write, base = {} }: JsonLogOptions): Log => {
  const entry =
    (own: Level) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (levels.indexOf(own) < levels.indexOf(level)) return;
      write(`${JSON.stringify({ time: new Date().toISOString(), level: own, message, ...base, ...fields })}\n`);
    };
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') };
};
