import { ConfigError, type Config, type ConfigKey } from '../../runtime/config.ts';
import type { CommandCall } from '../command/command.ts';

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
