import type { ConfigKey } from '../runtime/config.ts';
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

/** Erases the type of a command's configuration, which `defineCommand` has checked. */
const any = <Key extends ConfigKey>(command: Command<Key>): Command => command as unknown as Command;

/** All commands, in the order of the help. */
export const entries: readonly Entry[] = [
  {
    name: 'status',
    usage: '[--json]',
    summary: 'show the health of everything that Carat depends on; exit code 1 if anything is late or down',
    load: async () => any((await import('./look/status.ts')).status),
  },
  {
    name: 'doctor',
    usage: '[--json]',
    summary:
      'check configuration, database, Temporal, networks, keys and public URL; exit code 1 with causes and remedies',
    load: async () => any((await import('./doctor/doctor.ts')).doctor),
  },
  {
    name: 'alerts',
    usage: '[--state open|closed|all] [--kind KIND] [--limit NUMBER] [--json]',
    summary: 'list alerts, newest first; by default the open ones',
    load: async () => any((await import('./look/alerts.ts')).alerts),
  },
  {
    name: 'payment show',
    usage: 'ID|ORDER|TRANSACTION [--json]',
    summary: 'show a payment: timeline, transactions, deliveries, what it waits for and what to do',
    load: async () => any((await import('./look/payment.ts')).paymentShow),
  },
  {
    name: 'webhook deliveries',
    usage: '[WEBHOOK] [--state STATE] [--limit NUMBER] [--json]',
    summary: 'list the webhooks with their backlogs, or the deliveries of one, newest first',
    load: async () => any((await import('./look/deliveries.ts')).webhookDeliveries),
  },
  {
    name: 'upgrade check',
    usage: '[--json]',
    summary:
      'say what an upgrade to this version will do and need, and what forbids going back; exit code 1 if something is in the way',
    load: async () => any((await import('./upgrade/check.ts')).upgradeCheck),
  },
  {
    name: 'audit verify',
    usage: '[--head NUMBER:DIGEST] [--json]',
    summary: 'compare the audit log with its links; exit code 1 with the first difference; --head: a link noted before',
    load: async () => any((await import('./data/audit.ts')).auditVerify),
  },
  {
    name: 'audit forget',
    usage: 'DAYS',
    summary: "delete entries of the audit log that are older, with their links; needs the role of the database's owner",
    load: async () => any((await import('./data/audit.ts')).auditForget),
  },
  {
    name: 'member erase',
    usage: 'MEMBER [--yes]',
    summary: 'erase the personal data of a deleted member; records of money stay; --yes: delete it, too',
    load: async () => any((await import('./data/member.ts')).memberErase),
  },
  {
    name: 'migrate',
    usage: '',
    summary: 'migrate the database to the newest schema, which older processes survive',
    load: async () => any((await import('./migrate.ts')).migrate),
  },
  {
    name: 'backup',
    usage: 'DIR [--catalogue FILE] [--with-keystore]',
    summary: 'write everything in the database into a new folder, with checksums; Carat may run meanwhile',
    load: async () => any((await import('./backup/backup.ts')).backup),
  },
  {
    name: 'restore',
    usage: 'DIR',
    summary: 'load a backup into an empty database, and mark it as restored; begin again after a kill',
    load: async () => any((await import('./backup/restore.ts')).restore),
  },
  {
    name: 'restored',
    usage: '[--show [--node NAME] [--json]]',
    summary: 'mark a database that was restored by other means; --show: what the restore has lost',
    load: async () => any((await import('./backup/restored.ts')).restored),
  },
  {
    name: 'catalogue apply',
    usage: 'FILE [--yes]',
    summary:
      'apply a YAML file of nodes, chains, networks and currencies; --yes: even if no worker holds a remaining key',
    load: async () => any((await import('./catalogue.ts')).catalogueApply),
  },
  {
    name: 'keystore create',
    usage: 'FILE [--keys NUMBER | --import] [--from FILE [--without ADDRESS]] [--new-passphrase FILE]',
    summary:
      'create an encrypted file of new keys or of private keys from standard input, with keys of another file; --new-passphrase: for the new file',
    load: async () => any((await import('./keystore/create.ts')).keystoreCreate),
  },
  {
    name: 'keystore empty',
    usage: 'FILE NETWORK TO',
    summary: "send the coins of a keystore's keys on a network to an address, except those of keys at work there",
    load: async () => any((await import('./keystore/empty.ts')).keystoreEmpty),
  },
  {
    name: 'network prepare',
    usage: 'NETWORK|--all --root-keystore FILE|--plan [--release RELEASE]',
    summary:
      'deploy registry and facets, give roles and set the release; sends only missing calls, or shows them with costs',
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
    summary: 'approve the facets of a release (default: the newest), usable after the delay; root only',
    load: async () => any((await import('./registry.ts')).registryApprove),
  },
  {
    name: 'registry set-release',
    usage: 'NETWORK [RELEASE] [--keystore FILE]',
    summary: 'set the release of new diamonds (default: the newest), whose facets must be approved; root only',
    load: async () => any((await import('./registry.ts')).registrySetRelease),
  },
  {
    name: 'registry revoke',
    usage: 'NETWORK FACET [--keystore FILE]',
    summary: 'permanently revoke the facet at an address; root and guardians only',
    load: async () => any((await import('./registry.ts')).registryRevoke),
  },
  {
    name: 'registry pause',
    usage: 'NETWORK [--keystore FILE]',
    summary: 'stop creation and payment of deals; root and guardians only',
    load: async () => any((await import('./registry.ts')).registryPause),
  },
  {
    name: 'registry unpause',
    usage: 'NETWORK [--keystore FILE]',
    summary: 'resume creation and payment of deals; root only',
    load: async () => any((await import('./registry.ts')).registryUnpause),
  },
  {
    name: 'registry transfer-root',
    usage: 'NETWORK ADDRESS [--keystore FILE]',
    summary: 'offer root to an address, which must accept it; root only',
    load: async () => any((await import('./registry.ts')).registryTransferRoot),
  },
  {
    name: 'registry withdraw-root',
    usage: 'NETWORK [--keystore FILE]',
    summary: 'withdraw the offer of root; root only',
    load: async () => any((await import('./registry.ts')).registryWithdrawRoot),
  },
  {
    name: 'registry accept-root',
    usage: 'NETWORK [--keystore FILE]',
    summary: 'accept root; only the address that root was offered to',
    load: async () => any((await import('./registry.ts')).registryAcceptRoot),
  },
  {
    name: 'role give',
    usage: 'NETWORK operator|upgrader|signer|guardian ADDRESS [--keystore FILE]',
    summary: "give a key a role in a network's registry; root only",
    load: async () => any((await import('./role.ts')).roleGive),
  },
  {
    name: 'role take',
    usage: 'NETWORK operator|upgrader|signer|guardian ADDRESS [--keystore FILE]',
    summary: "take a role from a key in a network's registry; root, or a guardian for other roles than guardian",
    load: async () => any((await import('./role.ts')).roleTake),
  },
  {
    name: 'diamond plan',
    usage: 'WALLET|DIAMOND NETWORK',
    summary: "show what an update of a wallet's diamond would change, and its call; sends nothing",
    load: async () => any((await import('./diamond.ts')).diamondPlan),
  },
  {
    name: 'diamond verify',
    usage: 'WALLET|DIAMOND NETWORK',
    summary: "check that a wallet's diamond is exactly one of the releases; exit code 1 if not",
    load: async () => any((await import('./diamond.ts')).diamondVerify),
  },
  {
    name: 'lane list',
    usage: '[--json]',
    summary: 'list the lanes with their queues and transactions in flight',
    load: async () => any((await import('./look/lanes.ts')).laneList),
  },
  {
    name: 'lane show',
    usage: 'NETWORK ADDRESS|ROLE [--json]',
    summary: 'show a lane with its transactions, balance, nonces on the chain, and what to do',
    load: async () => any((await import('./look/lanes.ts')).laneShow),
  },
  {
    name: 'lane resume',
    usage: 'NETWORK ADDRESS',
    summary: 'resume a paused lane at the nonce that the chain expects',
    load: async () => any((await import('./lane.ts')).laneResume),
  },
  {
    name: 'lane move',
    usage: 'NETWORK FROM TO [--yes]',
    summary: 'replace the key of a lane with another one that has its role; repeat until nothing is in flight',
    load: async () => any((await import('./lane.ts')).laneMove),
  },
  {
    name: 'listen',
    usage: '--forward URL [--wallet ID]',
    summary: 'forward the signed events of a stack on this machine to a receiver, until stopped',
    load: async () => any((await import('./listen/listen.ts')).listen),
  },
  {
    name: 'admin create',
    usage: '[--node NAME] [--name NAME]',
    summary: 'create the integration with all permissions, and show its secret once',
    load: async () => any((await import('./admin.ts')).adminCreate),
  },
  {
    name: 'token',
    usage: '[--node NAME] [--name NAME]',
    summary: 'issue an access token for the admin integration, valid for 15 minutes',
    load: async () => any((await import('./admin.ts')).token),
  },
  {
    name: 'keys list',
    usage: '',
    summary: 'list the token keys with their current states',
    load: async () => any((await import('./keys.ts')).keysList),
  },
  {
    name: 'keys rotate',
    usage: '[--purpose access|widget] [--signs-in SECONDS]',
    summary: 'create a token key that signs after 60 seconds; current tokens stay valid',
    load: async () => any((await import('./keys.ts')).keysRotate),
  },
  {
    name: 'master-key rotate',
    usage: 'FILE',
    summary: 'encrypt all stored secrets with the new master key in a file, while no api and no worker runs',
    load: async () => any((await import('./master-key.ts')).masterKeyRotate),
  },
  {
    name: 'keys retire',
    usage: 'KID',
    summary: 'retire a token key now; its tokens are refused',
    load: async () => any((await import('./keys.ts')).keysRetire),
  },
];
