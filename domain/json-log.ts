import type { Log } from './log.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

export interface JsonLogOptions {
  /** What is below is left out. */
  readonly level: Level;
  readonly write: (line: string) => void;
  /** Part of every line, such as the name of the process. */
  readonly base?: Readonly<Record<string, unknown>>;
}

/** Amounts and block numbers may be too large for JSON; they go as text. */
const safely = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** A replacer costs as much as all the rest, and hardly a line needs it. */
const toJson = (line: object): string => {
  try {
    return JSON.stringify(line);
  } catch {
    return JSON.stringify(line, safely);
  }
};

/** A log of one JSON object per line: `time` (ISO 8601), `level`, `message`, then the fields. */
export const createJsonLog = ({ level, write, base = {} }: JsonLogOptions): Log => {
  const entry = (own: Level) => {
    const isLeftOut = levels.indexOf(own) < levels.indexOf(level);
    return (message: string, fields: Record<string, unknown> = {}): void => {
      if (isLeftOut) return;
      const line = { time: new Date().toISOString(), level: own, message, ...base, ...fields };
      write(`${toJson(line)}\n`);
    };
  };
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') };
};
