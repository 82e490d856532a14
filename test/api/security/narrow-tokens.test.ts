import { randomUUID } from 'node:crypto';
import type { Permission } from '../../../domain/access.ts';
import { raiseAlerts } from '../../../db/alerts/alerts.ts';
import type { Alert } from '../../../domain/ports/alert.ts';
import { startApi } from '../support/api-under-test.ts';
import { createTenant } from '../support/tenant.ts';

/* Attacks by tokens with one permission or two, each on another way to what somebody else has stored. */

const api = await startApi({
  nodes: [{ name: 'group', children: [{ name: 'shop', children: [{ name: 'branch' }] }] }],
});
const admin = await createTenant(api, 'shop');
const token = async (held: readonly Permission[], node = 'shop') => (await api.actor(node, held)).token;

afterAll(() => api.stop());

const call = (method: string, path: string, t: string, json?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, `/api/v1/${path}`, { token: t, headers, ...(json === undefined ? {} : { json }) });

describe('payouts', () => {
  const locked = `0x${'c0ffee01'.repeat(5)}`;
  it('a PUT that changes nothing names no address that a node above has locked to whoever lacks wallets.read', async () => {
    const set = await call('PUT', `nodes/${admin.rows.node}/payouts/${api.ids.chains.Side}`, admin.actor.token, {
      payout_address: locked,
      payout_locked: true,
    });
    expect(set.status).toBe(200);
    const narrow = await token(['payout.update'], 'branch');
    const path = `nodes/${api.ids.nodes.branch}/payouts/${api.ids.chains.Side}`;
    const refused = await call('PUT', path, narrow, { payout_address: `0x${'ab'.repeat(20)}`, payout_locked: true });
    expect([refused.status, refused.text.toLowerCase().includes('c0ffee')]).toEqual([409, false]);
    const { status, text } = await call('PUT', path, narrow, { payout_address: null, payout_locked: false });
    expect([status, text.toLowerCase().includes('c0ffee'), text]).toEqual([200, false, text]);
  });
});

describe('integrations', () => {
  it('revoke and rotate name no permission of another integration to whoever lacks integrations.read', async () => {
    const target = await api.actor('shop', ['audit.read', 'payout.update', 'members.delete']);
    const told = [
      await call('DELETE', `integrations/${target.id}`, await token(['integrations.delete'])),
      await call('POST', `integrations/${target.id}/rotate`, await token(['integrations.update']), {}),
    ];
    expect(told.map(({ status }) => status)).toEqual([403, 403]);
    expect(told.map(({ body }) => body.detail)).toEqual([
      expect.not.stringMatching(/audit\.read|payout\.update|members\.delete/),
      expect.not.stringMatching(/audit\.read|payout\.update|members\.delete/),
    ]);
  });
  it('a replayed creation names no permission of the stored integration to a token without integrations.read', async () => {
    const { apiKey, secret } = admin.actor.credentials;
    const json = { grant_type: 'client_credentials', api_key: apiKey, secret, scope: 'integrations.create' };
    const narrow = (await api.call('POST', '/api/v1/auth/token', { json })).body.access_token;
    const headers = { 'idempotency-key': randomUUID() };
    const wanted = { node_id: admin.rows.node, name: randomUUID() };
    expect((await call('POST', 'integrations', admin.actor.token, wanted, headers)).status).toBe(201);
    const again = await call('POST', 'integrations', narrow, wanted, headers);
    expect([again.status, again.body.detail]).toEqual([403, expect.not.stringMatching(/audit\.read|payments\.settle/)]);
  });
});

/** An alert of any kind, without its subject. */
type AlertOf = Pick<Alert, 'kind' | 'message' | 'data'>;

