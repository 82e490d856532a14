import { randomInt, randomUUID } from 'node:crypto';
import { permissions as allPermissions, type Caller, type Permission } from '../../../domain/access.ts';
import { optionalMemberFields } from '../../../domain/member.ts';
import { snapshotFor } from '../../../api/answers/visible.ts';
import type { OperationId } from '../../../api/request/specification.ts';
import { bankTransfer, operations, startApi, type Answer } from '../support/api-under-test.ts';
import type { ApiRequest } from '../support/slots.ts';
import { createTenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';

/*
 * The fields of a merchant's resources have marks that no other field has. Each operation is called with each reading permission
 * lacking, and with its own permissions alone: its answer has no mark of a resource that the caller may not read.
 */

const api = await startApi({
  nodes: [{ name: 'group', children: [{ name: 'shop', children: [{ name: 'branch' }] }] }],
});
const admin = await createTenant(api, 'shop');
const mark = (field: string, length = 24): string =>
  `${field.slice(0, 4)}${randomUUID().replaceAll('-', '')}`.slice(0, length);
const markOf = (field: string): string => mark(field, ['country', 'locale'].includes(field) ? 10 : 24);

/** The marks, by the permission that reads their resource. */
const marks = new Map<Permission, string[]>();
const marked = (reader: Permission, text: string): string => {
  marks.set(reader, [...(marks.get(reader) ?? []), text]);
  return text;
};
const post = async (path: string, json: Record<string, unknown>) =>
  (await admin.post(path, json)) as Record<string, string>;

const put = async (path: string, json: Record<string, unknown>) => {
  const { status, body, text } = await api.call('PUT', `/api/v1/${path}`, { token: admin.actor.token, json });
  if (status >= 300) throw new Error(`PUT ${path}: ${status} ${text}`);
  return body;
};

const memberData = Object.fromEntries(
  (['name', ...optionalMemberFields] as const).map((field) => {
    const text = field === 'email' ? `${mark('mail')}@example.com` : markOf(field);
    return [field, marked('members.read', text)];
  }),
);
const external_id = `buyer-${randomUUID()}`;
const member = await post('members', { node_id: admin.rows.node, external_id, ...memberData });
await put(`members/${member.id}`, { city: marked('members.read', mark('city')) });

const host = marked('webhooks.read', `${mark('host')}.example`);
const webhook = { id: admin.rows.webhook! };
await put('webhooks', {
  ...webhook,
  host: `https://${host}`,
  success_path: `/${marked('webhooks.read', mark('good'))}`,
  error_path: `/${marked('webhooks.read', mark('bad'))}`,
  auth_token: 'token',
});
const wallet = await post('wallets', {
  node_id: admin.rows.node,
  chain_id: api.ids.chains.Main,
  name: marked('wallets.read', mark('wallet')),
});
marked('wallets.read', wallet.address!);
const payoutPath = `nodes/${admin.rows.node}/payouts/${api.ids.chains.Side}`;
const payout = await put(payoutPath, { payout_address: `0x${'c0ffee01'.repeat(5)}`, payout_locked: true });
const payout_address = marked('wallets.read', payout.payout_address);
await put('node-network-wallet-defaults', {
  node_id: admin.rows.node,
  network_id: api.ids.networks.A,
  type: 'node',
  wallet_id: wallet.id,
});
marked('defaults.read', admin.rows.default!);
marked(
  'integrations.read',
  (
    await post('integrations', {
      node_id: admin.rows.node,
      name: marked('integrations.read', mark('integration')),
      permissions: ['payments.read'],
    })
  ).api_key!,
);
const order = (): Record<string, unknown> => ({
  external_id: marked('payments.read', mark('order')),
  node_id: admin.rows.node,
  member: { external_id, name: 'anything' },
  items: [{ name: marked('payments.read', mark('item')), price: 1, external_id: marked('payments.read', mark('sku')) }],
  metadata: marked('payments.read', mark('metadata')),
  success_url: `http://127.0.0.1:1/${marked('payments.read', mark('thanks'))}`,
});
const pay = (more: object = {}) =>
  post('payments', api.paymentBody({ ...order(), wallet_id: admin.rows.wallet, ...more }));
const payment = await pay({ client_ip: marked('payments.read', '203.0.113.77') });
const checkout = await post('checkouts', {
  ...order(),
  payment_group: 'product',
  payment_address: payment.payment_address,
  options: [
    {
      network_id: api.ids.networks.A,
      currency_id: api.ids.currencies.USD,
      wallet_id: admin.rows.wallet,
      paid_price: 1,
    },
  ],
  expires_at: payment.expires_at,
});
/** An alert about each kind of subject, with its facts in message and data. */
const alertSubjects = {
  // Ids are no facts: an alert keeps them.
  'payments.read': { kind: 'payment_reversed', payment_id: (await pay()).id },
  'webhooks.read': { kind: 'webhook_failing', webhook_id: webhook.id },
  'wallets.read': { kind: 'deployment_failed' },
} as const;
const alertRow = async (subject: keyof typeof alertSubjects): Promise<string> => {
  const [message, reason] = [marked(subject, mark('message')), marked(subject, mark('reason'))];
  const place = { node_id: admin.rows.node, is_condition: true, dedupe_key: message };
  const data = { reason, ...(subject === 'webhooks.read' && { host }) };
  const row = { ...place, ...alertSubjects[subject], message, data };
  const [{ id }] = await api.knex('alerts').insert(row).returning('id');
  return id as string;
};
await Promise.all(Object.keys(alertSubjects).map((subject) => alertRow(subject as keyof typeof alertSubjects)));
const deliver = async (): Promise<string> => {
  const told = { payment_id: payment.id, sequence: randomInt(100, 2 ** 30), snapshot: '{}' };
  const event = { type: 'payment.ready', ...told };
  const [{ id: event_id }] = await api.knex('webhook_events').insert(event).returning('id');
  const [{ id }] = await api.knex('webhook_deliveries').insert({ webhook_id: webhook.id, event_id }).returning('id');
  return id as string;
};
const deliveryId = await deliver();
marked('payments.read', payment.id!);

/** Requests about the marked resources, where the usual ones are about others. */
const requests: Partial<Record<OperationId, () => Promise<ApiRequest> | ApiRequest>> = {
  createIntegration: () => ({ body: { node_id: admin.rows.node, name: randomUUID(), permissions: [] } }),
  updateWallet: () => ({ path: { id: wallet.id! }, body: { is_active: true } }),
  createPayment: () => ({
    body: api.paymentBody({
      node_id: admin.rows.node,
      wallet_id: admin.rows.wallet,
      member: { external_id, name: 'anything' },
    }),
  }),
  createCheckout: async () => {
    const { body } = await validRequests.createCheckout!(api, admin);
    return { body: { ...body, member_id: undefined, member: { external_id, name: 'anything' } } };
  },
  listPayments: () => ({ query: { node_id: admin.rows.node!, include_descendants: 'true', per_page: '100' } }),
  getPayment: () => ({ path: { id: payment.id! } }),
  listPaymentLogs: () => ({ path: { id: payment.id! } }),
  retrySendPayment: async () => ({ path: { id: (await pay()).id! } }),
  settlePayment: async () => ({
    path: { id: (await pay({ ...bankTransfer, wallet_id: null, success_url: null })).id! },
    body: { outcome: 'completed', reference: 'transfer' },
  }),
  cancelPayment: async () => ({ path: { id: (await pay()).id! }, body: {} }),
  getCheckout: () => ({ path: { id: checkout.id! } }),
  listCheckouts: () => ({ query: { node_id: admin.rows.node!, per_page: '100' } }),
  getMember: () => ({ path: { id: member.id! } }),
  updateMember: () => ({ path: { id: member.id! }, body: { district: 'elsewhere' } }),
  getWallet: () => ({ path: { id: wallet.id! } }),
  getPayout: () => ({ path: { node_id: admin.rows.node!, chain_id: api.ids.chains.Side! } }),
  setPayout: () => ({
    path: { node_id: admin.rows.node!, chain_id: api.ids.chains.Side! },
    body: { payout_address, payout_locked: true },
  }),
  listAlerts: () => ({ query: { state: 'open', per_page: '100' } }),
  closeAlert: async () => ({ path: { id: await alertRow('webhooks.read') } }),
  listDeliveries: () => ({ path: { id: webhook.id! }, query: { per_page: '100' } }),
  getDelivery: () => ({ path: { id: webhook.id!, delivery_id: deliveryId } }),
  redeliver: async () => ({ path: { id: webhook.id!, delivery_id: await deliver() } }),
  updateWebhook: () => ({ body: { id: webhook.id, events: [] } }),
  rotateWebhookSecret: () => ({ path: { id: webhook.id! } }),
  listAuditLog: () => ({ query: { node_id: admin.rows.node!, include_descendants: 'true', per_page: '100' } }),
};

/** A permission that changes a resource shows the resource that it changes, except the personal data of a member. */
const shownByChange: Partial<Record<OperationId, Permission>> = {
  retrySendPayment: 'payments.read',
  settlePayment: 'payments.read',
  updateWebhook: 'webhooks.read',
  rotateWebhookSecret: 'webhooks.read',
  closeAlert: 'alerts.read',
  setPayout: 'wallets.read',
  createDefault: 'defaults.read',
};

const requestOf = (id: OperationId): Promise<ApiRequest> | ApiRequest =>
  (requests[id] ?? (() => validRequests[id]!(api, admin)))();

const callWith = async (id: OperationId, held: readonly Permission[]): Promise<Answer> =>
  send(
    id,
    await requestOf(id),
    await tokenWith(held),
    operations.find((operation) => operation.id === id)!,
  );

type Place = Pick<(typeof operations)[number], 'method' | 'path' | 'consumes'> & {
  readonly headers?: Record<string, string>;
};

const send = (
  id: OperationId,
  request: ApiRequest,
  token: string,
  { method, path, consumes, headers }: Place,
): Promise<Answer> => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? id);
  const query = request.query === undefined ? '' : `?${new URLSearchParams(request.query).toString()}`;
  const json = request.body ?? (consumes.length > 0 ? {} : undefined);
  return api.call(method.toUpperCase(), `${filled}${query}`, {
    token,
    headers,
    ...(json === undefined ? {} : { json }),
  });
};

