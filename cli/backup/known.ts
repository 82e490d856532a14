import type { Config, ConfigKey } from '../../config.ts';
import type { CommandCall } from '../command/command.ts';

/** The value of a variable that a command can do without; null when it is not set. */
export const known = <Key extends ConfigKey>(
  need: CommandCall<ConfigKey>['need'],
  key: Key,
): Config<Key>[Key] | null => {
  try {
    return need(key)[key];
  } catch {
    return null;
  }
};
