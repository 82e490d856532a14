import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Knex } from 'knex';
import { createAccessTokens } from '../../../api/auth/access-tokens.ts';
import { createWidgetTokens } from '../../../api/auth/widget-tokens.ts';
import { checkNotifications } from '../../../api/widget/notification-check.ts';
import { createPages } from '../../../api/widget/pages.ts';
import { createNotifications } from '../../../db/outbox/notifications.ts';
import { PAGES } from '../../../db/outbox/pages.ts';
import { createApp } from '../../../api/app.ts';
import { listenHttp } from '../../../api/http/http-server.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { createKeyRing, type KeyRing } from '../../../api/auth/key-ring.ts';
import { readOutsideIssuers } from '../../../api/auth/outside-issuers.ts';
import type { OperationId } from '../../../api/request/specification.ts';
import { createEncryption, type Encryption } from '../../../runtime/encryption.ts';
import type { AppliedCatalogue } from '../../../db/catalogue/application.ts';
import { applyCatalogue } from '../../../db/catalogue/apply.ts';
import { connect } from '../../../db/connection.ts';
import { makeCredentials, storedCredentials, type Credentials } from '../../../api/auth/credentials.ts';
import { insertIntegration } from '../../../db/integrations/integrations.ts';
import { permissions as allPermissions, type Permission } from '../../../domain/access.ts';
import { planCut } from '../../../chain/pure/cut-plan.ts';
import { release } from '../../../chain/pure/releases.ts';
import type { Inspect } from '../../../domain/version-check.ts';
import type { StreamLimits } from '../../../api/limits/streams.ts';
import type { RateLimits } from '../../../api/limits/rate-limit.ts';
import type { WebhookHosts } from '../../../domain/webhook.ts';
import { createTestDatabase } from '../../support/database.ts';
import { assertDocumented } from '../../support/once/documented.ts';
import { specification, validate } from '../../support/once/specification.ts';

/** That of the chain Main. */
export const platform = { firstRoot: `0x${'aa'.repeat(20)}`, id: `0x${'01'.repeat(32)}`, approvalDelay: 0n };
export const publicUrl = 'https://pay.test';
export const payee = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
/** How a payment is made off the chain. */
export const bankTransfer = { payment_method: 'bank_transfer', payment_address: 'DE00 1234 5678' };
export const tokenAddress = `0x${'0c'.repeat(20)}`;

const network = (name: string, chain: string, eip155: number, key: string) => ({
  name,
  chain,
  eip155,
  rpc_urls: ['http://user:rpc-secret@127.0.0.1:1'],
  confirmations: 3,
  finality: 64,
  block_time_ms: 1000,
  explorer_url: null,
  max_fee_per_gas_gwei: 100,
  operators: [`0x${key.repeat(20)}`],
  upgrader: `0x${'ff'.repeat(20)}`,
  guardian: `0x${'ee'.repeat(20)}`,
});

/** Two merchants below one root, one of them with a branch; two networks of one chain and one of another. */
const catalogue = {
  nodes: [{ name: 'root', children: [{ name: 'shop', children: [{ name: 'branch' }] }, { name: 'rival' }] }],
  chains: [
    { name: 'Main', first_root: platform.firstRoot, platform_id: platform.id, approval_delay: 0 },
    { name: 'Side', first_root: platform.firstRoot, platform_id: `0x${'02'.repeat(32)}` },
  ],
  networks: [network('A', 'Main', 31_337, '0a'), network('B', 'Main', 31_338, '0b'), network('S', 'Side', 99, '0d')],
  currencies: [
    {
      symbol: 'USD',
      name: 'Dollar',
      decimals: 2,
      tokens: [
        { network: 'A', address: tokenAddress, decimals: 6 },
        { network: 'B', address: tokenAddress, decimals: 6 },
      ],
    },
    { symbol: 'BIG', name: 'Big', decimals: 18, tokens: [{ network: 'A', address: `0x${'0e'.repeat(20)}` }] },
    { symbol: 'ETH', name: 'Ether', decimals: 18, tokens: [{ network: 'A' }, { network: 'S' }] },
  ],
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Answers over HTTP have no type; the response validator has checked them.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  /** A bearer token. */
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
}

export interface Actor {
  readonly id: string;
  readonly nodeId: string;
  readonly token: string;
  readonly credentials: Credentials;
}

