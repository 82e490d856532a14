import type { Config, ConfigKey } from '../config.ts';

/** What a command does. What it needs of the environment is named, so that nothing else has to be set. */
export interface Command<Key extends ConfigKey = ConfigKey> {
  readonly config: readonly Key[];
  /**
   * Does the work.
   * @throws UsageError when the arguments make no sense
   */
  run(call: CommandCall<Key>): Promise<void>;
}

/** One call of a command. */
export interface CommandCall<Key extends ConfigKey> {
  /** What follows the command's name. */
  readonly args: readonly string[];
  readonly config: Config<Key>;
  /** Reads what only some calls need of the environment, such as a passphrase where a keystore is named. */
  readonly need: <More extends ConfigKey>(...keys: readonly More[]) => Config<More>;
  /** Writes one line of the result. */
  readonly print: (line: string) => void;
  /** Writes one line about what is being done, beside the result. */
  readonly report: (line: string) => void;
}

/** The arguments make no sense; the help of the command is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Lets the compiler take the configuration's type from the names. */
export const defineCommand = <const Key extends ConfigKey>(command: Command<Key>): Command<Key> => command;

/** For a command that may take the last key that a worker holds: who says it knows. */
export const yesOption = { yes: { type: 'boolean' } } as const;
