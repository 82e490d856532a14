import { randomUUID } from 'node:crypto';
import type { OperationId } from '../../../api/request/specification.ts';
import { auditActions, type AuditAction } from '../../../domain/audit.ts';
import { transition } from '../../../db/payments/transition.ts';
import { eventually } from '../../support/eventually.ts';
import { bankTransfer, payee, startApi, type Actor, type Answer } from '../support/api-under-test.ts';
import { openApi, specification } from '../../support/once/specification.ts';

const api = await startApi();
const root = await api.actor('root');
const shop = await api.actor('shop');
const branch = await api.actor('branch');
const rival = await api.actor('rival');

/** Values that were sent or answered and must not be kept in the clear. */
const secrets: string[] = [];

interface Sent extends Answer {
  readonly requestId: string;
}

const send = async (
  method: string,
  path: string,
  json?: unknown,
  by: Actor = shop,
  headers: Record<string, string> = {},
): Promise<Sent> => {
  const requestId = randomUUID();
  const answer = await api.call(method, path, {
    token: by.token,
    headers: { ...headers, 'x-request-id': requestId },
    ...(json === undefined ? {} : { json }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  for (const name of ['secret', 'signing_secret', 'access_token']) {
    if (typeof answer.body?.[name] === 'string') secrets.push(answer.body[name]);
  }
  return { ...answer, requestId };
};
const read = async (path: string): Promise<Record<string, unknown>> =>
  (await api.call('GET', path, { token: shop.token })).body;
const itemOf = async (path: string, id: string): Promise<Record<string, unknown>> => {
  const { items } = (await read(path)) as unknown as { items: { id: string }[] };
  return items.find((item) => item.id === id)!;
};
const without = (resource: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !names.includes(name)));

/** One act, and the entry that it must leave. */
interface Done {
  readonly sent: Sent;
  readonly resourceId: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

interface Deed {
  readonly operation: OperationId;
  readonly run: () => Promise<Done>;
}

const created = (sent: Sent, ...hidden: string[]): Done => ({
  sent,
  resourceId: sent.body.id,
  before: null,
  after: without(sent.body, ...hidden),
});

const newIntegration = () =>
  send('POST', '/api/v1/integrations', { node_id: shop.nodeId, name: randomUUID(), permissions: ['payments.read'] });
const newWallet = () =>
  send('POST', '/api/v1/wallets', { node_id: shop.nodeId, chain_id: api.ids.chains.Main, name: 'till' });
const newMember = () =>
  send('POST', '/api/v1/members', { node_id: shop.nodeId, external_id: randomUUID(), name: 'Ada' });
const newWebhook = async () => {
  const wallet = (await newWallet()).body;
  const password = `password-${randomUUID()}`;
  secrets.push(password);
  return send('POST', '/api/v1/webhooks', {
    wallet_id: wallet.id,
    network_id: api.ids.networks.A,
    host: 'https://shop.example',
    success_path: '/paid',
    error_path: '/unpaid',
    auth_type: 'basic',
    auth_basic_username: 'carat',
    auth_basic_password: password,
  });
};
const defaultKey = { node_id: shop.nodeId, network_id: api.ids.networks.A };
const defaultOf = async (type: string) => {
  const { items } = (await read(
    `/api/v1/node-network-wallet-defaults?node_id=${shop.nodeId}&type=${type}`,
  )) as unknown as { items: Record<string, unknown>[] };
  return items[0] ?? null;
};
const newDefault = async (type: string) =>
  send('POST', '/api/v1/node-network-wallet-defaults', {
    ...defaultKey,
    wallet_id: (await newWallet()).body.id,
    type,
  });
const newPayment = () =>
  send('POST', '/api/v1/payments', api.paymentBody({ ...bankTransfer, client_ip: '203.0.113.77' }));
const auditedPayment = (payment: Record<string, unknown>) => ({
  ...without(payment, 'access_token', 'client_ip', 'member'),
  checkout_url: null,
});

const newCheckout = async () => {
  const wallet = await api.wallet(shop);
  const [network_id, currency_id] = [api.ids.networks.A, api.ids.currencies.USD];
  return send('POST', '/api/v1/checkouts', {
    external_id: randomUUID(),
    node_id: shop.nodeId,
    payment_group: 'product',
    payment_address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    options: [{ network_id, currency_id, wallet_id: wallet.id, paid_price: 1 }],
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
};
const auditedCheckout = (order: Record<string, unknown>) =>
  without(order, 'access_token', 'checkout_url', 'member', 'payment');

/** Each action once, by the operation that does it. */
const deeds: Partial<Record<AuditAction, Deed>> = {
  'integration.created': {
    operation: 'createIntegration',
    run: async () => created(await newIntegration(), 'secret'),
  },
  'integration.rotated': {
    operation: 'rotateIntegration',
    run: async () => {
      const { id } = (await newIntegration()).body;
      const before = await read(`/api/v1/integrations/${id}`);
      const sent = await send('POST', `/api/v1/integrations/${id}/rotate`, { overlap_seconds: 60 });
      const { previous_secret_expires_at } = sent.body;
      const after = { ...(await read(`/api/v1/integrations/${id}`)), previous_secret_expires_at };
      return { sent, resourceId: id, before, after };
    },
  },
  'integration.revoked': {
    operation: 'revokeIntegration',
    run: async () => {
      const { id } = (await newIntegration()).body;
      const before = await read(`/api/v1/integrations/${id}`);
      return { sent: await send('DELETE', `/api/v1/integrations/${id}`), resourceId: id, before, after: null };
    },
  },
  'wallet.created': { operation: 'createWallet', run: async () => created(await newWallet()) },
  'wallet.updated': {
    operation: 'updateWallet',
    run: async () => {
      const before = (await newWallet()).body;
      const path = `/api/v1/wallets/${before.id}`;
      const sent = await send('PUT', path, { name: 'other', is_active: false });
      return { sent, resourceId: before.id, before, after: await read(path) };
    },
  },
  'wallet.deleted': {
    operation: 'deleteWallet',
    run: async () => {
      const before = (await newWallet()).body;
      return { sent: await send('DELETE', `/api/v1/wallets/${before.id}`), resourceId: before.id, before, after: null };
    },
  },
  'wallet.deployed': {
    operation: 'deployWallet',
    run: async () => {
      const { id } = (await newWallet()).body;
      const request = { node_id: shop.nodeId, network_id: api.ids.networks.A };
      const sent = await send('POST', `/api/v1/wallets/${id}/deploy`, request);
      return { sent, resourceId: id, before: null, after: { network_id: request.network_id, ...sent.body } };
    },
  },
  'wallet.upgraded': {
    operation: 'updateDiamond',
    run: async () => {
      const wallet = (await newWallet()).body;
      await api.activate(wallet, 'A');
      const request = { node_id: shop.nodeId, network_id: api.ids.networks.A };
      const sent = await send('POST', `/api/v1/wallets/${wallet.id}/update`, request);
      return { sent, resourceId: wallet.id, before: null, after: { network_id: request.network_id, ...sent.body } };
    },
  },
  'default.created': {
    operation: 'createDefault',
    run: async () => created(await newDefault('node')),
  },
  'default.replaced': {
    operation: 'replaceDefault',
    run: async () => {
      const before = await defaultOf('node');
      const wallet = (await newWallet()).body;
      const json = { ...defaultKey, wallet_id: wallet.id, type: 'node' };
      const sent = await send('PUT', '/api/v1/node-network-wallet-defaults', json);
      return { sent, resourceId: String(before?.id), before, after: await defaultOf('node') };
    },
  },
  'default.deleted': {
    operation: 'deleteDefault',
    run: async () => {
      const before = await defaultOf('node');
      const sent = await send('DELETE', '/api/v1/node-network-wallet-defaults', { ...defaultKey, type: 'node' });
      return { sent, resourceId: String(before?.id), before, after: null };
    },
  },
  'member.created': { operation: 'createMember', run: async () => created(await newMember()) },
  'member.updated': {
    operation: 'updateMember',
    run: async () => {
      const before = (await newMember()).body;
      const sent = await send('PUT', `/api/v1/members/${before.id}`, { city: 'London' });
      return { sent, resourceId: before.id, before, after: sent.body };
    },
  },
  'member.deleted': {
    operation: 'deleteMember',
    run: async () => {
      const before = (await newMember()).body;
      return { sent: await send('DELETE', `/api/v1/members/${before.id}`), resourceId: before.id, before, after: null };
    },
  },
  'payment.created': {
    operation: 'createPayment',
    run: async () => {
      const sent = await newPayment();
      return { sent, resourceId: sent.body.id, before: null, after: auditedPayment(sent.body) };
    },
  },
  'payment.settled': {
    operation: 'settlePayment',
    run: async () => {
      const before = (await newPayment()).body;
      const json = { outcome: 'completed', reference: 'transfer 1' };
      const sent = await send('POST', `/api/v1/payments/${before.id}/settle`, json);
      return { sent, resourceId: before.id, before: auditedPayment(before), after: auditedPayment(sent.body) };
    },
  },
  'payment.cancel_requested': {
    operation: 'cancelPayment',
    run: async () => {
      const before = (await newPayment()).body;
      const sent = await send('POST', `/api/v1/payments/${before.id}/cancel`, undefined);
      const after = (await send('GET', `/api/v1/payments/${before.id}`, undefined)).body;
      return { sent, resourceId: before.id, before: auditedPayment(before), after: auditedPayment(after) };
    },
  },
  'checkout.created': {
    operation: 'createCheckout',
    run: async () => {
      const sent = await newCheckout();
      return { sent, resourceId: sent.body.id, before: null, after: auditedCheckout(sent.body) };
    },
  },
  'checkout.cancel_requested': {
    operation: 'cancelCheckout',
    run: async () => {
      const before = (await newCheckout()).body;
      const sent = await send('POST', `/api/v1/checkouts/${before.id}/cancel`, undefined);
      const after = (await send('GET', `/api/v1/checkouts/${before.id}`, undefined)).body;
      return { sent, resourceId: before.id, before: auditedCheckout(before), after: auditedCheckout(after) };
    },
  },
  'payment.retry_requested': {
    operation: 'retrySendPayment',
    run: async () => {
      const wallet = await api.wallet(shop);
      const json = api.paymentBody({ wallet_id: wallet.id });
      const before = (await send('POST', '/api/v1/payments', json)).body;
      const sent = await send('POST', `/api/v1/payments/${before.id}/retry-send`, undefined);
      return { sent, resourceId: before.id, before: auditedPayment(before), after: auditedPayment(sent.body) };
    },
  },
  'webhook.created': {
    operation: 'createWebhook',
    run: async () => created(await newWebhook(), 'signing_secret'),
  },
  'webhook.updated': {
    operation: 'updateWebhook',
    run: async () => {
      const { id, wallet_id } = (await newWebhook()).body;
      const path = `/api/v1/webhooks?wallet_id=${wallet_id}`;
      const before = await itemOf(path, id);
      const token = `token-${randomUUID()}`;
      secrets.push(token);
      const json = { id, success_path: '/new', auth_type: 'token', auth_token: token };
      const sent = await send('PUT', '/api/v1/webhooks', json);
      return { sent, resourceId: id, before, after: { ...sent.body, credentials_changed: true } };
    },
  },
  'webhook.deleted': {
    operation: 'deleteWebhook',
    run: async () => {
      const { id, wallet_id } = (await newWebhook()).body;
      const before = await itemOf(`/api/v1/webhooks?wallet_id=${wallet_id}`, id);
      return { sent: await send('DELETE', '/api/v1/webhooks', { id }), resourceId: id, before, after: null };
    },
  },
  'webhook.secret_rotated': {
    operation: 'rotateWebhookSecret',
    run: async () => {
      const { body } = await newWebhook();
      const before = without(body, 'signing_secret');
      const sent = await send('POST', `/api/v1/webhooks/${body.id}/rotate-secret`);
      return { sent, resourceId: body.id, before, after: without(sent.body, 'signing_secret') };
    },
  },
  'webhook.tested': {
    operation: 'testWebhook',
    run: async () => {
      const { id } = (await newWebhook()).body;
      const sent = await send('POST', `/api/v1/webhooks/${id}/test`);
      return { sent, resourceId: id, before: null, after: sent.body };
    },
  },
  'webhook.redelivered': {
    operation: 'redeliver',
    run: async () => {
      const { id } = (await newWebhook()).body;
      const { body } = await send('POST', `/api/v1/webhooks/${id}/test`);
      const sent = await send('POST', `/api/v1/webhooks/${id}/deliveries/${body.id}/redeliver`);
      return { sent, resourceId: id, before: null, after: sent.body };
    },
  },
  'webhook.replayed': {
    operation: 'replayDeliveries',
    run: async () => {
      const { id } = (await newWebhook()).body;
      const json = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
      const sent = await send('POST', `/api/v1/webhooks/${id}/replay`, json);
      return { sent, resourceId: id, before: null, after: { ...json, webhook_id: id, count: 0 } };
    },
  },
  'payout.updated': {
    operation: 'setPayout',
    run: async () => {
      const path = `/api/v1/nodes/${shop.nodeId}/payouts/${api.ids.chains.Main}`;
      const { body: before } = await api.call('GET', path, { token: shop.token });
      const sent = await send('PUT', path, { payout_address: payee, payout_locked: false });
      return { sent, resourceId: shop.nodeId, before, after: sent.body };
    },
  },
  'branding.updated': {
    operation: 'setBranding',
    run: async () => {
      const path = `/api/v1/nodes/${shop.nodeId}/branding`;
      const { body: before } = await api.call('GET', path, { token: shop.token });
      const sent = await send('PUT', path, { display_name: randomUUID() });
      return { sent, resourceId: shop.nodeId, before, after: sent.body };
    },
  },
  'alert.closed': {
    operation: 'closeAlert',
    run: async () => {
      const row = { kind: 'deal_conflict', node_id: shop.nodeId, message: 'alert', dedupe_key: randomUUID() };
      const [{ id }] = await api.knex('alerts').insert(row).returning('id');
      const before = await itemOf('/api/v1/alerts', id);
      const sent = await send('POST', `/api/v1/alerts/${id}/close`);
      return { sent, resourceId: id, before, after: sent.body };
    },
  },
  'answer.replayed': {
    operation: 'createWallet',
    run: async () => {
      const json = { node_id: shop.nodeId, chain_id: api.ids.chains.Main, name: 'till' };
      const once = () => send('POST', '/api/v1/wallets', json, shop, { 'idempotency-key': 'till' });
      const { id } = (await once()).body;
      return { sent: await once(), resourceId: id, before: null, after: { operation: 'createWallet', status: 201 } };
    },
  },
};

const list = (query: string, token = shop.token, node = shop.nodeId) =>
  api.call('GET', `/api/v1/audit-log?node_id=${node}&per_page=100${query}`, { token });
const rowsOf = (requestId: string) => api.knex('audit_log').where({ request_id: requestId });

/** The actions over the API. An operator's command erases. */
const overApi = auditActions.filter((action) => action !== 'member.erased');

describe('every change', () => {
  const { operations } = specification;

  it('is one of the actions, and every operation that writes has one', () => {
    expect(Object.keys(deeds).sort((a, b) => a.localeCompare(b))).toEqual(
      [...overApi].sort((a, b) => a.localeCompare(b)),
    );
    const writers = operations
      .filter(({ method, access }) => method !== 'get' && access === 'integration')
      .map(({ id }) => id);
    expect(new Set(Object.values(deeds).map(({ operation }) => operation))).toEqual(new Set(writers));
    expect(openApi.components.schemas.AuditAction!.enum).toEqual([...auditActions]);
  });

  it.each(overApi)('%s has one entry with its actor, place, former state and present state', async (action) => {
    const { sent, resourceId, before, after } = await deeds[action]!.run();
    const [row, ...more] = await rowsOf(sent.requestId);
    expect(more).toEqual([]);
    expect(row).toEqual({
      id: expect.any(String),
      node_id: shop.nodeId,
      actor_id: shop.id,
      actor_node_id: shop.nodeId,
      action,
      resource_id: resourceId,
      before,
      after,
      address: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/),
      request_id: sent.requestId,
      created_at: expect.any(Date),
    });
    const { body } = await list(`&resource_id=${resourceId}&action=${action}`);
    expect(body.items).toEqual([
      {
        ...without(row, 'actor_node_id'),
        actor_type: 'integration',
        created_at: row.created_at.toISOString(),
      },
    ]);
  });

  it('is recorded without any secret', async () => {
    expect(secrets.length).toBeGreaterThan(10);
    const text = JSON.stringify(await api.knex('audit_log'));
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    // Within a random text, such as an api key, these letters mean nothing.
    expect(text).not.toMatch(/(?<![\w-])(cs_[\w-]{20}|wt_\w|whsec_)|203\.0\.113\.77|encrypted_|secret_hash/);
  });

  it('that is refused has no entry', async () => {
    const count = async () => Number((await api.knex('audit_log').count())[0]!.count);
    const wallet = (await newWallet()).body;
    const webhook = (await newWebhook()).body;
    const member = (await newMember()).body;
    const before = await count();
    const attempts: [string, string, unknown, Actor][] = [
      ['POST', '/api/v1/webhooks', { ...webhook, host: 'http://10.0.0.1' }, shop],
      ['PUT', '/api/v1/webhooks', { id: webhook.id, is_active: false }, rival],
      ['DELETE', '/api/v1/webhooks', { id: randomUUID() }, shop],
      ['PUT', `/api/v1/wallets/${wallet.id}`, { name: 'x' }, branch],
      ['DELETE', `/api/v1/wallets/${wallet.id}`, undefined, rival],
      ['POST', `/api/v1/wallets/${wallet.id}/deploy`, { node_id: shop.nodeId, network_id: randomUUID() }, shop],
      ['POST', '/api/v1/members', { node_id: shop.nodeId, external_id: member.external_id, name: 'Twin' }, shop],
      ['PUT', `/api/v1/members/${member.id}`, { external_id: 'other' }, shop],
      ['POST', `/api/v1/payments/${randomUUID()}/settle`, { outcome: 'completed', reference: 'x' }, shop],
      ['POST', '/api/v1/integrations', { node_id: rival.nodeId, name: 'x' }, shop],
    ];
    for (const [method, path, json, { token }] of attempts) {
      const { status } = await api.call(method, path, { token, ...(json === undefined ? {} : { json }) });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect(await count()).toBe(before);
  });
});

describe('GET /api/v1/audit-log', () => {
  const member = (by: Actor, nodeId: string) =>
    send('POST', '/api/v1/members', { node_id: nodeId, external_id: randomUUID(), name: 'Ada' }, by);

  it('shows actors from above, and the operator, as operator', async () => {
    const byRoot = await member(root, branch.nodeId);
    const byShop = await member(shop, branch.nodeId);
    const own = await member(branch, branch.nodeId);
    const [operators] = await api
      .knex('audit_log')
      .insert({ node_id: branch.nodeId, action: 'integration.created', resource_id: randomUUID(), after: '{}' })
      .returning('*');
    const seen = async (token: string) => {
      const { body } = await list('', token, branch.nodeId);
      const find = (id: string) => {
        const { actor_type, actor_id, address, request_id } = body.items.find(
          (item: { resource_id: string }) => item.resource_id === id,
        );
        return [actor_type, actor_id, address !== null, request_id !== null];
      };
      return [byRoot.body.id, byShop.body.id, own.body.id, operators.resource_id].map(find);
    };
    const operator = ['operator', null, false, false];
    const named = (actor: Actor) => ['integration', actor.id, true, true];
    expect(await seen(branch.token)).toEqual([operator, operator, named(branch), operator]);
    expect(await seen(shop.token)).toEqual([operator, named(shop), named(branch), operator]);
    expect(await seen(root.token)).toEqual([named(root), named(shop), named(branch), operator]);
    const answer = await list('', branch.token, branch.nodeId);
    expect(answer.text).not.toContain(root.id);
    expect(answer.text).not.toContain(shop.id);
  });

  it('finds nothing by an actor out of reach', async () => {
    const actor = await api.actor('root');
    await member(actor, branch.nodeId);
    const found = async (reader: Actor) =>
      (await list(`&actor_id=${actor.id}`, reader.token, branch.nodeId)).body.total;
    expect([await found(branch), await found(shop), await found(root)]).toEqual([0, 0, 1]);
  });

  it('filters by action, resource, actor and time, and covers one node by default', async () => {
    const actor = await api.actor('shop');
    const first = (await member(actor, shop.nodeId)).body;
    const second = (await member(actor, branch.nodeId)).body;
    await send('PUT', `/api/v1/members/${first.id}`, { city: 'Paris' }, actor);
    const itemsOf = ({ body, text }: Answer): Record<string, unknown>[] => {
      if (body.items === undefined) throw new Error(text);
      return body.items;
    };
    const resources = async (query: string) =>
      itemsOf(await list(`&actor_id=${actor.id}${query}`)).map((item) => [item.action, item.resource_id]);
    const [made, below, changed] = [
      ['member.created', first.id],
      ['member.created', second.id],
      ['member.updated', first.id],
    ];
    expect(await resources('')).toEqual([changed, made]);
    expect(await resources('&include_descendants=true')).toEqual([changed, below, made]);
    expect(await resources('&action=member.created')).toEqual([made]);
    expect(await resources(`&resource_id=${second.id}&include_descendants=true`)).toEqual([below]);
    const { items } = (await list(`&actor_id=${actor.id}`)).body;
    const { created_at } = await api.knex('audit_log').where({ id: items[0].id }).first();
    const at = encodeURIComponent(created_at.toISOString());
    expect(await resources(`&created_from=${at}`)).toEqual([changed]);
    expect(await resources('&created_to=2020-01-01T00:00:00Z')).toEqual([]);
    const later = encodeURIComponent(new Date(created_at.getTime() + 1).toISOString());
    expect(await resources(`&created_to=${later}&created_from=2020-01-01T00:00:00Z`)).toEqual([changed, made]);
    expect(await resources(`&created_from=${later}`)).toEqual([]);
  });

  it('goes on behind a cursor, in the order of pages', async () => {
    const actor = await api.actor('rival');
    for (let index = 0; index < 7; index += 1) await member(actor, actor.nodeId);
    const ids = (answer: Answer): string[] => answer.body.items.map((item: { id: string }) => item.id);
    const all = ids(await list(`&actor_id=${actor.id}`, actor.token, actor.nodeId));
    expect(all).toHaveLength(7);
    const walked: string[] = [];
    for (let cursor = ''; ;) {
      const path = `/api/v1/audit-log?node_id=${actor.nodeId}&actor_id=${actor.id}&per_page=3${cursor}`;
      const answer = await api.call('GET', path, { token: actor.token });
      walked.push(...ids(answer));
      expect(answer.body.total).toBe(7);
      if (answer.body.next_cursor === null) break;
      cursor = `&cursor=${answer.body.next_cursor}`;
    }
    expect(walked).toEqual(all);
  });

  it.each(['&action=wallet.stolen', '&resource_id=x', '&actor_id=', '&created_from=yesterday', '&x=1'])(
    'answers 400 for %s',
    async (query) => {
      expect((await list(query)).body.code).toBe('invalid_request');
    },
  );
});

it("a cancel that waited for its payment is recorded with the payment's state after the wait", async () => {
  const wallet = await api.wallet(shop);
  const { id } = (await send('POST', '/api/v1/payments', api.paymentBody({ wallet_id: wallet.id }))).body;
  const trx = await api.knex.transaction();
  await transition(trx, {
    name: 'deal_confirmed',
    where: 'p.id = :id',
    bindings: { id },
    actor: { type: 'chain' },
  });
  const canceling = send('POST', `/api/v1/payments/${id}/cancel`);
  await eventually(async () => {
    const { rows } = await api.knex.raw(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  await trx.commit();
  const { requestId } = await canceling;
  const { before, after } = await api.knex('audit_log').where({ request_id: requestId }).first();
  expect([before.status, after.status]).toEqual(['awaiting_payment', 'canceling']);
});