const tokens = new Map<string, Promise<string>>();
/** Keeps one token for each set of permissions, of two nodes that reach the shop, because a node has at most 100 integrations. */
const tokenWith = (held: readonly Permission[]): Promise<string> => {
  const key = held.toSorted().join();
  if (!tokens.has(key))
    tokens.set(
      key,
      api.actor(tokens.size % 2 === 0 ? 'shop' : 'group', held).then(({ token }) => token),
    );
  return tokens.get(key)!;
};

/** The marks in an answer, with the permission that guards each, that these permissions do not allow. */
const leaksIn = (id: OperationId, { text }: Answer, held: readonly Permission[]): [Permission, string][] =>
  [...marks]
    .filter(([reader]) => !held.includes(reader) && shownByChange[id] !== reader)
    .flatMap(([reader, texts]) =>
      texts.filter((one) => text.includes(one)).map((one): [Permission, string] => [reader, one]),
    );

const forIntegrations = operations.filter(({ access, id }) => access === 'integration' && id !== 'getStatus');
const readers = allPermissions.filter((permission) => permission.endsWith('.read'));

it('the marks are those of every kind of resource, and each is shown to callers who may read it', async () => {
  expect([...marks.keys()].toSorted()).toEqual([
    'defaults.read',
    'integrations.read',
    'members.read',
    'payments.read',
    'wallets.read',
    'webhooks.read',
  ]);
  const shown: OperationId[] = [
    'listPayments',
    'listCheckouts',
    'getMember',
    'getWallet',
    'getPayout',
    'listWebhooks',
    'listIntegrations',
    'listDefaults',
    'listAlerts',
  ];
  const texts = await Promise.all(shown.map(async (id) => (await callWith(id, allPermissions)).text));
  const hidden = [...marks.values()].flat().filter((one) => !texts.some((text) => text.includes(one)));
  expect(hidden).toEqual([memberData.city]);
});

