import { createHash, randomUUID } from 'node:crypto';
import type { OperationId } from '../../../api/request/specification.ts';
import { png } from '../../support/png.ts';
import { bankTransfer, payee, type ApiUnderTest } from './api-under-test.ts';
import type { ApiRequest } from './slots.ts';
import type { Tenant } from './tenant.ts';

/**
 * Makes a request of the tenant's that will be accepted, with a value in each place for an id; where two exclude each
 * other, in the one at `pointer`.
 */
type MakeRequest = (api: ApiUnderTest, tenant: Tenant, pointer?: string) => Promise<ApiRequest> | ApiRequest;

const withId = (name: string, id: string): Record<string, string> => ({ [name]: id });

const freshWallet = async (api: ApiUnderTest, tenant: Tenant): Promise<string> => {
  const json = { node_id: tenant.rows.node, chain_id: api.ids.chains.Main, name: 'fresh' };
  return (await tenant.post('wallets', json)).id!;
};

const freshMember = async (tenant: Tenant): Promise<string> =>
  (await tenant.post('members', { node_id: tenant.rows.node, external_id: randomUUID(), name: 'fresh' })).id!;

const freshIntegration = async (tenant: Tenant): Promise<string> =>
  (await tenant.post('integrations', { node_id: tenant.rows.node, name: randomUUID(), permissions: [] })).id!;

/** Takes away older fresh webhooks: a node has 16 of a wallet on a network at most. */
const makeRoom = async (api: ApiUnderTest, { rows, actor }: Tenant): Promise<void> => {
  const own = { wallet_id: rows.wallet, node_id: rows.node, deleted_at: null };
  const query = api.knex('webhook_configurations').where(own).whereNot({ id: rows.webhook }).orderBy('id', 'desc');
  for (const id of await query.offset(8).pluck('id')) {
    await api.call('DELETE', '/api/v1/webhooks', { token: actor.token, json: { id } });
  }
};

const webhookBody = (api: ApiUnderTest, tenant: Tenant) => ({
  wallet_id: tenant.rows.wallet,
  network_id: api.ids.networks.A,
  node_id: tenant.rows.node,
  host: `https://${randomUUID()}.example`,
  success_path: '/paid',
  error_path: '/unpaid',
  auth_type: 'basic',
  auth_basic_username: 'user',
  auth_basic_password: 'password',
});

const freshWebhook = async (api: ApiUnderTest, tenant: Tenant): Promise<string> => {
  await makeRoom(api, tenant);
  return (await tenant.post('webhooks', webhookBody(api, tenant))).id!;
};

/** A pending web3 payment. */
const freshPayment = async (api: ApiUnderTest, { rows, post }: Tenant): Promise<string> =>
  (await post('payments', api.paymentBody({ node_id: rows.node, wallet_id: rows.wallet }))).id!;

/** A key that has no mapping yet. */
const freeDefault = async (api: ApiUnderTest, { rows }: Tenant) => {
  const key = { node_id: rows.node, network_id: api.ids.networks.B, type: 'apex' };
  await api.knex('node_network_wallet_defaults').where(key).delete();
  return key;
};

/** A mapping that may go, with its wallet. */
const freshDefault = async (api: ApiUnderTest, tenant: Tenant) => {
  const key = await freeDefault(api, tenant);
  const mapping = { ...key, wallet_id: tenant.rows.wallet };
  await tenant.post('node-network-wallet-defaults', mapping);
  return { key, mapping };
};

const ofNode: MakeRequest = (_, { rows }) => ({ query: { node_id: rows.node!, include_descendants: 'true' } });
const named =
  (kind: string): MakeRequest =>
  (_, { rows }) => ({ path: { id: rows[kind]! } });
const aDelivery: MakeRequest = (_, { rows }) => ({ path: { id: rows.webhook!, delivery_id: rows.delivery! } });
const catalogue: MakeRequest = () => ({ query: { per_page: '100' } });

