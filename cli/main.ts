import { loadConfig, type ConfigKey } from '../config.ts';
import { UsageError, type Command, type CommandCall } from './command.ts';

/*
 * carat COMMAND [ARGUMENT...]
 *
 * The operator's commands. Exit code 0: done; 1: it failed, and said why; 2: it was not understood.
 */

interface Entry {
  /** Words on the command line, such as `network prepare`. */
  readonly name: string;
  /** Arguments and options, for the help. */
  readonly usage: string;
  readonly summary: string;
  /** A command is loaded when it is called, so that none waits for the libraries of the others. */
  readonly load: () => Promise<Command>;
}

/** Each was checked against its own part of the configuration where it was defined. */
const any = <Key extends ConfigKey>(command: Command<Key>): Command => command as unknown as Command;

const entries: readonly Entry[] = [
  {
    name: 'migrate',
    usage: '',
    summary: 'bring the database to the newest schema',
    load: async () => any((await import('./database.ts')).migrate),
  },
  {
    name: 'catalogue apply',
    usage: 'FILE [--yes]',
    summary:
      'bring nodes, chains, networks and currencies to what a YAML file says; --yes: even if nobody holds a key that is left',
    load: async () => any((await import('./catalogue.ts')).catalogueApply),
  },
  {
    name: 'keystore create',
    usage: 'FILE [--keys NUMBER | --import] [--from FILE [--without ADDRESS]]',
    summary: 'make an encrypted file of new keys, or of private keys from standard input, beside those of another file',
    load: async () => any((await import('./keystore-create.ts')).keystoreCreate),
  },
  {
    name: 'network prepare',
    usage: 'NETWORK|--all --root-keystore FILE|--plan [--release RELEASE]',
    summary:
      'put registry, facets, roles and release onto a network; sends only what is missing, or shows it with its costs',
    load: async () => any((await import('./network.ts')).networkPrepare),
  },
  {
    name: 'registry show',
    usage: 'NETWORK',
    summary: "show root, pause, release, roles and approved facets of a network's registry",
    load: async () => any((await import('./registry.ts')).registryShow),
  },
  {
    name: 'registry approve',
    usage: 'NETWORK [RELEASE] [--keystore FILE]',
    summary: 'approve the facets of a release, the newest unless told, which may be used after the delay; root may',
    load: async () => any((await import('./registry.ts')).registryApprove),
  },
  {
    name: 'registry set-release',
    usage: 'NETWORK [RELEASE] [--keystore FILE]',
    summary: 'let new diamonds start with a release whose facets are approved, the newest unless told; root may',
    load: async () => any((await import('./registry.ts')).registrySetRelease),
  },
  {
    name: 'registry revoke',
    usage: 'NETWORK FACET [--keystore FILE]',
    summary: 'forbid the facet at an address for good; root and guardians may',
    load: async () => any((await import('./registry.ts')).registryRevoke),
  },
  {
    name: 'registry pause',
    usage: 'NETWORK [--keystore FILE]',
    summary: 'stop creation and payment of deals; root and guardians may',
    load: async () => any((await import('./registry.ts')).registryPause),
  },
  {
    name: 'registry unpause',
    usage: 'NETWORK [--keystore FILE]',
    summary: 'let deals be created and paid again; root may',
    load: async () => any((await import('./registry.ts')).registryUnpause),
  },
  {
    name: 'registry transfer-root',
    usage: 'NETWORK ADDRESS [--keystore FILE]',
    summary: "offer root's place to an address, which has to accept it; root may",
    load: async () => any((await import('./registry.ts')).registryTransferRoot),
  },
  {
    name: 'registry withdraw-root',
    usage: 'NETWORK [--keystore FILE]',
    summary: "take the offer of root's place back; root may",
    load: async () => any((await import('./registry.ts')).registryWithdrawRoot),
  },
  {
    name: 'registry accept-root',
    usage: 'NETWORK [--keystore FILE]',
    summary: "take root's place; who was offered it may",
    load: async () => any((await import('./registry.ts')).registryAcceptRoot),
  },
  {
    name: 'role give',
    usage: 'NETWORK operator|upgrader|guardian ADDRESS [--keystore FILE]',
    summary: "give a key a role in a network's registry; root may",
    load: async () => any((await import('./role.ts')).roleGive),
  },
  {
    name: 'role take',
    usage: 'NETWORK operator|upgrader|guardian ADDRESS [--keystore FILE]',
    summary: "take a role from a key in a network's registry; root may, and guardians that of other roles",
    load: async () => any((await import('./role.ts')).roleTake),
  },
  {
    name: 'diamond plan',
    usage: 'WALLET|DIAMOND NETWORK',
    summary: "show what an update would do with a wallet's diamond, and the call that does it; sends nothing",
    load: async () => any((await import('./diamond.ts')).diamondPlan),
  },
  {
    name: 'diamond verify',
    usage: 'WALLET|DIAMOND NETWORK',
    summary: "say whether a wallet's diamond is exactly one of the releases; ends with 1 when it is not",
    load: async () => any((await import('./diamond.ts')).diamondVerify),
  },
  {
    name: 'lane resume',
    usage: 'NETWORK ADDRESS',
    summary: 'let a paused lane go on from the nonce that the chain expects',
    load: async () => any((await import('./lane.ts')).laneResume),
  },
  {
    name: 'lane move',
    usage: 'NETWORK FROM TO [--yes]',
    summary: 'replace the key of a lane by another one that has its role; repeat it until nothing is under way',
    load: async () => any((await import('./lane.ts')).laneMove),
  },
  {
    name: 'listen',
    usage: '--forward URL [--wallet ID]',
    summary: 'bring the events of a stack on this machine to a receiver, signed, until it is ended',
    load: async () => any((await import('./listen.ts')).listen),
  },
  {
    name: 'admin create',
    usage: '[--node NAME] [--name NAME]',
    summary: 'make the integration with all permissions and show its secret, this once',
    load: async () => any((await import('./admin.ts')).adminCreate),
  },
  {
    name: 'token',
    usage: '[--node NAME] [--name NAME]',
    summary: 'issue an access token of 15 minutes for the admin integration',
    load: async () => any((await import('./admin.ts')).token),
  },
  {
    name: 'keys list',
    usage: '',
    summary: 'show the keys that sign tokens, and what each of them does now',
    load: async () => any((await import('./keys.ts')).keysList),
  },
  {
    name: 'keys rotate',
    usage: '[--purpose access|widget] [--signs-in SECONDS]',
    summary: 'make a new key that signs tokens from 60 seconds later on, without a token being refused',
    load: async () => any((await import('./keys.ts')).keysRotate),
  },
  {
    name: 'keys retire',
    usage: 'KID',
    summary: 'end a key now; tokens that it has signed are refused',
    load: async () => any((await import('./keys.ts')).keysRetire),
  },
];