it.each(forIntegrations)(
  '$id shows nothing that a permission guards which the caller lacks',
  async ({ id, permissions: own }) => {
    const lacking = readers.filter((reader) => !own.includes(reader));
    for (const held of [own, ...lacking.map((lacked) => allPermissions.filter((one) => one !== lacked))]) {
      const answer = await callWith(id, held);
      expect([answer.status < 300, answer.status < 300 ? '' : answer.text]).toEqual([true, '']);
      expect(leaksIn(id, answer, held)).toEqual([]);
    }
  },
);

it('an answer that is repeated for its Idempotency-Key hides what a narrower token of the same integration may not see', async () => {
  const narrowed = async (scope: readonly Permission[]): Promise<string> => {
    const { apiKey, secret } = admin.actor.credentials;
    const json = { grant_type: 'client_credentials', api_key: apiKey, secret, scope: scope.join(' ') };
    return (await api.call('POST', '/api/v1/auth/token', { json })).body.access_token;
  };
  // They answer with the state of work on the chain, and a dry run changes nothing.
  const unkept: OperationId[] = ['deployWallet', 'updateDiamond'];
  const posts = forIntegrations.filter(({ method, id }) => method === 'post' && !unkept.includes(id));
  for (const { id, path, method, consumes, permissions } of posts) {
    const request = await requestOf(id);
    const place = { method, path, consumes, headers: { 'idempotency-key': randomUUID() } };
    const first = await send(id, request, admin.actor.token, place);
    expect([id, first.status < 300]).toEqual([id, true]);
    const again = await send(id, request, await narrowed(permissions), place);
    // An answer that hands out permissions is for those who hold them.
    if (again.status !== 403) {
      expect([id, again.status, again.headers.get('idempotent-replayed')]).toEqual([id, first.status, 'true']);
      expect(leaksIn(id, again, permissions)).toEqual([]);
    } else expect([id, first.body.permissions.length > 0]).toEqual([id, true]);
    expect((await send(id, request, admin.actor.token, place)).text).toBe(first.text);
  }
});

