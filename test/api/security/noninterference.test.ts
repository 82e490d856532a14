import { randomUUID } from 'node:crypto';
import { permissions as allPermissions, type Permission } from '../../../domain/access.ts';
import { optionalMemberFields } from '../../../domain/member.ts';
import type { OperationId } from '../../../api/request/specification.ts';
import { operations, payee, startApi, type Answer } from '../support/api-under-test.ts';
import type { ApiRequest } from '../support/slots.ts';
import { createTenant, type Tenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';

/*
 * Two merchants differ only in what a caller may not see: in what one permission reads, or in what the node above has. The same
 * requests must get the same status, headers and text from both. So a leak that no other test looks for is found too, such as a
 * number of rows, a length, or a refusal of one of the two.
 */

/** The permissions that read something; no operation needs `reports.read`. */
type Reader = Exclude<Extract<Permission, `${string}.read`>, 'reports.read'>;
const isReader = (permission: Permission): permission is Reader =>
  permission.endsWith('.read') && permission !== 'reports.read';
const readers = allPermissions.filter(isReader);

const put = async ({ actor }: Tenant, path: string, json: object): Promise<void> => {
  const { status, text } = await api.call('PUT', `/api/v1/${path}`, { token: actor.token, json });
  if (status >= 300) throw new Error(`PUT ${path}: ${status} ${text}`);
};
const addAlert = (row: object) => api.knex('alerts').insert({ message: 'else', dedupe_key: randomUUID(), ...row });
const addIntegration = ({ rows, post }: Tenant) =>
  post('integrations', { node_id: rows.node, name: randomUUID(), permissions: ['members.read', 'wallets.read'] });
const externalId = async (table: string, id: string): Promise<string> =>
  (await api.knex(table).where({ id }).first('external_id')).external_id;

const otherMember = {
  ...Object.fromEntries(optionalMemberFields.map((field) => [field, `other ${field}`])),
  name: 'Zed',
  email: 'zed@example.org',
  country: 'zz',
  locale: 'zz',
  // It nearly is too large: as JSON each character has six.
  address: '\u0001'.repeat(4_000),
};

/** Changes what the permission reads of the other merchant. */
const changes: Record<Reader, (other: Tenant, first: Tenant) => Promise<void>> = {
  'members.read': async (other, first) => {
    await put(other, `members/${other.rows.member}`, otherMember);
    // The audit log says of both that the member has changed.
    await put(first, `members/${first.rows.member}`, { name: 'Al' });
  },
  'wallets.read': (other) => put(other, `wallets/${other.rows.wallet}`, { name: 'a much longer name than usual' }),
  'webhooks.read': (other) =>
    put(other, 'webhooks', {
      id: other.rows.webhook,
      host: 'https://another-host.example',
      success_path: '/other-paid',
      error_path: '/other-unpaid',
      auth_token: 'other',
      events: ['payment.created'],
    }),
  'integrations.read': async (other) => {
    for (let added = 0; added < 3; added += 1) await addIntegration(other);
  },
  'payments.read': async ({ rows, post }) => {
    const terms = { price: 777, paid_price: 777, metadata: 'another' };
    for (let added = 0; added < 3; added += 1)
      await post('payments', api.paymentBody({ node_id: rows.node, wallet_id: rows.wallet, ...terms }));
  },
  'defaults.read': async ({ rows, post }) => {
    const key = { node_id: rows.node, network_id: api.ids.networks.A, type: 'apex' };
    await post('node-network-wallet-defaults', { ...key, wallet_id: rows.wallet });
  },
  'alerts.read': async ({ rows }) => {
    await addAlert({ kind: 'payment_reversed', node_id: rows.node, payment_id: rows.payment });
  },
  'audit.read': (other) => put(other, `wallets/${other.rows.wallet}`, { is_active: true }),
};

/** Changes what the node above the other merchant has. */
const changesAbove: Record<string, (above: Tenant, other: Tenant) => Promise<void>> = {
  wallets: async (above) => {
    await put(above, `wallets/${above.rows.wallet}`, { name: 'another wallet', is_active: true });
    await above.post('wallets', { node_id: above.rows.node, chain_id: api.ids.chains.Main, name: 'more' });
  },
  members: async ({ rows, post }, other) => {
    const external_id = await externalId('members', other.rows.member!);
    await post('members', { node_id: rows.node, external_id, name: 'same external id above' });
  },
  payments: async ({ rows, post }, other) => {
    const external_id = await externalId('payments', other.rows.payment!);
    await post('payments', api.paymentBody({ external_id, node_id: rows.node, wallet_id: rows.wallet }));
  },
  webhooks: async ({ rows, post }) => {
    await post('webhooks', api.webhookBody({ id: rows.wallet! }));
  },
  integrations: async (above) => {
    await addIntegration(above);
  },
  alerts: async ({ rows }) => {
    await addAlert({ kind: 'payment_after_end', node_id: rows.node, payment_id: rows.payment });
    await addAlert({ kind: 'deployment_failed', node_id: rows.node, is_condition: true });
  },
  payouts: async (above) => {
    const path = `nodes/${above.rows.node}/payouts/${api.ids.chains.Main}`;
    await put(above, path, { payout_address: payee, payout_locked: false });
  },
};

// Names of two merchants of a test have equal lengths, because lengths are compared.
const sides = ['first', 'other'] as const;
const nodeOf = (side: (typeof sides)[number], change: string): string => `${side}-${change}`;
const below = (node: string): string => `below-${node}`;
const nodesOf = (change: string) => sides.map((side) => nodeOf(side, change));
const nodes = [
  ...readers.flatMap(nodesOf).map((name) => ({ name })),
  ...Object.keys(changesAbove)
    .flatMap(nodesOf)
    .map((name) => ({ name, children: [{ name: below(name) }] })),
];
const api = await startApi({ nodes: [{ name: 'root', children: nodes }] });
afterAll(() => api.stop());

interface Merchant {
  readonly node: string;
  readonly tenant: Tenant;
}
const createMerchant = async (node: string): Promise<Merchant> => ({ node, tenant: await createTenant(api, node) });

type MakeRequest = (tenant: Tenant) => Promise<ApiRequest> | ApiRequest;
interface Case {
  readonly id: OperationId;
  readonly title: string;
  readonly make: MakeRequest;
  readonly headers?: Record<string, string>;
}

/** Requests about what the merchants differ in, where the usual ones are about others. */
const requests: Partial<Record<OperationId, MakeRequest>> = {
  createIntegration: ({ rows }) => ({ body: { node_id: rows.node, name: randomUUID(), permissions: [] } }),
  updateWallet: ({ rows }) => ({ path: { id: rows.wallet! }, body: { is_active: true } }),
  updateMember: ({ rows }) => ({ path: { id: rows.member! }, body: { district: 'elsewhere' } }),
  cancelPayment: ({ rows }) => ({ path: { id: rows.payment! }, body: {} }),
  cancelCheckout: ({ rows }) => ({ path: { id: rows.checkout! } }),
  listWebhooks: () => ({ query: { per_page: '100' } }),
  rotateWebhookSecret: ({ rows }) => ({ path: { id: rows.webhook! } }),
  testWebhook: ({ rows }) => ({ path: { id: rows.webhook! }, body: { type: 'payment.completed' } }),
  replayDeliveries: ({ rows }) => ({
    path: { id: rows.webhook! },
    body: { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', include_delivered: true },
  }),
  listAlerts: () => ({ query: { per_page: '100' } }),
  // Every reader of the log sees that there was a change; of the merchants' members there was one each.
  listAuditLog: ({ rows }) => ({ query: { node_id: rows.node!, action: 'member.updated', per_page: '100' } }),
};
const ofOperations = operations
  .filter(({ access, id }) => access === 'integration' && id !== 'getStatus')
  .map(({ id }): Case => ({ id, title: id, make: requests[id] ?? ((tenant) => validRequests[id]!(api, tenant)) }));

const payment = ({ rows }: Tenant, more: object): ApiRequest => ({
  body: api.paymentBody({ node_id: rows.node, wallet_id: rows.wallet, ...more }),
});
const knownMember = async ({ rows }: Tenant) => ({ external_id: await externalId('members', rows.member!), name: 'x' });
const long = (length: number): string => '\u0001'.repeat(length);

/** Requests that are refused, or answered in another form. */
const furtherCases: readonly Case[] = [
  {
    id: 'createPayment',
    title: 'a payment of a known member',
    make: async (tenant) => payment(tenant, { member: await knownMember(tenant) }),
  },
  {
    id: 'createPayment',
    title: 'a payment of a known member, with too much of it',
    make: async (tenant) => {
      const tooMuch = { address: long(4_096), city: long(255), district: long(255), surname: long(255) };
      return payment(tenant, { member: { ...(await knownMember(tenant)), ...tooMuch } });
    },
  },
  {
    id: 'createPayment',
    title: 'the largest payment',
    make: (tenant) =>
      payment(tenant, {
        member_id: tenant.rows.member,
        metadata: 'm'.repeat(8_192),
        items: Array.from({ length: 100 }, () => ({ name: 'n'.repeat(150), price: 1 })),
      }),
  },
  {
    id: 'createCheckout',
    title: 'an order of a known member',
    make: async (tenant) => {
      const { body } = await validRequests.createCheckout!(api, tenant);
      return { body: { ...body, member_id: undefined, member: await knownMember(tenant) } };
    },
  },
  {
    id: 'createMember',
    title: 'a member that exists',
    make: async (tenant) => ({ body: { node_id: tenant.rows.node, ...(await knownMember(tenant)) } }),
  },
  {
    id: 'createDefault',
    title: 'a default that exists',
    make: ({ rows }) => ({
      body: { node_id: rows.node, network_id: api.ids.networks.A, wallet_id: rows.wallet, type: 'node' },
    }),
  },
  {
    id: 'updateWallet',
    title: 'another address of the wallet',
    make: ({ rows }) => ({ path: { id: rows.wallet! }, body: { address: payee } }),
  },
  {
    id: 'updateMember',
    title: 'another external_id of the member',
    make: ({ rows }) => ({ path: { id: rows.member! }, body: { external_id: 'another' } }),
  },
  {
    id: 'listPayments',
    title: 'a page of payments',
    make: ({ rows }) => ({ query: { node_id: rows.node!, member_id: rows.member!, per_page: '1' } }),
  },
  {
    id: 'listPayments',
    title: 'a file of payments',
    headers: { accept: 'text/csv' },
    make: ({ rows }) => ({ query: { node_id: rows.node! } }),
  },
];
const cases = [...ofOperations, ...furtherCases];
const wholeLog: Case = {
  id: 'listAuditLog',
  title: 'the whole audit log',
  make: ({ rows }) => ({ query: { node_id: rows.node!, include_descendants: 'true', per_page: '100' } }),
};

const operationOf = (id: OperationId) => operations.find((operation) => operation.id === id)!;

const tokens = new Map<string, Promise<string>>();
/** Keeps one token for each set of permissions, because a node has at most 100 integrations. */
const tokenOf = (node: string, held: readonly Permission[]): Promise<string> => {
  const key = [node, ...held].join();
  const token = tokens.get(key) ?? api.actor(node, held).then((actor) => actor.token);
  tokens.set(key, token);
  return token;
};

const send = async (
  { id, make, headers }: Case,
  { node, tenant }: Merchant,
  held: readonly Permission[],
): Promise<Answer> => {
  const { method, path, consumes } = operationOf(id);
  const request = await make(tenant);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? id);
  const query = request.query === undefined ? '' : `?${new URLSearchParams(request.query).toString()}`;
  const json = request.body ?? (consumes.length > 0 ? {} : undefined);
  return api.call(method.toUpperCase(), `${filled}${query}`, {
    token: await tokenOf(node, held),
    headers,
    ...(json === undefined ? {} : { json }),
  });
};

/** The text without names, ids, times and secrets, which no two merchants share. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(/(below-)?(first|other)-[a-z]+(\.read)?(-[0-9a-f]{8})?/g, 'NODE')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/0x[0-9a-f]{40,}/gi, 'HEX')
    .replaceAll(/\b(wt|ct|ck|cs|whsec)_[\w/+=-]+/g, 'SECRET')
    .replaceAll(/\b\d{11,16}\b/g, 'DEAL')
    .replaceAll(/"next_cursor":"[^"]+"/g, '"next_cursor":"CURSOR"');

/** What both merchants must see of an answer. */
const comparable = ({ status, headers, text }: Answer): string => {
  // The text is compared, and ids of deals have different lengths.
  const ignored = ['date', 'connection', 'keep-alive', 'x-request-id', 'content-length'];
  const lines = [...headers].filter(([name]) => !ignored.includes(name)).map((header) => header.join(': '));
  return withoutIds([status, ...lines, text].join('\n'));
};

/** Both texts from shortly before they begin to differ. */
const firstDifference = (texts: readonly string[]): string[] => {
  const [one = '', ...others] = texts;
  let place = 0;
  while (place < one.length && others.every((other) => other[place] === one[place])) place += 1;
  return texts.map((text) => text.slice(Math.max(0, place - 80), place + 160));
};

/** The cases in which the merchants get different answers. */
const differences = async (
  merchants: readonly Merchant[],
  chosen: readonly Case[],
  heldIn: (one: Case) => readonly (readonly Permission[])[],
): Promise<string[][]> => {
  const found: string[][] = [];
  for (const one of chosen)
    for (const held of heldIn(one)) {
      const answers = await Promise.all(merchants.map((merchant) => send(one, merchant, held)));
      const refused = answers.find(({ status }) => status >= 300);
      if (ofOperations.includes(one) && refused !== undefined) throw new Error(`${one.title}: ${refused.text}`);
      const texts = answers.map(comparable);
      if (new Set(texts).size > 1) found.push([one.title, `${held.length} permissions`, ...firstDifference(texts)]);
    }
  return found;
};

it.each(readers)('merchants who differ only in what %s reads look alike to whoever lacks it', async (lacked) => {
  const first = await createMerchant(nodeOf('first', lacked));
  const other = await createMerchant(nodeOf('other', lacked));
  await changes[lacked](other.tenant, first.tenant);
  // A new secret comes with the webhook that it is for.
  const shown = lacked === 'webhooks.read' ? ['rotateWebhookSecret'] : [];
  const chosen = cases.filter(({ id }) => !operationOf(id).permissions.includes(lacked) && !shown.includes(id));
  const allOthers = allPermissions.filter((permission) => permission !== lacked);
  expect(await differences([first, other], chosen, ({ id }) => [allOthers, operationOf(id).permissions])).toEqual([]);
});

it.each(Object.keys(changesAbove))(
  'merchants look alike though the nodes above them differ in their %s',
  async (change) => {
    const merchants: Merchant[] = [];
    for (const side of sides) {
      const above = await createTenant(api, nodeOf(side, change));
      const merchant = await createMerchant(below(nodeOf(side, change)));
      if (side === 'other') await changesAbove[change]!(above, merchant.tenant);
      merchants.push(merchant);
    }
    expect(await differences(merchants, [...cases, wholeLog], () => [allPermissions])).toEqual([]);
  },
);
