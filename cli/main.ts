import { loadConfig, type ConfigKey } from '../config.ts';
import { adminCreate } from './admin-create.ts';
import { catalogueApply } from './catalogue-apply.ts';
import { UsageError, type Command } from './command.ts';
import { keystoreCreate } from './keystore-create.ts';
import { migrate } from './migrate.ts';
import { networkPrepare } from './network-prepare.ts';
import { token } from './token.ts';

/*
 * carat COMMAND [ARGUMENT...]
 *
 * The operator's commands. Exit code 0: done; 1: it failed, and said why; 2: it was not understood.
 */

// Each was checked against its own configuration where it was defined.
const commands = [
  migrate,
  catalogueApply,
  keystoreCreate,
  networkPrepare,
  adminCreate,
  token,
] as unknown as readonly Command[];

const usageOf = (command: Command): string => `carat ${[command.name, command.usage].filter(Boolean).join(' ')}`;

const help = (): string =>
  [
    'usage: carat COMMAND [ARGUMENT...]',
    '',
    ...commands.flatMap((command) => [`  ${usageOf(command)}`, `      ${command.summary}`]),
    '',
    'The configuration comes from the environment; a command names what it misses.',
  ].join('\n');

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const report = (line: string): void => void process.stderr.write(`${line}\n`);

const find = (words: readonly string[]): Command | undefined =>
  // `catalog` is how the other half of the world writes it.
  commands.find(({ name }) => `${words.join(' ')} `.replace(/^catalog /, 'catalogue ').startsWith(`${name} `));

const isUsageProblem = (error: unknown): boolean =>
  error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');

const run = async (words: readonly string[]): Promise<number> => {
  if (words.length === 0 || ['help', '--help', '-h'].includes(words[0] ?? '')) {
    print(help());
    return words.length === 0 ? 2 : 0;
  }
  const command = find(words);
  if (command === undefined) {
    report(`carat: there is no command ${words.join(' ')}\n\n${help()}`);
    return 2;
  }
  const args = words.slice(command.name.split(' ').length);
  if (args.includes('--help')) {
    print(`usage: ${usageOf(command)}\n${command.summary}`);
    return 0;
  }
  try {
    const config = loadConfig<ConfigKey>(process.env, command.config);
    await command.run({ args, config, print, report });
    return 0;
  } catch (error) {
    report(`carat: ${(error as Error).message}`);
    if (!isUsageProblem(error)) return 1;
    report(`usage: ${usageOf(command)}`);
    return 2;
  }
};

process.exitCode = await run(process.argv.slice(2));