export interface ApiUnderTest {
  readonly url: string;
  readonly knex: Knex;
  readonly ids: AppliedCatalogue;
  readonly keyRing: KeyRing;
  readonly encryption: Encryption;
  /** Groups that were dispatched; null for a dispatch without a group. */
  readonly dispatches: (string | null)[];
  /** Lines of the log. */
  readonly lines: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A new integration of a node of the catalogue, with a token. */
  actor(node: string, permissions?: readonly Permission[]): Promise<Actor>;
  /** An active wallet of an actor's node on the chain Main. */
  wallet(actor: Actor): Promise<{ id: string; address: string; node_id: string }>;
  /** Makes the wallet's diamond active on a network, as a deployment does. */
  activate(wallet: { id: string; address: string }, network: string, status?: 'active' | 'deploying'): Promise<void>;
  /** An active wallet of an actor's node whose diamond was deployed on a network. */
  deployed(actor: Actor, network: string): Promise<{ id: string }>;
  /** A valid body for createPayment, changed as wanted; undefined removes a field. */
  paymentBody(change?: Record<string, unknown>): Record<string, unknown>;
  /** A valid body for createWebhook of this wallet, with a token, changed as wanted. */
  webhookBody(wallet: { id: string }, change?: Record<string, unknown>): Record<string, unknown>;
  stop(): Promise<void>;
}

/** Every operation of the specification. */
export const { operations } = specification;

interface ResponseEntry {
  $ref?: string;
  'x-codes'?: string[];
  content?: Record<string, { schema?: object }>;
}
interface Document {
  paths: Record<string, Record<string, { operationId: OperationId; responses: Record<string, ResponseEntry> }>>;
  components: { responses: Record<string, ResponseEntry> };
}

const document = specification.document() as unknown as Document;

const patterns = new Map(
  operations.map(({ path }) => [
    path,
    new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  ]),
);

/** An operation's answer of a status in the specification, and the keys that lead to it; null if it lacks the status. */
const responseOf = (method: string, path: string, status: number): { entry: ResponseEntry; place: string[] } | null => {
  const operation = operations.find((own) => own.method === method.toLowerCase() && patterns.get(own.path)?.test(path));
  if (operation === undefined) return null;
  const entry = document.paths[operation.path]?.[operation.method]?.responses[String(status)];
  if (entry === undefined) return null;
  const shared = entry.$ref?.split('/').at(-1);
  if (shared === undefined) {
    return { entry, place: ['paths', operation.path, operation.method, 'responses', String(status)] };
  }
  return { entry: document.components.responses[shared]!, place: ['components', 'responses', shared] };
};

/** The problem codes of an operation's status in the specification; null if it lacks the status. */
export const documentedCodes = (method: string, path: string, status: number): string[] | null => {
  const response = responseOf(method, path, status);
  return response === null ? null : (response.entry['x-codes'] ?? []);
};

/** An answer as the server sends it. */
interface SentAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string;
  readonly text: string;
}

/** The body must be as the specification says of its media type; it may have none only where the specification has none. */
const assertBody = ({ entry, place }: NonNullable<ReturnType<typeof responseOf>>, sent: SentAnswer, body: unknown) => {
  const [type = ''] = sent.header('content-type').split(';');
  const content = entry.content ?? {};
  if (sent.text === '' && Object.keys(content).length === 0) return;
  if (content[type] === undefined) throw new Error(`${place.join(' ')} has no ${type || 'empty body'}: ${sent.text}`);
  if (content[type].schema === undefined || body === null) return;
  assertDocumented(body, ...place, 'content', type, 'schema');
};

/** Every answer must be in the specification, with its headers, its codes and its body. */
const assertAnswer = (sent: SentAnswer): void => {
  const { method, path, status, text } = sent;
  const isJson = /json/.test(sent.header('content-type')) && sent.header('content-encoding') === '' && text !== '';
  const body = isJson ? (JSON.parse(text) as { code?: string; status?: unknown; request_id?: string } | null) : null;
  const code = body?.code;
  if (sent.header('x-request-id') === '') throw new Error('an answer without X-Request-Id');
  // No operation answers these, nor a target that is no path.
  const isOutside = code === 'route_not_found' || code === 'method_not_allowed' || method === 'OPTIONS';
  if (isOutside || !path.startsWith('/')) return;
  const response = responseOf(method === 'HEAD' ? 'GET' : method, path, status);
  if (response === null) throw new Error(`${method} ${path} answered ${status}, which is not documented: ${text}`);
  if (method === 'HEAD') return;
  if (status >= 400 && body?.status !== 'not_ready') {
    const codes = response.entry['x-codes'] ?? [];
    if (!codes.includes(code ?? ''))
      throw new Error(`${method} ${path} answered ${status} ${code}, not ${codes.join()}`);
    if (!body?.request_id) throw new Error('a problem without request_id');
  }
  assertBody(response, sent, body);
};

