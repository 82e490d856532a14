/**
 * The environment, read once by an entry point into a frozen typed object. Each process names the variables it needs,
 * and all missing or invalid ones are reported at once. Secrets have no default and never appear in a problem's text.
 */

import { isIP } from 'node:net';
import { webhookHostModes } from '../domain/webhook.ts';

/** All problems of the environment, one sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** One environment variable: its name, parser and default. */
interface Variable<Value> {
  readonly name: string;
  readonly secret: boolean;
  /** Default; undefined when the variable is required. */
  readonly fallback: Value | undefined;
  /** Returns the value, or a problem as a phrase that follows the variable's name. */
  readonly parse: (text: string) => { value: Value } | { problem: string };
}

type Parser<Value> = Variable<Value>['parse'];

const variable = <Value>(name: string, parse: Parser<Value>, fallback?: Value): Variable<Value> => ({
  name,
  parse,
  fallback,
  secret: false,
});

const secret = <Value>(name: string, parse: Parser<Value>, fallback?: Value): Variable<Value> => ({
  ...variable(name, parse, fallback),
  secret: true,
});

const text: Parser<string> = (value) => ({ value });

const integer =
  (min: number, max: number, of = ''): Parser<number> =>
  (value) => {
    const number = Number(value);
    const fits = /^\d{1,15}$/.test(value) && number >= min && number <= max;
    return fits ? { value: number } : { problem: `must be a whole number${of} from ${min} to ${max}` };
  };

const evenSeconds =
  (min: number, max: number): Parser<number> =>
  (value) => {
    const parsed = integer(min, max)(value);
    return 'problem' in parsed || parsed.value % 2 === 0 ? parsed : { problem: 'must be an even number of seconds' };
  };

const oneOf =
  <Choice extends string>(...choices: readonly Choice[]): Parser<Choice> =>
  (value) => {
    const choice = choices.find((candidate) => candidate === value);
    return choice === undefined ? { problem: `must be one of ${choices.join(', ')}` } : { value: choice };
  };

const matching =
  (pattern: RegExp, description: string): Parser<string> =>
  (value) =>
    pattern.test(value) ? { value } : { problem: `must be ${description}` };

const url =
  (protocols: readonly string[], description: string): Parser<string> =>
  (value) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol)
      ? { value: value.replace(/\/+$/, '') }
      : { problem: `must be ${description}` };

/** The unchanged URL of a receiver, optionally with user and password. */
const receiver: Parser<string> = (value) => {
  try {
    const { protocol, username, password } = new URL(value);
    decodeURIComponent(username + password);
    if (/^https?:$/.test(protocol)) return { value };
  } catch {
    // Not a URL, or an invalid % in user or password.
  }
  return { problem: 'must be an http:// or https:// URL, with special characters of user and password as %XX' };
};

