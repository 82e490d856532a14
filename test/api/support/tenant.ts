import { randomUUID } from 'node:crypto';
import type { Actor, ApiUnderTest } from './api-under-test.ts';

/** A node with one of everything that a node can have. */
export interface Tenant {
  readonly actor: Actor;
  /** Ids by kind: node, wallet, member, integration, payment, checkout, webhook, delivery, alert, default. */
  readonly rows: Readonly<Record<string, string>>;
  /** Texts that only this tenant's rows hold. */
  readonly facts: readonly string[];
  /** Creates over the API; answers the body. */
  post(path: string, json?: Record<string, unknown>): Promise<Record<string, string>>;
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

/** Makes a tenant of a node of the catalogue. */
export const createTenant = async (api: ApiUnderTest, node: string): Promise<Tenant> => {
  const actor = await api.actor(node);
  const { nodeId } = actor;
  const mark = `${node}-${randomUUID().slice(0, 8)}`;
  const network_id = api.ids.networks.A!;
  const post: Tenant['post'] = async (path, json) => {
    const options = json === undefined ? {} : { json };
    const { status, body, text } = await api.call('POST', `/api/v1/${path}`, { token: actor.token, ...options });
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`);
    return body;
  };

  const wallet = await post('wallets', { node_id: nodeId, chain_id: api.ids.chains.Main, name: `wallet of ${mark}` });
  const member = await post('members', {
    node_id: nodeId,
    external_id: `member of ${mark}`,
    name: `Ada of ${mark}`,
    email: `${mark}@example.com`,
  });
  const integration = await post('integrations', {
    node_id: nodeId,
    name: `integration of ${mark}`,
    permissions: ['payments.read'],
  });
  const mapping = await post('node-network-wallet-defaults', {
    node_id: nodeId,
    network_id,
    wallet_id: wallet.id,
    type: 'node',
  });
  const webhook = await post('webhooks', {
    wallet_id: wallet.id,
    network_id,
    node_id: nodeId,
    host: `https://${mark}.example`,
    success_path: `/paid/${mark}`,
    error_path: `/unpaid/${mark}`,
    auth_type: 'token',
    auth_token: `token-of-${mark}`,
  });
  const payment = await post(
    'payments',
    api.paymentBody({
      external_id: `order of ${mark}`,
      node_id: nodeId,
      wallet_id: wallet.id,
      member_id: member.id,
      items: [{ name: `item of ${mark}`, price: 1, external_id: `sku of ${mark}` }],
      metadata: `metadata of ${mark}`,
    }),
  );
  const checkout = await post('checkouts', {
    external_id: `checkout of ${mark}`,
    node_id: nodeId,
    payment_group: 'product',
    payment_address: payment.payment_address,
    options: [{ network_id, currency_id: api.ids.currencies.USD, wallet_id: wallet.id, paid_price: 12.5 }],
    member_id: member.id,
    metadata: `order of ${mark}`,
    expires_at: payment.expires_at,
  });
  const delivery = await post(`webhooks/${webhook.id}/test`);
  const alert = { kind: 'payment_after_end', node_id: nodeId, payment_id: payment.id, message: `alert of ${mark}` };
  const [{ id: alertId }] = await api
    .knex('alerts')
    .insert({ ...alert, dedupe_key: mark })
    .returning('id');
  const made = [wallet, member, integration, mapping, webhook, payment, checkout, alert];
  const shared = new Set([
    ...[api.ids.networks, api.ids.chains, api.ids.currencies].flatMap((ids) => Object.values(ids)),
    'payments.read',
    'product',
    'pending',
    'diamond_missing',
    payment.payment_address!,
    'payment_after_end',
    '15000000',
    '12500000',
    '1000000',
  ]);
  const facts = textsIn(made).filter((text) => text.length > 5 && !shared.has(text));
  return {
    actor,
    rows: {
      node: nodeId,
      wallet: wallet.id!,
      member: member.id!,
      integration: integration.id!,
      default: mapping.id!,
      webhook: webhook.id!,
      payment: payment.id!,
      checkout: checkout.id!,
      delivery: delivery.id!,
      alert: alertId,
    },
    facts: [...new Set([nodeId, ...facts])],
    post,
  };
};