/** Notes every answer that contradicts the specification, whichever client gets it. */
const checkAnswers =
  (app: RequestListener, faults: string[]): RequestListener =>
  (request, response) => {
    const parts: Buffer[] = [];
    const keep = (part: unknown): void => {
      if (typeof part === 'string' || part instanceof Uint8Array) parts.push(Buffer.from(part));
    };
    const { write, end } = response;
    response.write = function (part: unknown, ...rest: unknown[]) {
      keep(part);
      return Reflect.apply(write, response, [part, ...rest]) as boolean;
    } as typeof write;
    response.end = function (part?: unknown, ...rest: unknown[]) {
      keep(part);
      try {
        assertAnswer({
          method: request.method ?? '',
          path: request.url?.split('?')[0] ?? '',
          status: response.statusCode,
          header: (name) => String(response.getHeader(name) ?? ''),
          text: Buffer.concat(parts).toString(),
        });
      } catch (error) {
        faults.push((error as Error).message);
      }
      return Reflect.apply(end, response, [part, ...rest]) as typeof response;
    } as typeof end;
    app(request, response);
  };

interface CatalogueNode {
  readonly name: string;
  readonly children?: readonly CatalogueNode[];
}

export interface ApiOptions {
  /** Instead of the merchants and networks above. */
  readonly catalogue?: unknown;
  /** A random one when absent. */
  readonly masterKey?: Uint8Array;
  /** Inspects diamonds; by default it finds none. */
  readonly inspect?: Inspect;
  /** Whether Temporal responds; false by default. */
  readonly temporalReachable?: boolean;
  /** Nodes other than the usual ones. */
  readonly nodes?: readonly CatalogueNode[];
  readonly maxOpenPayments?: number;
  readonly revocationDelayMs?: number;
  /** None when absent. */
  readonly rateLimits?: Partial<RateLimits>;
  readonly trustedProxies?: readonly string[];
  readonly streamLimits?: Partial<StreamLimits>;
  /** Hosts that webhooks may call. Default `loopback`. */
  readonly webhookHosts?: WebhookHosts;
  /** Path of a file of outside issuers. */
  readonly outsideIssuers?: string;
  /** Changes the URL by which the api reaches its database. */
  readonly through?: (databaseUrl: string) => string;
  /** Changes the URL at which the api listens for notifications; by default that of its database. */
  readonly listenThrough?: (databaseUrl: string) => string;
  /** Milliseconds between two checks that notifications arrive. */
  readonly checkEveryMs?: number;
}

const withoutDiamond: Inspect = ({ address }) => {
  const { contracts, cut } = planCut({ address, codeHash: null, facets: [], approved: new Set() }, release);
  return Promise.resolve({ blockNumber: 1, isThere: false, contracts, cut, checkedAt: new Date().toISOString() });
};

const started: ApiUnderTest[] = [];
const allFaults: string[][] = [];
afterAll(async () => {
  // Also when a test has failed half-way, nothing stays open.
  await Promise.all(started.map((api) => api.stop()));
  allFaults.forEach(assertFaultless);
});

const assertFaultless = ([first]: readonly string[]): void => {
  if (first !== undefined) throw new Error(first);
};