/** A secret in the form of Standard Webhooks. */
const signingSecret: Parser<string> = (value) => {
  const [, key = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? [];
  const bytes = Buffer.from(key, 'base64').length;
  return bytes >= 24 && bytes <= 64 ? { value } : { problem: 'must be whsec_ and 24 to 64 bytes in base64' };
};

/** 32 bytes in base64 or base64url, with or without padding. */
const key32: Parser<Uint8Array> = (value) => {
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(value) ? Buffer.from(value, 'base64') : Buffer.alloc(0);
  return bytes.length === 32 ? { value: new Uint8Array(bytes) } : { problem: 'must be 32 bytes in base64' };
};

const isNetwork = (entry: string): boolean => {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  // A prefix of 0 would let clients choose their addresses.
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
};

/** Addresses, or networks as address/prefix, separated by commas. */
const networks: Parser<readonly string[]> = (value) => {
  const entries = value.split(',').map((entry) => entry.trim());
  return entries.every(isNetwork)
    ? { value: Object.freeze(entries) }
    : { problem: 'must list IP addresses or networks (address/prefix, prefix not 0), separated by commas' };
};

const retention = (name: string, min: number, days: number): Variable<number> =>
  variable(`CARAT_RETENTION_${name}`, integer(min, 3_650, ' of days'), days);

/** Days for which data that may go are kept: docs/operations/data.md. */
const retentions = {
  retentionWebhooks: retention('WEBHOOKS', 7, 60),
  retentionAnswers: retention('ANSWERS', 1, 1),
  retentionCommands: retention('COMMANDS', 1, 7),
  retentionLogs: retention('LOGS', 30, 365),
  retentionOffers: retention('OFFERS', 7, 30),
  retentionAlerts: retention('ALERTS', 7, 365),
  retentionClientIps: retention('CLIENT_IPS', 1, 90),
} as const;

/** All variables, by their names inside Carat. */
const variables = {
  ...retentions,
  profile: variable('CARAT_PROFILE', oneOf('production', 'test'), 'production'),
  databaseUrl: secret('CARAT_DATABASE_URL', url(['postgres:', 'postgresql:'], 'a postgres:// URL')),
  /** The same database as the owner of its tables, for `carat migrate`; empty: the role of the other URL owns them. */
  databaseOwnerUrl: secret('CARAT_DATABASE_OWNER_URL', url(['postgres:', 'postgresql:'], 'a postgres:// URL'), ''),
  /** Maximum connections of a process. */
  databasePool: variable('CARAT_DATABASE_POOL', integer(1, 500), 10),
  /** Encrypts secrets that must be read again: token keys, webhook secrets, answers to idempotency keys. */
  masterKey: secret('CARAT_MASTER_KEY', key32),

  temporalAddress: variable('CARAT_TEMPORAL_ADDRESS', matching(/^[^\s/]+:\d{1,5}$/, 'host:port')),
  temporalNamespace: variable('CARAT_TEMPORAL_NAMESPACE', text, 'default'),
  /** TLS to Temporal. Each of the following variables but the address also turns it on. */
  temporalTls: variable('CARAT_TEMPORAL_TLS', oneOf('off', 'on'), 'off'),
  /** Paths of PEM files: authorities that sign the server's certificate (empty: the usual ones); our certificate and its key. */
  temporalCa: variable('CARAT_TEMPORAL_CA', text, ''),
  temporalCertificate: variable('CARAT_TEMPORAL_CERTIFICATE', text, ''),
  temporalKey: variable('CARAT_TEMPORAL_KEY', text, ''),
  /** Name in the server's certificate, if not that of the address. */
  temporalServerName: variable('CARAT_TEMPORAL_SERVER_NAME', text, ''),
  temporalApiKey: secret('CARAT_TEMPORAL_API_KEY', text, ''),
  taskQueue: variable('CARAT_TASK_QUEUE', text, 'carat'),
  /** URL of Temporal's UI, for links that the operator's commands print; empty: none. */
  temporalUi: variable('CARAT_TEMPORAL_UI', url(['http:', 'https:'], 'an http:// or https:// URL'), ''),

  apiHost: variable('CARAT_API_HOST', text, '127.0.0.1'),
  apiPort: variable('CARAT_API_PORT', integer(0, 65535), 3000),
  /** URL of the api for clients, without a trailing slash: issuer of tokens, server of the specification. */
  publicUrl: variable('CARAT_PUBLIC_URL', url(['http:', 'https:'], 'an http:// or https:// URL')),
  /** Path of a YAML or JSON file that lists outside issuers of tokens; empty: none. */
  outsideIssuers: variable('CARAT_OUTSIDE_ISSUERS', text, ''),
  /** Maximum number of open payments of a node. */
  maxOpenPayments: variable('CARAT_MAX_OPEN_PAYMENTS', integer(1, 100_000_000), 10_000),
  /** Requests of a caller per second, and at once, counted over all processes; 0 in either: unlimited. */
  rateLimit: variable('CARAT_RATE_LIMIT', integer(0, 100_000), 100),
  rateBurst: variable('CARAT_RATE_BURST', integer(0, 10_000_000), 1_000),
  /** The same per address, for operations that anyone may call: tokens and the widget's data. */
  ipRateLimit: variable('CARAT_IP_RATE_LIMIT', integer(0, 100_000), 10),
  ipRateBurst: variable('CARAT_IP_RATE_BURST', integer(0, 10_000_000), 100),
  /** Streams of events that are open at once: of a process (0: pages ask for the state), and of an address (0: unlimited). */
  eventStreams: variable('CARAT_EVENT_STREAMS', integer(0, 7_000), 6_000),
  ipEventStreams: variable('CARAT_IP_EVENT_STREAMS', integer(0, 7_000), 100),
  /** Proxies in front of the api whose `X-Forwarded-For` is trusted. */
  trustedProxies: variable('CARAT_TRUSTED_PROXIES', networks, []),
  /** Hosts that webhooks may call: `loopback` adds this machine, even without TLS. */
  webhookHosts: variable('CARAT_WEBHOOK_HOSTS', oneOf(...webhookHostModes), 'public'),
  /** URL that alerts are sent to, optionally with user and password; empty: none. */
  alertWebhook: secret('CARAT_ALERT_WEBHOOK', receiver, ''),
  alertWebhookSecret: secret('CARAT_ALERT_WEBHOOK_SECRET', signingSecret, ''),
  /** Seconds without a sign of life of any worker, or a response of Temporal, before the operator is alerted. */
  silenceSeconds: variable('CARAT_SILENCE_SECONDS', integer(10, 3_600), 30),
  /** Seconds between two signs of life to the alert webhook; 0: none. */
  aliveSeconds: variable('CARAT_ALIVE_SECONDS', integer(0, 86_400), 0),

  /** Port of the metrics of a process, apart from the api's; 0: no metrics. They are for the operator's network only. */
  metricsHost: variable('CARAT_METRICS_HOST', text, '127.0.0.1'),
  metricsPort: variable('CARAT_METRICS_PORT', integer(0, 65535), 0),

  /** An alert is raised when a key's balance covers fewer usual transactions than this; 0: never. */
  lowFunds: variable('CARAT_LOW_FUNDS', integer(0, 100_000), 20),

  /** Path of the encrypted keystore file. */
  keystore: variable('CARAT_KEYSTORE', text),
  keystorePassphrase: secret('CARAT_KEYSTORE_PASSPHRASE', text),

  /** Seconds for which an offer of a deal is valid, an even number; a buyer has at least half of it. */
  offerWindow: variable('CARAT_OFFER_WINDOW', evenSeconds(10, 86_400), 900),

  /** Maximum activities of chains in a worker: at least its lanes, its networks, and its networks with offers. */
  workerChainSlots: variable('CARAT_WORKER_CHAIN_SLOTS', integer(2, 10_000), 200),
  /** Maximum other activities of a worker. */
  workerActivities: variable('CARAT_WORKER_ACTIVITIES', integer(1, 10_000), 50),
  /** Maximum workflows that a worker caches. */
  workerCachedWorkflows: variable('CARAT_WORKER_CACHED_WORKFLOWS', integer(1, 100_000), 500),
  /** Path of a workflow bundle; empty: the worker builds its own when the code has changed. */
  workflowBundle: variable('CARAT_WORKFLOW_BUNDLE', text, ''),
} as const;

/** The name of a variable inside Carat. */
export type ConfigKey = keyof typeof variables;
type ValueOf<Entry> = Entry extends Variable<infer Value> ? Value : never;

/** The values of some variables. */
export type Config<Key extends ConfigKey> = { readonly [Name in Key]: ValueOf<(typeof variables)[Name]> };

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the named variables. A variable set to the empty text counts as absent.
 * @throws ConfigError with every problem, without the value of any secret
 */
export const loadConfig = <Key extends ConfigKey>(env: Environment, keys: readonly Key[]): Config<Key> => {
  const problems: string[] = [];
  const entries = keys.map((key) => {
    const entry: Variable<unknown> = variables[key];
    const raw = env[entry.name]?.trim();
    if (raw === undefined || raw === '') {
      if (entry.fallback === undefined) problems.push(`${entry.name} is missing`);
      return [key, entry.fallback];
    }
    const parsed = entry.parse(raw);
    if ('value' in parsed) return [key, parsed.value];
    problems.push(`${entry.name} ${parsed.problem}`);
    return [key, undefined];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(Object.fromEntries(entries)) as Config<Key>;
};

const databaseKeys = ['profile', 'databaseUrl', 'databasePool'] as const;
/** The variables that lead to Temporal. */
export const temporalKeys = [
  'temporalAddress',
  'temporalNamespace',
  'temporalTls',
  'temporalCa',
  'temporalCertificate',
  'temporalKey',
  'temporalServerName',
  'temporalApiKey',
  'taskQueue',
] as const;

const operatorKeys = ['alertWebhook', 'alertWebhookSecret', 'aliveSeconds', 'metricsHost', 'metricsPort'] as const;

/** The variables of each process. */
export const configKeys = {
  api: [
    ...databaseKeys,
    ...temporalKeys,
    'masterKey',
    'apiHost',
    'apiPort',
    'publicUrl',
    'outsideIssuers',
    'maxOpenPayments',
    'rateLimit',
    'rateBurst',
    'ipRateLimit',
    'ipRateBurst',
    'eventStreams',
    'ipEventStreams',
    'trustedProxies',
    'webhookHosts',
    ...operatorKeys,
    'silenceSeconds',
    ...(Object.keys(retentions) as (keyof typeof retentions)[]),
  ],
  worker: [
    ...databaseKeys,
    ...temporalKeys,
    'keystore',
    'keystorePassphrase',
    'workerChainSlots',
    'workerActivities',
    'workerCachedWorkflows',
    'workflowBundle',
    'masterKey',
    'webhookHosts',
    ...operatorKeys,
    'lowFunds',
    'offerWindow',
  ],
} as const satisfies Record<string, readonly ConfigKey[]>;

/** Configuration of the api process. */
export type ApiConfig = Config<(typeof configKeys.api)[number]>;
/** Reads the configuration of the api process. */
export const loadApiConfig = (env: Environment): ApiConfig => loadConfig(env, configKeys.api);

/** Configuration of the worker process. */
export type WorkerConfig = Config<(typeof configKeys.worker)[number]>;
/** Reads the configuration of the worker process. */
export const loadWorkerConfig = (env: Environment): WorkerConfig => loadConfig(env, configKeys.worker);

/** A process's environment variables: their names, and whether each is required or secret. */
export const describeConfig = (process: keyof typeof configKeys) =>
  configKeys[process].map((key) => {
    const entry: Variable<unknown> = variables[key];
    return { name: entry.name, required: entry.fallback === undefined, secret: entry.secret };
  });