it("an alert shows message and data to whoever may read its subject, the operator's alerts about diamonds included", async () => {
  const shown = async (row: object, held: readonly Permission[]) => {
    const [{ id }] = await api
      .knex('alerts')
      .insert({ is_condition: false, dedupe_key: randomUUID(), message: 'secret', data: { secret: true }, ...row })
      .returning('id');
    const { token } = await api.actor('group', ['alerts.read', ...held]);
    const { body } = await api.call('GET', '/api/v1/alerts?per_page=100', { token });
    const { message, data } = body.items.find((one: { id: string }) => one.id === id);
    return [message, data];
  };
  const readable = ['secret', { secret: true }];
  const hidden = (...needs: Permission[]) => [`Message and data need the permission ${needs.join(' and ')}`, {}];
  for (const [needs, row] of Object.entries(alertSubjects) as [Permission, object][]) {
    const ofNode = { node_id: admin.rows.node, ...row };
    expect(await shown(ofNode, [needs])).toEqual(readable);
    expect(
      await shown(
        ofNode,
        readers.filter((one) => one !== needs),
      ),
    ).toEqual(hidden(needs));
  }
  for (const kind of ['deal_unknown', 'plain_transfer', 'words_unreadable']) {
    expect(await shown({ kind }, [])).toEqual(hidden('wallets.read'));
    expect(await shown({ kind }, ['wallets.read'])).toEqual(readable);
  }
  const resumed = { kind: 'lane_resumed' };
  expect(await shown(resumed, [])).toEqual(hidden('wallets.read', 'payments.read'));
  expect(await shown(resumed, ['wallets.read'])).toEqual(hidden('payments.read'));
  expect(await shown(resumed, ['wallets.read', 'payments.read'])).toEqual(readable);
  expect(await shown({ kind: 'network_still' }, [])).toEqual(readable);
});

