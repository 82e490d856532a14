import { randomUUID } from 'node:crypto';
import { codeOf, idsOf } from '../support/answers.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';

const api = await startApi({
  nodes: [{ name: 'platform', children: [{ name: 'shop', children: [{ name: 'branch' }] }, { name: 'rival' }] }],
});
const [platform, shop, branch, rival] = (await Promise.all(
  ['platform', 'shop', 'branch', 'rival'].map((name) => api.actor(name)),
)) as [Actor, Actor, Actor, Actor];

const insert = async (node_id: string | null, change: Record<string, unknown> = {}): Promise<string> => {
  const row = { kind: 'payment_after_end', dedupe_key: randomUUID(), message: 'look at it', node_id, ...change };
  const [{ id }] = await api.knex('alerts').insert(row).returning('id');
  return id;
};
const list = (by: Actor, query = '') => api.call('GET', `/api/v1/alerts?per_page=100${query}`, { token: by.token });
const close = (by: Actor, id: string, headers = {}) =>
  api.call('POST', `/api/v1/alerts/${id}/close`, { token: by.token, headers });

beforeEach(() => api.knex('alerts').delete());

it("GET /api/v1/alerts shows each node its own alerts and those below, and the operator's to nodes without a parent only", async () => {
  const network = await insert(null, { kind: 'network_halted', is_condition: true, network_id: api.ids.networks.A });
  const [ofShop, ofBranch, ofRival] = [
    await insert(shop.nodeId),
    await insert(branch.nodeId),
    await insert(rival.nodeId),
  ];
  const seen = async (by: Actor) => new Set(idsOf(await list(by)));
  expect(await seen(platform)).toEqual(new Set([network, ofShop, ofBranch, ofRival]));
  expect(await seen(shop)).toEqual(new Set([ofShop, ofBranch]));
  expect(await seen(branch)).toEqual(new Set([ofBranch]));
  expect(await seen(rival)).toEqual(new Set([ofRival]));
  expect((await list(shop)).body.total).toBe(2);
});

it('GET /api/v1/alerts is filtered by state and kind', async () => {
  const open = await insert(shop.nodeId);
  const closed = await insert(shop.nodeId, { closed_at: new Date() });
  const other = await insert(shop.nodeId, { kind: 'webhook_failing', is_condition: true });
  expect(idsOf(await list(shop, '&state=open'))).toEqual([other, open]);
  expect(idsOf(await list(shop, '&state=closed'))).toEqual([closed]);
  expect(idsOf(await list(shop, '&kind=webhook_failing'))).toEqual([other]);
  expect((await list(shop, '&kind=nonsense')).status).toBe(400);
});

describe('POST /api/v1/alerts/{id}/close', () => {
  it('closes it once, and the audit log has the caller', async () => {
    const id = await insert(shop.nodeId);
    const { status, body } = await close(shop, id);
    expect([status, body.id, body.closed_by]).toEqual([200, id, 'person']);
    const again = await close(platform, id);
    expect([again.status, again.body]).toEqual([200, body]);
    const entries = await api.knex('audit_log').where({ resource_id: id });
    expect(entries.map(({ action, actor_id, node_id }) => [action, actor_id, node_id])).toEqual([
      ['alert.closed', shop.id, shop.nodeId],
    ]);
  });

  it('gives the same answer for an alert out of reach and a missing one', async () => {
    const own = await insert(shop.nodeId);
    const operators = await insert(null, { kind: 'network_halted', is_condition: true });
    for (const [by, id] of [
      [rival, own],
      [branch, own],
      [shop, operators],
      [shop, randomUUID()],
    ] as [Actor, string][]) {
      expect(codeOf(await close(by, id))).toEqual([404, 'alert_not_found']);
    }
    expect(await api.knex('alerts').whereNotNull('closed_at')).toEqual([]);
    expect((await close(platform, operators)).status).toBe(200);
  });

  it('gives the same answer under the same Idempotency-Key, even for an alert of the operator', async () => {
    for (const node of [shop.nodeId, null]) {
      const id = await insert(node);
      const key = { 'idempotency-key': randomUUID() };
      const [first, again] = [await close(platform, id, key), await close(platform, id, key)];
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    }
  });

  it('needs alerts.update, and reading needs alerts.read', async () => {
    const id = await insert(shop.nodeId);
    const reader = await api.actor('shop', ['alerts.read']);
    expect(codeOf(await close(reader, id))).toEqual([403, 'permission_denied']);
    expect((await list(reader)).body.total).toBe(1);
    expect(codeOf(await list(await api.actor('shop', ['alerts.update'])))).toEqual([403, 'permission_denied']);
  });

  it('shows what Carat closed as closed by Carat', async () => {
    await insert(shop.nodeId, { is_condition: true, kind: 'simulation_failed', closed_at: new Date() });
    expect((await list(shop)).body.items[0]).toMatchObject({ closed_by: 'carat', is_condition: true });
  });
});