const usageOf = (entry: Entry): string => `carat ${[entry.name, entry.usage].filter(Boolean).join(' ')}`;

const help = (some: readonly Entry[]): string =>
  [
    'usage: carat COMMAND [ARGUMENT...]',
    '',
    ...some.flatMap((entry) => [`  ${usageOf(entry)}`, `      ${entry.summary}`]),
    '',
    'The configuration comes from the environment; a command names what it misses. Without --keystore nothing is sent: a',
    'call that is to be made is printed, for a multisig.',
  ].join('\n');

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const report = (line: string): void => void process.stderr.write(`${line}\n`);
for (const stream of [process.stdout, process.stderr]) {
  // Whoever reads may stop reading, as `| head` does; what was begun is done all the same.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** The command that these words call, or those whose names begin with them. */
const matching = (words: readonly string[]): readonly Entry[] => {
  // In American English it is `catalog`.
  const given = words
    .map((word) => `${word} `)
    .join('')
    .replace(/^catalog /, 'catalogue ');
  return entries.filter(({ name }) => given.startsWith(`${name} `) || `${name} `.startsWith(given));
};

const isHelp = (word: string): boolean => ['help', '--help', '-h'].includes(word);

const isUsageProblem = (error: unknown): boolean =>
  error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');

/** What failed, in words that say where. Several addresses of one host fail together. */
const messageOf = (error: unknown): string => {
  const { message, syscall, code } = error as NodeJS.ErrnoException;
  if (error instanceof AggregateError && message === '') return error.errors.map(messageOf).join('; ');
  if (syscall === 'connect' || syscall === 'getaddrinfo') return `the database can not be reached: ${message}`;
  // PostgreSQL's undefined_table.
  if (code === '42P01') return `the database lacks the schema of this version, run carat migrate first: ${message}`;
  return message;
};

const run = async (words: readonly string[]): Promise<number> => {
  const named = words.filter((word) => !isHelp(word));
  const found = matching(named);
  const [entry] = found;
  if (entry === undefined) {
    report(`carat: there is no command ${named.join(' ')}\n\n${help(entries)}`);
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
    await command.run({ args: words.slice(entry.name.split(' ').length), config, need, print, report });
    return 0;
  } catch (error) {
    report(`carat: ${messageOf(error)}`);
    if (!isUsageProblem(error)) return 1;
    report(`usage: ${usageOf(entry)}`);
    return 2;
  }
};

process.exitCode = await run(process.argv.slice(2));
