import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError, type Config, type ConfigKey } from '../../runtime/config.ts';

/** A command. It names the variables of the environment that it needs, so that no others have to be set. */
export interface Command<Key extends ConfigKey = ConfigKey> {
  readonly config: readonly Key[];
  /**
   * Runs the command.
   * @returns `bad` when the command worked and found something wrong: exit code 1 without a further message
   * @throws UsageError for invalid arguments
   */
  run(call: CommandCall<Key>): Promise<void | 'bad'>;
}

/** One call of a command. */
export interface CommandCall<Key extends ConfigKey> {
  /** Arguments after the command's name. */
  readonly args: readonly string[];
  readonly config: Config<Key>;
  /** Reads variables that only some calls need, such as the passphrase of a keystore argument. */
  readonly need: <More extends ConfigKey>(...keys: readonly More[]) => Config<More>;
  /** Writes one line of the result to standard output. */
  readonly print: (line: string) => void;
  /** Writes one line of progress to standard error. */
  readonly report: (line: string) => void;
}

/** The arguments are invalid; the usage of the command is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError for the zero address */
export const refuseNobody = (account: string): void => {
  if (BigInt(account) === 0n) throw new UsageError('the zero address has no key');
};

/** Prints the result as JSON, for programs. */
export const jsonOption = { json: { type: 'boolean', default: false } } as const;

/** Infers the configuration's type from the names. */
export const defineCommand = <const Key extends ConfigKey>(command: Command<Key>): Command<Key> => command;

/** Confirms a change that may remove the last key that a worker holds. */
export const yesOption = { yes: { type: 'boolean' } } as const;

/**
 * The value of a variable that a command can do without; null when it is not set.
 * @throws ConfigError for an invalid value
 */
export const known = <Key extends ConfigKey>(
  need: CommandCall<ConfigKey>['need'],
  key: Key,
): Config<Key>[Key] | null => {
  try {
    return need(key)[key];
  } catch (error) {
    if (error instanceof ConfigError && error.problems.every((problem) => problem.endsWith(' is missing'))) return null;
    throw error;
  }
};

type Options = NonNullable<ParseArgsConfig['options']>;

/** Reads the options of a command that takes no words. @throws Error of `parseArgs`, which counts as a usage error */
export const readOptions = <const Given extends Options>(args: readonly string[], options: Given) =>
  parseArgs({ args: [...args], options });

/** Reads the options of a command, and the words beside them. @throws Error of `parseArgs` */
export const readWords = <const Given extends Options>(args: readonly string[], options: Given) =>
  parseArgs({ args: [...args], options, allowPositionals: true });