/** Starts the api on a separate database and port, and checks its answers against the specification. */
export const startApi = async (options: ApiOptions = {}): Promise<ApiUnderTest> => {
  const { url: databaseUrl } = await createTestDatabase();
  const knex = connect(options.through?.(databaseUrl) ?? databaseUrl, { pool: 10 });
  const nodes = options.nodes ?? catalogue.nodes;
  const checked = () => Promise.resolve({ genesisHash: null, problems: [] });
  const ids = await applyCatalogue(knex, options.catalogue ?? { ...catalogue, nodes }, checked);
  const masterKey = options.masterKey ?? randomBytes(32);
  const keyRing = await createKeyRing({ knex, masterKey });
  const outsideIssuers = await readOutsideIssuers({ file: options.outsideIssuers ?? '', ownIssuer: publicUrl, knex });
  const encryption = createEncryption(masterKey);
  const dispatches: (string | null)[] = [];
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const notifications = createNotifications({
    url: (options.listenThrough ?? options.through)?.(databaseUrl) ?? databaseUrl,
    channels: [PAGES, 'carat_block'],
    log,
  });
  const pages = createPages({ knex, notifications, tokens: createWidgetTokens(keyRing), publicUrl, log });
  const notificationCheck = checkNotifications({
    knex,
    notifications,
    pages,
    name: 'api',
    everyMs: options.checkEveryMs,
    log,
  });
  const app = createApp({
    specification,
    validate,
    knex,
    keyRing,
    encryption,
    dispatch: { now: (group) => void dispatches.push(group ?? null) },
    inspect: options.inspect ?? withoutDiamond,
    isTemporalReachable: () => Promise.resolve(options.temporalReachable ?? false),
    publicUrl,
    outsideIssuers,
    maxOpenPayments: options.maxOpenPayments ?? 10_000,
    rateLimits: { caller: null, address: null, ...options.rateLimits },
    streamLimits: { ofProcess: 100, ofAddress: 50, ...options.streamLimits },
    pages,
    connectionsPerNode: 5,
    trustedProxies: options.trustedProxies ?? [],
    webhookHosts: options.webhookHosts ?? 'loopback',
    revocationDelayMs: options.revocationDelayMs ?? 0,
    log,
    silenceSeconds: 30,
  });
  const faults: string[] = [];
  allFaults.push(faults);
  const server = await listenHttp(checkAnswers(app, faults), '127.0.0.1', 0);
  const url = `http://127.0.0.1:${server.port}`;
  const accessTokens = createAccessTokens({ keyRing, issuer: publicUrl });

  const call: ApiUnderTest['call'] = async (method, path, { token, json, raw, headers = {} } = {}) => {
    const body = json === undefined ? raw : JSON.stringify(json);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
    assertFaultless(faults);
    return answer;
  };

  const wallet: ApiUnderTest['wallet'] = async ({ nodeId, token }) => {
    const json = { node_id: nodeId, chain_id: ids.chains.Main, name: 'wallet' };
    const { status, body } = await call('POST', '/api/v1/wallets', { token, json });
    if (status !== 201) throw new Error(`no wallet: ${JSON.stringify(body)}`);
    return body;
  };

  const actor: ApiUnderTest['actor'] = async (node, permissions = allPermissions) => {
    const nodeId = ids.nodes[node];
    if (nodeId === undefined) throw new Error(`the catalogue has no node ${node}`);
    const credentials = makeCredentials();
    const name = randomUUID();
    const row = await insertIntegration(knex, {
      node_id: nodeId,
      name,
      permissions,
      expires_at: null,
      created_by: null,
      ...storedCredentials(credentials),
    });
    const token = await accessTokens.issue({ integrationId: row.id, nodeId, permissions });
    return { id: row.id, nodeId, token, credentials };
  };

  const api: ApiUnderTest = {
    url,
    knex,
    ids,
    keyRing,
    encryption,
    dispatches,
    lines,
    call,
    actor,
    wallet,
    activate: async (wallet, name, status = 'active') => {
      const network_id = ids.networks[name]!;
      const account = await knex('signer_accounts').where({ network_id, role: 'operator' }).first('id');
      await knex('diamonds').insert({
        wallet_id: wallet.id,
        network_id,
        address: wallet.address.toLowerCase(),
        operator_account_id: account.id,
        status,
      });
    },
    deployed: async (own, name) => {
      const { id } = await wallet(own);
      const json = { node_id: own.nodeId, network_id: ids.networks[name] };
      await call('POST', `/api/v1/wallets/${id}/deploy`, { token: own.token, json });
      const runs = await knex('deployments').where({ wallet_id: id }).update({ status: 'completed' }).returning('id');
      const run = runs.map((row) => row.id as string);
      await knex('deployment_steps').whereIn('deployment_id', run).update({ status: 'completed' });
      await knex('diamonds').where({ wallet_id: id }).update({ status: 'active' });
      return { id };
    },
    paymentBody: (change = {}) => ({
      external_id: randomUUID(),
      node_id: ids.nodes.shop,
      network_id: ids.networks.A,
      currency_id: ids.currencies.USD,
      price: 15,
      paid_price: 12.5,
      payment_method: 'web3',
      payment_group: 'product',
      payment_address: payee,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      ...change,
    }),
    webhookBody: (wallet, change = {}) => ({
      wallet_id: wallet.id,
      network_id: ids.networks.A,
      host: `https://${randomUUID()}.example`,
      success_path: '/paid',
      error_path: '/unpaid',
      auth_type: 'token',
      auth_token: 'token',
      ...change,
    }),
    stop: async () => {
      pages.stop();
      await server.stop(1_000);
      await notificationCheck.stop();
      await notifications.stop();
      await knex.destroy();
    },
  };
  started.push(api);
  return api;
};