/** One for every operation of an integration; an operation without one has to be added here. */
export const validRequests: Readonly<Partial<Record<OperationId, MakeRequest>>> = {
  createIntegration: (_, { rows }) => ({
    body: { node_id: rows.node, name: randomUUID(), permissions: ['payments.read'], expires_at: null },
  }),
  listIntegrations: ofNode,
  getIntegration: named('integration'),
  rotateIntegration: async (_, tenant) => ({
    path: { id: await freshIntegration(tenant) },
    body: { overlap_seconds: 60 },
  }),
  revokeIntegration: async (_, tenant) => ({ path: { id: await freshIntegration(tenant) } }),

  createWallet: (api, { rows }) => ({ body: { node_id: rows.node, chain_id: api.ids.chains.Main, name: 'wallet' } }),
  listWallets: ofNode,
  getWallet: named('wallet'),
  updateWallet: async (api, tenant) => ({
    path: { id: await freshWallet(api, tenant) },
    body: { name: 'renamed', is_active: false, deal_modes: [{ network_id: api.ids.networks.A, mode: 'created' }] },
  }),
  deleteWallet: async (api, tenant) => ({ path: { id: await freshWallet(api, tenant) } }),
  deployWallet: async (api, tenant) => ({
    path: { id: await freshWallet(api, tenant) },
    body: { node_id: tenant.rows.node, network_id: api.ids.networks.A },
  }),
  checkVersion: (api, { rows }) => ({
    path: { id: rows.wallet! },
    query: { node_id: rows.node!, network_id: api.ids.networks.A! },
  }),
  listDeployments: (api, { rows }) => ({ path: { id: rows.wallet! }, query: { network_id: api.ids.networks.A! } }),
  updateDiamond: async (api, tenant) => {
    const id = await freshWallet(api, tenant);
    const { address } = await api.knex('wallets').where({ id }).first('address');
    await api.activate({ id, address }, 'A');
    return {
      path: { id },
      query: { dry_run: 'true' },
      body: { node_id: tenant.rows.node, network_id: api.ids.networks.A },
    };
  },

  getPayout: (api, { rows }) => ({ path: { node_id: rows.node!, chain_id: api.ids.chains.Main! } }),
  setPayout: (api, { rows }) => ({
    path: { node_id: rows.node!, chain_id: api.ids.chains.Main! },
    // Without a lock, so that other payments of the tenant go on.
    body: { payout_address: payee, payout_locked: false },
  }),

  getBranding: (_, { rows }) => ({ path: { node_id: rows.node! } }),
  setBranding: (_, { rows }) => ({ path: { node_id: rows.node! }, body: { display_name: 'Blue Shirts' } }),
  getLogo: async (api, { rows, actor }) => {
    const logo = png();
    const json = { logo: logo.toString('base64') };
    await api.call('PUT', `/api/v1/nodes/${rows.node}/branding`, { token: actor.token, json });
    return { path: { sha256: createHash('sha256').update(logo).digest('hex') } };
  },

  createDefault: async (api, tenant) => ({
    body: { ...(await freeDefault(api, tenant)), wallet_id: tenant.rows.wallet },
  }),
  listDefaults: (api, { rows }) => ({
    query: { node_id: rows.node!, network_id: api.ids.networks.A!, type: 'node', include_descendants: 'true' },
  }),
  replaceDefault: async (api, tenant) => ({
    body: { ...(await freshDefault(api, tenant)).mapping, wallet_id: await freshWallet(api, tenant) },
  }),
  deleteDefault: async (api, tenant) => ({ body: (await freshDefault(api, tenant)).key }),

  createMember: (_, { rows }) => ({ body: { node_id: rows.node, external_id: randomUUID(), name: 'Ada' } }),
  listMembers: ofNode,
  getMember: named('member'),
  updateMember: async (_, tenant) => ({
    path: { id: await freshMember(tenant) },
    body: { node_id: tenant.rows.node, name: 'Eve', email: 'eve@example.com' },
  }),
  deleteMember: async (_, tenant) => ({ path: { id: await freshMember(tenant) } }),

  createPayment: (api, { rows }, pointer) => ({
    body: api.paymentBody({
      external_id: randomUUID(),
      node_id: rows.node,
      chain_id: api.ids.chains.Main,
      wallet_id: rows.wallet,
      ...(pointer?.startsWith('/body/member/')
        ? { member: { external_id: randomUUID(), name: 'new', node_id: rows.node } }
        : { member_id: rows.member }),
      items: [{ name: 'item', price: 1, external_id: 'sku' }],
      payment_address: payee,
    }),
  }),
  listPayments: (api, { rows }) => ({
    query: {
      node_id: rows.node!,
      wallet_id: rows.wallet!,
      network_id: api.ids.networks.A!,
      member_id: rows.member!,
      include_descendants: 'true',
    },
  }),
  getPayment: named('payment'),
  listPaymentLogs: named('payment'),
  settlePayment: async (api, tenant) => {
    const transfer = api.paymentBody({
      node_id: tenant.rows.node,
      ...bankTransfer,
    });
    const { id } = await tenant.post('payments', transfer);
    return { path: { id: id! }, body: { outcome: 'completed', reference: 'transfer-1' } };
  },

  cancelPayment: async (api, tenant) => ({
    path: { id: await freshPayment(api, tenant) },
    body: { on_chain: false },
  }),
  retrySendPayment: async (api, tenant) => ({ path: { id: await freshPayment(api, tenant) } }),

  createCheckout: (api, { rows }, pointer) => ({
    body: {
      external_id: randomUUID(),
      node_id: rows.node,
      payment_group: 'product',
      payment_address: payee,
      options: [
        { network_id: api.ids.networks.A, currency_id: api.ids.currencies.USD, wallet_id: rows.wallet, paid_price: 1 },
      ],
      ...(pointer?.startsWith('/body/member/')
        ? { member: { external_id: randomUUID(), name: 'new', node_id: rows.node } }
        : { member_id: rows.member }),
      items: [{ name: 'item', price: 1, external_id: 'sku' }],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  }),
  listCheckouts: (_, { rows }) => ({ query: { node_id: rows.node!, include_descendants: 'true' } }),
  getCheckout: named('checkout'),
  cancelCheckout: async (api, tenant) => {
    const { body } = (await validRequests.createCheckout!(api, tenant)) as { body: Record<string, unknown> };
    const { id } = await tenant.post('checkouts', body);
    return { path: { id: id! } };
  },

  createWebhook: async (api, tenant) => {
    await makeRoom(api, tenant);
    return { body: webhookBody(api, tenant) };
  },
  listWebhooks: (_, { rows }) => ({ query: { wallet_id: rows.wallet! } }),
  updateWebhook: async (api, tenant) => ({
    body: {
      id: await freshWebhook(api, tenant),
      // Its present value.
      node_id: tenant.rows.node,
      wallet_id: tenant.rows.wallet,
      network_id: api.ids.networks.A,
      success_path: '/other',
    },
  }),
  deleteWebhook: async (api, tenant) => ({ body: { id: await freshWebhook(api, tenant) } }),

  rotateWebhookSecret: async (api, tenant) => ({ path: { id: await freshWebhook(api, tenant) } }),
  listDeliveries: (_, { rows }, pointer) => ({
    path: { id: rows.webhook! },
    query:
      pointer === '/query/checkout_id' ? withId('checkout_id', rows.checkout!) : withId('payment_id', rows.payment!),
  }),
  getDelivery: aDelivery,
  redeliver: async (api, tenant) => {
    const id = await freshWebhook(api, tenant);
    const [event] = await api.knex('webhook_events').insert({ type: 'webhook.test', snapshot: '{}' }).returning('id');
    const delivery = { webhook_id: id, event_id: event.id };
    const [{ id: delivery_id }] = await api.knex('webhook_deliveries').insert(delivery).returning('id');
    return { path: { id, delivery_id } };
  },
  replayDeliveries: (_, { rows }) => ({
    path: { id: rows.webhook! },
    body: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', include_delivered: true },
  }),
  testWebhook: async (api, tenant) => ({
    path: { id: await freshWebhook(api, tenant) },
    body: { type: 'payment.completed' },
  }),

  listAlerts: () => ({ query: { state: 'open', kind: 'payment_after_end' } }),
  closeAlert: async (api, { rows }) => {
    const alert = { kind: 'payment_after_end', node_id: rows.node, message: 'fresh', dedupe_key: randomUUID() };
    const [{ id }] = await api.knex('alerts').insert(alert).returning('id');
    return { path: { id } };
  },

  listAuditLog: (_, { rows, actor }) => ({
    query: { node_id: rows.node!, resource_id: rows.wallet!, actor_id: actor.id, include_descendants: 'true' },
  }),
  listNodes: catalogue,
  listChains: catalogue,
  listNetworks: catalogue,
  listCurrencies: catalogue,
  getStatus: () => ({}),
};
