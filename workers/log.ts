import type { Log } from '../domain/log.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes one JSON object a line: `time` (ISO 8601), `level`, `message`, then the fields. Integers too large go as text. */
export const createJsonLog = (
  write: (line: string) => void = (line) => void process.stdout.write(line),
  fixed: Record<string, unknown> = {},
): Log => {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      const entry = { time: new Date().toISOString(), level, message, ...fixed, ...fields };
      write(
        `${JSON.stringify(entry, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}\n`,
      );
    };
  // What only helps to hunt a defect stays out of an operator's log.
  return { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') };
};
