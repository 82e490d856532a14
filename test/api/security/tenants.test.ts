import { randomUUID } from 'node:crypto';
import type { ResolvedOperation } from '../../../tools/build/openapi.ts';
import { codeOf } from '../support/answers.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { integrationOperations, targetOf, type ApiRequest } from '../support/slots.ts';
import { createTenant, type Tenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';

/*
 * Two merchants. One is a group: a parent with two children, one of which has a child itself; the other has a child
 * too. By every request, a caller gets the rows of its node and those below, and no others.
 */

const api = await startApi({
  nodes: [
    { name: 'group', children: [{ name: 'shop', children: [{ name: 'branch' }] }, { name: 'sister' }] },
    { name: 'rival', children: [{ name: 'stall' }] },
  ],
});
/** Each node with itself and those below. */
const reach: Record<string, string[]> = {
  group: ['group', 'shop', 'branch', 'sister'],
  shop: ['shop', 'branch'],
  branch: ['branch'],
  sister: ['sister'],
  rival: ['rival', 'stall'],
  stall: ['stall'],
};
const names = Object.keys(reach);
const tenants: Record<string, Tenant> = {};
for (const name of names) tenants[name] = await createTenant(api, name);
const of = (name: string): Tenant => tenants[name]!;
const [group, shop, branch, sister] = ['group', 'shop', 'branch', 'sister'].map(of) as [Tenant, Tenant, Tenant, Tenant];
const pairs = names.flatMap((caller) => names.map((owner) => [caller, owner] as const));
const within = pairs.filter(([caller, owner]) => reach[caller]!.includes(owner));
const outside = pairs.filter(([caller, owner]) => !reach[caller]!.includes(owner));

/** Texts that belong to another merchant. */
const factsOfStrangers = (caller: string): string[] =>
  reach[reach.group!.includes(caller) ? 'rival' : 'group']!.flatMap((name) => of(name).facts);

const A = api.ids.networks.A!;
const call = (method: string, path: string, { actor }: Tenant, json?: unknown): Promise<Answer> =>
  api.call(method, `/api/v1/${path}`, { token: actor.token, ...(json === undefined ? {} : { json }) });
const lasting = ({ status, body }: Answer) => ({ ...body, status, request_id: '' });
const idsIn = ({ body }: Answer): string[] => body.items.map((item: { id: string }) => item.id).toSorted();

/** Lists of a node, with the tables of their rows. */
const collections: Record<string, { path: string; table: string }> = {
  listIntegrations: { path: 'integrations', table: 'integrations' },
  listWallets: { path: 'wallets', table: 'wallets' },
  listDefaults: { path: 'node-network-wallet-defaults', table: 'node_network_wallet_defaults' },
  listMembers: { path: 'members', table: 'members' },
  listPayments: { path: 'payments', table: 'payments' },
  listCheckouts: { path: 'checkouts', table: 'checkouts' },
  listAuditLog: { path: 'audit-log', table: 'audit_log' },
};
/** Lists of all that the caller can reach. */
const ofCaller = ['listNodes', 'listWebhooks', 'listAlerts'];
/** Deliveries of a webhook: refused as the webhook is. */
const ofWebhook = ['listDeliveries', 'getDelivery'];
/** Others answer 404, as if it were not there. */
const forbidden = [
  'createWebhook',
  'updateWebhook',
  'deleteWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'replayDeliveries',
  'redeliver',
  ...ofWebhook,
  'cancelPayment',
  'cancelCheckout',
];
/** The same for all. */
const common = ['listChains', 'listNetworks', 'listCurrencies'];
const ofOneRow = [
  'getIntegration',
  'getWallet',
  'getMember',
  'getPayment',
  'getCheckout',
  'listPaymentLogs',
  'checkVersion',
  'listDeployments',
  'getPayout',
  'getBranding',
];

/** For nodes without a parent. */
const ofTheOperator = ['getStatus'];

const owned = integrationOperations.filter(
  ({ operationId }) => ![...common, ...ofTheOperator, 'listNodes', 'listAlerts'].includes(operationId),
);
const validOf = async ({ operationId }: ResolvedOperation, tenant: Tenant): Promise<ApiRequest> => {
  const make = validRequests[operationId as keyof typeof validRequests];
  if (make === undefined) throw new Error(`test/api/support/valid-requests.ts has no request for ${operationId}`);
  return make(api, tenant);
};
const send = (operation: ResolvedOperation, request: ApiRequest, { actor }: Tenant): Promise<Answer> => {
  const [method, path] = targetOf(operation, request);
  const json = operation.requestBody === undefined ? {} : { json: request.body };
  return api.call(method, path, { token: actor.token, ...json });
};

/** Ids in a table by the names of the nodes that own the rows. */
const stored = async (table: string, owners: readonly string[]): Promise<string[]> => {
  const nodes = owners.map((name) => of(name).rows.node!);
  return (await api.knex(table).whereIn('node_id', nodes).pluck<string[]>('id')).toSorted();
};

it('every operation that reads is covered here', () => {
  const reads = integrationOperations.filter(({ method }) => method === 'GET').map(({ operationId }) => operationId);
  expect(reads.toSorted()).toEqual(
    [...Object.keys(collections), ...ofCaller, ...ofWebhook, ...common, ...ofTheOperator, ...ofOneRow].toSorted(),
  );
});

describe('lists', () => {
  beforeAll(async () => {
    // Rows of a node that point to rows above it.
    for (const above of [group, shop]) {
      await branch.post('payments', api.paymentBody({ node_id: branch.rows.node, wallet_id: above.rows.wallet }));
    }
    const mapping = { node_id: branch.rows.node, network_id: A, wallet_id: group.rows.wallet, type: 'apex' };
    await branch.post('node-network-wallet-defaults', mapping);
    // And acts from above on rows below.
    const body = { node_id: branch.rows.node, external_id: randomUUID(), name: 'by the parent' };
    await group.post('members', body);
  });

  it.each(Object.entries(collections))('%s: each caller, each node, alone and with nodes below', async (_, list) => {
    for (const [caller, owner] of pairs) {
      for (const deep of [false, true]) {
        const query = `node_id=${of(owner).rows.node}&include_descendants=${deep}&per_page=100`;
        const answer = await call('GET', `${list.path}?${query}`, of(caller));
        if (!reach[caller]!.includes(owner)) {
          expect([caller, owner, ...codeOf(answer)]).toEqual([caller, owner, 404, 'node_not_found']);
          continue;
        }
        const expected = await stored(list.table, deep ? reach[owner]! : [owner]);
        expect(expected.length).toBeGreaterThan(0);
        expect([caller, owner, deep, idsIn(answer)]).toEqual([caller, owner, deep, expected]);
        expect(factsOfStrangers(caller).filter((fact) => answer.text.includes(fact))).toEqual([]);
        expect(answer.body).toMatchObject({ total: expected.length, next_cursor: null });
        const one = await call('GET', `${list.path}?${query.replace('per_page=100', 'per_page=1&page=2')}`, of(caller));
        expect(one.body.total).toBe(expected.length);
      }
    }
  });

  it.each(names)('of nodes, webhooks and alerts show %s its own and those below', async (caller) => {
    const nodes = await call('GET', 'nodes?per_page=100', of(caller));
    const expected = reach[caller]!.map((name) => of(name).rows.node!);
    expect(idsIn(nodes)).toEqual(expected.toSorted());
    expect(nodes.body.total).toBe(expected.length);
    const ofNode = nodes.body.items.find((node: { id: string }) => node.id === of(caller).rows.node);
    expect(ofNode.parent_id).toBeNull();

    const webhooks = await call('GET', 'webhooks?per_page=100', of(caller));
    const configured = reach[caller]!.map((name) => of(name).rows.webhook!);
    expect(idsIn(webhooks)).toEqual(configured.toSorted());
    expect(webhooks.body.total).toBe(configured.length);
    const alerts = await call('GET', 'alerts?per_page=100', of(caller));
    expect(idsIn(alerts)).toEqual(reach[caller]!.map((name) => of(name).rows.alert!).toSorted());
    for (const { text } of [nodes, webhooks, alerts]) {
      expect(factsOfStrangers(caller).filter((fact) => text.includes(fact))).toEqual([]);
    }
  });

  it("of payments are filtered by a wallet of a node above, and still show only the caller's", async () => {
    const filtered = (caller: Tenant, nodeId: string, deep: boolean) =>
      call('GET', `payments?node_id=${nodeId}&wallet_id=${group.rows.wallet}&include_descendants=${deep}`, caller);
    const own = await filtered(branch, branch.rows.node!, false);
    expect(own.body.total).toBe(1);
    expect(own.body.items[0].node_id).toBe(branch.rows.node);
    expect((await filtered(group, group.rows.node!, false)).body.total).toBe(1);
    expect((await filtered(group, group.rows.node!, true)).body.total).toBe(2);
  });
});

describe('every operation', () => {
  /** For webhooks, the answer shows that the row exists and belongs to another node. */
  const refusal = ({ operationId }: ResolvedOperation): number => (forbidden.includes(operationId) ? 403 : 404);

  it.each(names)('refuses rows of %s to callers that are neither it nor above it', async (owner) => {
    const requests = new Map<ResolvedOperation, ApiRequest>();
    for (const operation of owned) requests.set(operation, await validOf(operation, of(owner)));
    const before = await fingerprint(api.knex);
    const callers = outside.filter((pair) => pair[1] === owner).map(([caller]) => caller);
    expect(callers.length).toBeGreaterThanOrEqual(2);
    for (const caller of callers) {
      for (const [operation, request] of requests) {
        const answer = await send(operation, request, of(caller));
        const cell = [caller, operation.operationId];
        expect([...cell, answer.status]).toEqual([...cell, refusal(operation)]);
        expect([...cell, ...of(owner).facts.filter((fact) => answer.text.includes(fact))]).toEqual(cell);
      }
    }
    expect(await fingerprint(api.knex)).toEqual(before);
  });

  it.each(within)('lets %s use rows of %s', async (caller, owner) => {
    for (const operation of owned) {
      const { status, text } = await send(operation, await validOf(operation, of(owner)), of(caller));
      expect([operation.operationId, status < 300 ? '' : text]).toEqual([operation.operationId, '']);
    }
  });

  it('was tried by all callers on all rows', () => {
    expect(owned.length).toBeGreaterThanOrEqual(30);
    expect([within.length, outside.length]).toEqual([11, 25]);
  });
});

describe('one row', () => {
  it.each(ofOneRow)('%s gives the same answer for a row out of reach and a missing one', async (operationId) => {
    const operation = integrationOperations.find((candidate) => candidate.operationId === operationId)!;
    for (const [caller, owner] of outside) {
      const request = await validOf(operation, of(owner));
      const foreign = await send(operation, request, of(caller));
      const [[subject] = []] = Object.entries(request.path ?? {});
      const absent = await send(
        operation,
        { ...request, path: { ...request.path, [subject!]: randomUUID() } },
        of(caller),
      );
      expect(foreign.status).toBe(404);
      expect(lasting(foreign)).toEqual(lasting(absent));
    }
  });
});

describe('simultaneous requests for payments', () => {
  it('get only payments in their reach, though one statement reads many', async () => {
    const rounds = Array.from({ length: 5 }, () => pairs).flat();
    const answers = await Promise.all(
      rounds.map(([caller, owner]) => call('GET', `payments/${of(owner).rows.payment}`, of(caller))),
    );
    const got = answers.map(({ status, body }) => [status, status === 200 ? body.id : body.code]);
    expect(got).toEqual(
      rounds.map(([caller, owner]) =>
        reach[caller]!.includes(owner) ? [200, of(owner).rows.payment] : [404, 'payment_not_found'],
      ),
    );
  });
});

describe('a wallet of a node above', () => {
  const pay = ({ rows, actor }: Tenant, wallet: string | undefined): Promise<Answer> =>
    api.call('POST', '/api/v1/payments', {
      token: actor.token,
      json: api.paymentBody({ node_id: rows.node, wallet_id: wallet }),
    });
  const map = (tenant: Tenant, wallet: string | undefined, type = 'node', network = 'B'): Promise<Answer> => {
    const json = { node_id: tenant.rows.node, network_id: api.ids.networks[network], wallet_id: wallet, type };
    return call('POST', 'node-network-wallet-defaults', tenant, json);
  };

  it('takes payments of those below, and can be their default', async () => {
    for (const wallet of [branch, shop, group].map(({ rows }) => rows.wallet)) {
      const { status, body } = await pay(branch, wallet);
      expect([status, body.wallet_id, body.node_id]).toEqual([201, wallet, branch.rows.node]);
    }
    await api.knex('node_network_wallet_defaults').where({ network_id: api.ids.networks.B }).delete();
    const { status, body } = await map(branch, group.rows.wallet);
    expect([status, body.wallet.id, body.wallet.node_id]).toEqual([201, group.rows.wallet, group.rows.node]);
    const replaced = { node_id: branch.rows.node, network_id: api.ids.networks.B, type: 'node' };
    const json = { ...replaced, wallet_id: shop.rows.wallet };
    expect((await call('PUT', 'node-network-wallet-defaults', branch, json)).status).toBe(204);
  });

  it('is found through its apex default by payments without a wallet, from two nodes below', async () => {
    const defaults = api.knex('node_network_wallet_defaults');
    await defaults.clone().whereIn('node_id', [branch.rows.node!, shop.rows.node!]).delete();
    await defaults.clone().where({ node_id: group.rows.node, type: 'apex' }).delete();
    expect(codeOf(await pay(branch, undefined))).toEqual([404, 'wallet_not_found']);
    expect((await map(group, group.rows.wallet, 'apex', 'A')).status).toBe(201);
    expect((await pay(branch, undefined)).body.wallet_id).toBe(group.rows.wallet);
    // The mapping of type node is for the node itself.
    expect(codeOf(await pay(of('stall'), of('rival').rows.wallet))).toEqual([201, undefined]);
  });

  it('cannot take payments or be a default from a node beside or below', async () => {
    const before = await fingerprint(api.knex);
    const beside: [Tenant, Tenant][] = [
      [branch, sister],
      [sister, branch],
      [sister, shop],
      [group, branch],
      [shop, branch],
      [branch, of('rival')],
    ];
    for (const [payer, { rows }] of beside) {
      expect(codeOf(await pay(payer, rows.wallet))).toEqual([404, 'wallet_not_found']);
      expect(codeOf(await map(payer, rows.wallet))).toEqual([404, 'wallet_not_found']);
    }
    expect(await fingerprint(api.knex)).toEqual(before);
  });

  it('stays unchanged: nodes below neither see, change nor deploy it, and get events of their own payments alone', async () => {
    const { wallet, node } = group.rows;
    // Their defaults lead to it.
    expect([201, 409]).toContain((await map(group, wallet, 'apex', 'A')).status);
    const before = await fingerprint(api.knex);
    const deployment = { node_id: node, network_id: A };
    for (const below of [branch, shop]) {
      expect((await call('GET', `wallets/${wallet}`, below)).status).toBe(404);
      expect((await call('PUT', `wallets/${wallet}`, below, { is_active: false })).status).toBe(404);
      expect((await call('DELETE', `wallets/${wallet}`, below)).status).toBe(404);
      expect((await call('POST', `wallets/${wallet}/deploy`, below, deployment)).status).toBe(404);
      const own = { ...deployment, node_id: below.rows.node };
      expect((await call('POST', `wallets/${wallet}/deploy`, below, own)).status).toBe(404);
      expect((await call('GET', `webhooks?wallet_id=${wallet}`, below)).status).toBe(404);
      const webhook = { network_id: A, host: 'https://a.example', success_path: '/a', error_path: '/b' };
      const auth = { auth_type: 'token', auth_token: 'token' };
      for (const node_id of [null, node, below === branch ? shop.rows.node : of('rival').rows.node]) {
        const json = { ...webhook, ...auth, wallet_id: wallet, node_id };
        expect((await call('POST', 'webhooks', below, json)).status).toBeGreaterThanOrEqual(403);
      }
    }
    expect(await fingerprint(api.knex)).toEqual(before);
    for (const below of [branch, shop]) {
      const own = { host: 'https://a.example', success_path: '/a', error_path: '/b', node_id: below.rows.node };
      const json = { ...own, network_id: A, wallet_id: wallet, auth_type: 'token', auth_token: 'token' };
      const made = await call('POST', 'webhooks', below, json);
      expect([made.status, made.body.node_id]).toEqual([201, below.rows.node]);
      const seen = await call('GET', `webhooks?wallet_id=${wallet}`, below);
      expect(seen.body.items.map((item: { node_id: string }) => item.node_id)).toContain(below.rows.node);
    }
  });
});

describe('rows of one node do not mix with those of another, even for a caller that reaches both,', () => {
  it('in payments, deployments, lists and webhooks', async () => {
    const body = (change: Record<string, unknown>) => api.paymentBody({ node_id: shop.rows.node, ...change });
    const refused = async (answer: Promise<Answer>, code: string): Promise<void> =>
      expect(codeOf(await answer)).toEqual([404, code]);
    const before = await fingerprint(api.knex);
    for (const other of [branch, sister]) {
      const { member, wallet, node } = other.rows;
      await refused(call('POST', 'payments', group, body({ member_id: member })), 'member_not_found');
      await refused(call('POST', 'payments', group, body({ wallet_id: wallet })), 'wallet_not_found');
      await refused(
        call('POST', `wallets/${shop.rows.wallet}/deploy`, group, { node_id: node, network_id: A }),
        'node_not_found',
      );
      // The caller may ask, but payments of the one node are none of the other's member.
      const listed = await call('GET', `payments?node_id=${shop.rows.node}&member_id=${member}`, group);
      expect(listed.body).toMatchObject({ items: [], total: 0 });
    }
    const webhook = {
      wallet_id: shop.rows.wallet,
      network_id: A,
      node_id: sister.rows.node,
      host: 'https://a.example',
      success_path: '/a',
      error_path: '/b',
      auth_type: 'token',
      auth_token: 'token',
    };
    await refused(call('POST', 'webhooks', group, webhook), 'node_not_found');
    expect(await fingerprint(api.knex)).toEqual(before);
  });
});

describe('the logs', () => {
  it('of a payment do not name an actor from above', async () => {
    const { id } = await group.post(
      'payments',
      api.paymentBody({ node_id: branch.rows.node, wallet_id: branch.rows.wallet }),
    );
    const actorOf = async (reader: Tenant) =>
      (await call('GET', `payments/${id}/logs`, reader)).body.items.at(-1).actor_id;
    expect(await actorOf(branch)).not.toBe(group.actor.id);
    expect(await actorOf(group)).toBe(group.actor.id);
  });
});

describe('the audit log', () => {
  it('calls actors from above the operator, and finds nothing by their id', async () => {
    const json = { node_id: branch.rows.node, external_id: randomUUID(), name: 'Ada' };
    const { id } = await group.post('members', json);
    const entries = async (reader: Tenant, more = '') =>
      (await call('GET', `audit-log?node_id=${branch.rows.node}&resource_id=${id}${more}`, reader)).body.items;
    for (const reader of [branch, shop]) {
      expect(await entries(reader)).toMatchObject([{ actor_type: 'operator', actor_id: null, address: null }]);
      expect(await entries(reader, `&actor_id=${group.actor.id}`)).toEqual([]);
    }
    const seen = [{ actor_type: 'integration', actor_id: group.actor.id, address: expect.any(String) }];
    expect(await entries(group)).toMatchObject(seen);
    expect(await entries(group, `&actor_id=${group.actor.id}`)).toHaveLength(1);
  });
});
