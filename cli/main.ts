import { loadConfig, type ConfigKey } from '../config.ts';
import { UsageError, type CommandCall } from './command/command.ts';
import { entries, type Entry } from './entries.ts';

/*
 * carat COMMAND [ARGUMENT...]
 *
 * The operator's commands. Exit code 0: success; 1: failure, with its reason; 2: invalid usage.
 */

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

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const report = (line: string): void => void process.stderr.write(`${line}\n`);
for (const stream of [process.stdout, process.stderr]) {
  // The reader may close the pipe, as `| head` does; the command finishes anyway.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

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

const run = async (words: readonly string[]): Promise<number> => {
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
    const need: CommandCall<ConfigKey>['need'] = (...keys) => loadConfig(process.env, keys);
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

process.exitCode = await run(process.argv.slice(2));
