import type { Command } from './command/command.ts';

/** A command of the command line. */
export interface Entry {
  /** Name on the command line, such as `network prepare`. */
  readonly name: string;
  /** Arguments and options, for the help. */
  readonly usage: string;
  readonly summary: string;
  /** Loads the command. A call loads only the libraries of its own command. */
  readonly load: () => Promise<Command>;
}

/**
 * The commands of a file, which exports each under its name in camel case: `lane list` as `laneList`.
 * @param summaries by name and usage
 */
const of = (file: () => Promise<object>, summaries: Readonly<Record<string, string>>): Entry[] =>
  Object.entries(summaries).map(([line, summary]) => {
    const [name = ''] = /^[a-z-]+( [a-z][a-z-]*)*/.exec(line) ?? [];
    const exported = name.replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());
    const load = async (): Promise<Command> => ((await file()) as Readonly<Record<string, Command>>)[exported]!;
    return { name, usage: line.slice(name.length + 1), summary, load };
  });

/** All commands, in the order of the help. */
export const entries: readonly Entry[] = [
  ...of(() => import('./look/status.ts'), {
    'status [--json]': 'show the health of everything that Carat depends on; exit code 1 if anything is late or down',
  }),
  ...of(() => import('./doctor/doctor.ts'), {
    'doctor [--json]':
      'check configuration, database, Temporal, networks, keys and public URL; exit code 1 with causes and remedies',
  }),
  ...of(() => import('./look/alerts.ts'), {
    'alerts [--state open|closed|all] [--kind KIND] [--limit NUMBER] [--json]':
      'list alerts, newest first; by default the open ones',
  }),
  ...of(() => import('./look/payment.ts'), {
    'payment show ID|ORDER|TRANSACTION [--json]':
      'show a payment: timeline, transactions, deliveries, what it waits for and what to do',
  }),
  ...of(() => import('./look/deliveries.ts'), {
    'webhook deliveries [WEBHOOK] [--state STATE] [--limit NUMBER] [--json]':
      'list the webhooks with their backlogs, or the deliveries of one, newest first',
  }),
  ...of(() => import('./migrate.ts'), {
    'upgrade check [--json]':
      'say what an upgrade to this version will do and need, and what forbids going back; exit code 1 if something is in the way',
  }),
  ...of(() => import('./audit.ts'), {
    'audit verify [--head NUMBER:DIGEST] [--json]':
      'compare the audit log with its links; exit code 1 with the first difference; --head: a link noted before',
    'audit forget DAYS':
      "delete entries of the audit log that are older, with their links; needs the role of the database's owner",
  }),
  ...of(() => import('./member.ts'), {
    'member erase MEMBER [--yes]':
      'erase the personal data of a deleted member; records of money stay; --yes: delete it, too',
  }),
  ...of(() => import('./migrate.ts'), {
    migrate: 'migrate the database to the newest schema, which older processes survive',
  }),
  ...of(() => import('./backup/backup.ts'), {
    'backup DIR [--catalogue FILE] [--with-keystore]':
      'write everything in the database into a new folder, with checksums; Carat may run meanwhile',
  }),
  ...of(() => import('./backup/restore.ts'), {
    'restore DIR': 'load a backup into an empty database, and mark it as restored; begin again after a kill',
    'restored [--show [--node NAME] [--json]]':
      'mark a database that was restored by other means; --show: what the restore has lost',
  }),
  ...of(() => import('./catalogue.ts'), {
    'catalogue apply FILE [--yes]':
      'apply a YAML file of nodes, chains, networks and currencies; --yes: even if no worker holds a remaining key',
  }),
  ...of(() => import('./keystore.ts'), {
    'keystore create FILE [--keys NUMBER | --import] [--from FILE [--without ADDRESS]] [--new-passphrase FILE]':
      'create an encrypted file of new keys or of private keys from standard input, with keys of another file; --new-passphrase: for the new file',
    'keystore empty FILE NETWORK TO':
      "send the coins of a keystore's keys on a network to an address, except those of keys at work there",
  }),
  ...of(() => import('./network.ts'), {
    'network prepare NETWORK|--all --root-keystore FILE|--plan [--release RELEASE]':
      'deploy registry and facets, give roles and set the release; sends only missing calls, or shows them with costs',
  }),
  ...of(() => import('./registry.ts'), {
    'registry show NETWORK': "show root, pause, release, roles and approved facets of a network's registry",
    'registry approve NETWORK [RELEASE] [--keystore FILE]':
      'approve the facets of a release (default: the newest), usable after the delay; root only',
    'registry set-release NETWORK [RELEASE] [--keystore FILE]':
      'set the release of new diamonds (default: the newest), whose facets must be approved; root only',
    'registry revoke NETWORK FACET [--keystore FILE]':
      'permanently revoke the facet at an address; root and guardians only',
    'registry pause NETWORK [--keystore FILE]': 'stop creation and payment of deals; root and guardians only',
    'registry unpause NETWORK [--keystore FILE]': 'resume creation and payment of deals; root only',
    'registry transfer-root NETWORK ADDRESS [--keystore FILE]':
      'offer root to an address, which must accept it; root only',
    'registry withdraw-root NETWORK [--keystore FILE]': 'withdraw the offer of root; root only',
    'registry accept-root NETWORK [--keystore FILE]': 'accept root; only the address that root was offered to',
    'role give NETWORK operator|upgrader|signer|guardian ADDRESS [--keystore FILE]':
      "give a key a role in a network's registry; root only",
    'role take NETWORK operator|upgrader|signer|guardian ADDRESS [--keystore FILE]':
      "take a role from a key in a network's registry; root, or a guardian for other roles than guardian",
  }),
  ...of(() => import('./diamond.ts'), {
    'diamond plan WALLET|DIAMOND NETWORK':
      "show what an update of a wallet's diamond would change, and its call; sends nothing",
    'diamond verify WALLET|DIAMOND NETWORK':
      "check that a wallet's diamond is exactly one of the releases; exit code 1 if not",
  }),
  ...of(() => import('./look/lanes.ts'), {
    'lane list [--json]': 'list the lanes with their queues and transactions in flight',
    'lane show NETWORK ADDRESS|ROLE [--json]':
      'show a lane with its transactions, balance, nonces on the chain, and what to do',
  }),
  ...of(() => import('./lane.ts'), {
    'lane resume NETWORK ADDRESS': 'resume a paused lane at the nonce that the chain expects',
    'lane move NETWORK FROM TO [--yes]':
      'replace the key of a lane with another one that has its role; repeat until nothing is in flight',
  }),
  ...of(() => import('./listen.ts'), {
    'listen --forward URL [--wallet ID]':
      'forward the signed events of a stack on this machine to a receiver, until stopped',
  }),
  ...of(() => import('./admin.ts'), {
    'admin create [--node NAME] [--name NAME]': 'create the integration with all permissions, and show its secret once',
    'token [--node NAME] [--name NAME]': 'issue an access token for the admin integration, valid for 15 minutes',
  }),
  ...of(() => import('./keys.ts'), {
    'keys list': 'list the token keys with their current states',
    'keys rotate [--purpose access|widget] [--signs-in SECONDS]':
      'create a token key that signs after 60 seconds; current tokens stay valid',
    'master-key rotate FILE':
      'encrypt all stored secrets with the new master key in a file, while no api and no worker runs',
    'keys retire KID': 'retire a token key now; its tokens are refused',
  }),
];