describe('alerts', () => {
  /** As the processes raise it, about an active diamond of a wallet of the shop. */
  const shownTo = async (held: readonly Permission[], alertOf: (diamond: string) => AlertOf) => {
    const wallet = await api.wallet(admin.actor);
    await api.activate(wallet, 'A');
    const subject = randomUUID();
    await raiseAlerts(api.knex, api.ids.networks.A!, [{ subject, ...alertOf(wallet.address.toLowerCase()) } as Alert]);
    const { id, node_id } = await api.knex('alerts').where({ subject_id: subject }).first('id', 'node_id');
    expect(node_id).toBeNull();
    const narrow = await token(['alerts.read', ...held], 'group');
    const { body } = await call('GET', 'alerts?per_page=100', narrow);
    const alert = body.items.find((one: { id: string }) => one.id === id);
    return [JSON.stringify(alert), wallet.address.toLowerCase()] as const;
  };

  it.each<[string, (diamond: string) => AlertOf]>([
    [
      'cut_not_asked_for',
      (diamond) => ({
        kind: 'cut_not_asked_for',
        message: `The diamond ${diamond} was cut: x`,
        data: { diamond, served: {} },
      }),
    ],
    [
      'simulation_failed of a cut',
      (to) => ({ kind: 'simulation_failed', message: 'A diamond_cut on A cannot be sent: x', data: { to } }),
    ],
    [
      'lane_paused after a restore',
      (one) => ({
        kind: 'lane_paused',
        message: 'The account has transactions that Carat does not know',
        data: { why: `the word of the deal 77 on ${one} does not bear out its transaction` },
      }),
    ],
  ])("%s shows the address of a shop's wallet only with wallets.read", async (_kind, alertOf) => {
    const [shown, diamond] = await shownTo([], alertOf);
    expect([shown.includes(diamond), shown]).toEqual([false, shown]);
  });

  it.each([
    'endpoint_refuses',
    'endpoint_at_rest',
    'network_unreachable',
    'transaction_failed',
    'outcome_unknown',
  ] as const)('%s shows the words of an endpoint, or a transaction, only with wallets.read', async (kind) => {
    const [shown, diamond] = await shownTo([], (one) => ({
      kind,
      message: `no access to ${one}`,
      data: { words: one },
    }));
    expect([shown.includes(diamond), shown]).toEqual([false, shown]);
  });

  it('lane_paused after a restore shows the deal of a stored payment only with payments.read', async () => {
    const why = 'the word of the deal 4242424242 does not bear out its transaction';
    const [shown] = await shownTo(['wallets.read'], () => ({ kind: 'lane_paused', message: why, data: { why } }));
    expect([shown.includes('4242424242'), shown]).toEqual([false, shown]);
  });

  it('lane_resumed shows the deal ids of stored payments only with payments.read', async () => {
    const [shown] = await shownTo(['wallets.read'], (diamond) => ({
      kind: 'lane_resumed',
      message: 'After a restore, the operator goes on',
      // The deals of these cancels belong to payments that the database has.
      data: { deals_unknown: [], cancels_not_asked_for: [{ diamond, deal_id: '4242424242' }] },
    }));
    expect([shown.includes('4242424242'), shown]).toEqual([false, shown]);
  });
});

describe('webhooks', () => {
  const period = { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', include_delivered: true };

  it('a replay, which counts events of payments, needs payments.read', async () => {
    const path = `webhooks/${admin.rows.webhook}/replay`;
    expect((await call('POST', path, await token(['webhooks.update']), period)).status).toBe(403);
    expect((await call('POST', path, await token(['webhooks.update', 'payments.read']), period)).status).toBe(202);
  });

  it('the audit log tells the count of a replay only with payments.read', async () => {
    await call('POST', `webhooks/${admin.rows.webhook}/replay`, admin.actor.token, period);
    const countFor = async (held: readonly Permission[]) => {
      const query = `node_id=${admin.rows.node}&action=webhook.replayed&per_page=1`;
      const { body } = await call('GET', `audit-log?${query}`, await token(['audit.read', 'webhooks.read', ...held]));
      return body.items[0].after.count;
    };
    expect([await countFor([]), await countFor(['payments.read'])]).toEqual([null, expect.any(Number)]);
  });
});
