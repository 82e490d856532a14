import { loadConfig, type ConfigKey, type Environment } from '../runtime/config.ts';
import { UsageError, type CommandCall } from './command/command.ts';
import { entries, type Entry } from './entries.ts';

const usageOf = (entry: Entry): string => `carat ${[entry.name, entry.usage].filter(Boolean).join(' ')}`;

const help = (some: readonly Entry[]): string =>
  [
    'usage: carat COMMAND [ARGUMENT...]',
    '',
    ...some.flatMap((entry) => [`  ${usageOf(entry)}`, `      ${entry.summary}`]),
    '',
    'The configuration comes from the environment; a command names missing variables. Without --keystore nothing is sent:',
    'the command prints its call, for a multisig.',
  ].join('\n');

/** The command that these words name, or all commands whose names begin with them. */
const matching = (words: readonly string[]): readonly Entry[] => {
  // American spelling.
  const given = words
    .map((word) => `${word} `)
    .join('')
    .replace(/^catalog /, 'catalogue ');
  return entries.filter(({ name }) => given.startsWith(`${name} `) || `${name} `.startsWith(given));
};

const isHelp = (word: string): boolean => ['help', '--help', '-h'].includes(word);

const isUsageProblem = (error: unknown): boolean =>
  error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');

/** The message of an error with its place. The addresses of one host fail as an AggregateError. */
const messageOf = (error: unknown): string => {
  const { message, syscall, code } = error as NodeJS.ErrnoException;
  if (error instanceof AggregateError && message === '') return error.errors.map(messageOf).join('; ');
  if (syscall === 'connect' || syscall === 'getaddrinfo') return `the database cannot be reached: ${message}`;
  // undefined_table, undefined_column.
  if (code === '42P01' || code === '42703')
    return `the database lacks the schema of this version, run carat migrate first: ${message}`;
  return message;
};

/** Where a command runs. */
export interface CommandContext extends Pick<CommandCall<ConfigKey>, 'print' | 'report'> {
  readonly env: Environment;
}

/**
 * Runs the command that these words name, and reports its failure.
 * @returns the exit code
 */
export const runWords = async (words: readonly string[], { env, print, report }: CommandContext): Promise<number> => {
  const named = words.filter((word) => !isHelp(word));
  const found = matching(named);
  const [entry] = found;
  if (entry === undefined) {
    report(`carat: unknown command ${named.join(' ')}\n\n${help(entries)}`);
    return 2;
  }
  const asked = named.length < words.length;
  if (asked || found.length > 1 || named.length < entry.name.split(' ').length) {
    print(help(found));
    return asked ? 0 : 2;
  }
  try {
    const command = await entry.load();
    const need: CommandCall<ConfigKey>['need'] = (...keys) => loadConfig(env, keys);
    const config = need(...command.config);
    const outcome = await command.run({ args: words.slice(entry.name.split(' ').length), config, need, print, report });
    return outcome === 'bad' ? 1 : 0;
  } catch (error) {
    report(`carat: ${messageOf(error)}`);
    if (!isUsageProblem(error)) return 1;
    report(`usage: ${usageOf(entry)}`);
    return 2;
  }
};