it('a refusal names no stored fact that the caller may not read', async () => {
  const refusal = async (id: OperationId, request: ApiRequest, held: readonly Permission[]) => {
    const place = operations.find((operation) => operation.id === id)!;
    const { body } = await send(id, request, (await api.actor('shop', held)).token, place);
    return [body.code, body.errors?.map(({ path }: { path: string }) => path) ?? [], body.detail] as const;
  };
  const other = { external_id: payment.external_id, node_id: admin.rows.node, wallet_id: admin.rows.wallet };
  const repeated = { body: api.paymentBody({ ...other, price: 77, paid_price: 77 }) };
  const [code, paths] = await refusal('createPayment', repeated, ['payments.create']);
  expect([code, paths]).toEqual(['payment_exists_with_other_terms', []]);
  expect((await refusal('createPayment', repeated, ['payments.create', 'payments.read']))[1]).toContain('/body/price');

  const options = [{ network_id: api.ids.networks.A, currency_id: api.ids.currencies.USD, paid_price: 77 }];
  const { body: valid } = await validRequests.createCheckout!(api, admin);
  const order = { ...valid, member_id: undefined, external_id: checkout.external_id, options };
  const [orderCode, orderPaths] = await refusal('createCheckout', { body: order }, ['payments.create']);
  expect([orderCode, orderPaths]).toEqual(['checkout_exists_with_other_terms', []]);

  const long = Object.fromEntries(
    (['address', 'surname', 'district', 'city'] as const).map((field) => [
      field,
      '\u0001'.repeat(field === 'address' ? 4_096 : 255),
    ]),
  );
  const update = { path: { id: member.id! }, body: long };
  const [size, , detail] = await refusal('updateMember', update, ['members.update']);
  expect([size, detail]).toEqual(['member_too_large', expect.not.stringContaining('it has')]);
  expect((await refusal('updateMember', update, ['members.update', 'members.read']))[2]).toContain('it has');

  // A member that exists and one that does not are refused alike.
  const sized = (name: string) => ({
    body: api.paymentBody({ ...other, external_id: randomUUID(), member: { external_id: name, name: 'any', ...long } }),
  });
  const ofUnknown = await refusal('createPayment', sized(randomUUID().slice(0, external_id.length)), [
    'payments.create',
  ]);
  expect(ofUnknown[0]).toBe('member_too_large');
  expect(await refusal('createPayment', sized(external_id), ['payments.create'])).toEqual(ofUnknown);

  const locked = { body: { payout_address: `0x${'ab'.repeat(20)}`, payout_locked: true } };
  const branch = { ...locked, path: { node_id: api.ids.nodes.branch!, chain_id: api.ids.chains.Side! } };
  const [above, , said] = await refusal('setPayout', branch, ['payout.update']);
  expect([above, said.toLowerCase()]).toEqual(['payout_locked_above', expect.not.stringContaining('c0ffee')]);
  expect((await refusal('setPayout', branch, ['payout.update', 'wallets.read']))[2].toLowerCase()).toContain('c0ffee');
});

it('of a member, the audit log shows id and external_id alone to whoever lacks members.read, and of other resources nothing', async () => {
  const log = async (action: string, resource: string, held: readonly Permission[]): Promise<[unknown, unknown][]> => {
    const query = { node_id: admin.rows.node!, action, resource_id: resource };
    const { body } = await send('listAuditLog', { query }, await tokenWith(held), listing);
    return body.items.map(({ before, after }: { before: unknown; after: unknown }) => [before, after]);
  };
  const listing = operations.find(({ id }) => id === 'listAuditLog')!;
  const ids = { id: member.id, external_id };
  const changes = await log('member.updated', member.id!, ['audit.read']);
  expect(changes).toEqual(changes.map(() => [ids, ids]));
  expect(changes.length).toBeGreaterThan(0);
  expect(await log('member.created', member.id!, ['audit.read', 'payments.read'])).toEqual([[null, ids]]);
  expect(await log('member.created', member.id!, ['audit.read', 'members.read'])).toEqual([
    [null, expect.objectContaining({ phone: memberData.phone })],
  ]);
  expect(await log('payment.created', payment.id!, ['audit.read', 'members.read'])).toEqual([[null, null]]);
  expect(await log('payment.created', payment.id!, ['audit.read', 'payments.read'])).toEqual([
    [null, expect.objectContaining({ external_id: payment.external_id })],
  ]);
  const alertId = await alertRow('webhooks.read');
  await send(
    'closeAlert',
    { path: { id: alertId } },
    admin.actor.token,
    operations.find(({ id }) => id === 'closeAlert')!,
  );
  const closed = (...held: Permission[]) => log('alert.closed', alertId, ['audit.read', ...held]);
  expect(await closed('webhooks.read')).toEqual([[null, null]]);
  const without = expect.objectContaining({ kind: 'webhook_failing', data: {} });
  expect(await closed('alerts.read')).toEqual([[without, without]]);
  const whole = expect.objectContaining({ data: expect.objectContaining({ host }) });
  expect(await closed('alerts.read', 'webhooks.read')).toEqual([[whole, whole]]);
  const mapped = await log('default.created', admin.rows.default!, ['audit.read', 'defaults.read']);
  expect(mapped).toEqual([[null, expect.objectContaining({ wallet: null, type: expect.any(String) })]]);
});

it('an entry of a kind that only a later version knows has no snapshots', () => {
  const caller = { permissions: allPermissions } as unknown as Caller;
  expect(snapshotFor(caller, 'voucher.made', { id: 'secret' })).toBeNull();
});
