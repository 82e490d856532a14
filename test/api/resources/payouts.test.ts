import { checksum } from '../../../chain/pure/address.ts';
import { batchersOf, registryAddress } from '../../../chain/pure/platform.ts';
import { release, releases } from '../../../chain/pure/releases.ts';
import { holdPayments, setPayout } from '../../../db/payouts/payouts.ts';
import { eventually } from '../../support/eventually.ts';
import { codeOf, together } from '../support/answers.ts';
import { bankTransfer, payee, platform, startApi, tokenAddress, type Actor } from '../support/api-under-test.ts';

const api = await startApi();
const [root, shop, branch, rival] = await Promise.all(
  ['root', 'shop', 'branch', 'rival'].map((node) => api.actor(node)),
);
const other = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const third = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const chain = api.ids.chains.Main!;

const pathOf = (nodeId: string, chainId = chain) => `/api/v1/nodes/${nodeId}/payouts/${chainId}`;
const read = (actor: Actor, nodeId = actor.nodeId) => api.call('GET', pathOf(nodeId), { token: actor.token });
const set = (actor: Actor, address: string | null, isLocked: boolean, nodeId = actor.nodeId) =>
  api.call('PUT', pathOf(nodeId), {
    token: actor.token,
    json: { payout_address: address, payout_locked: isLocked },
  });
const pay = async (actor: Actor, address: string, change: Record<string, unknown> = {}) => {
  const wallet = await api.wallet(actor);
  const json = api.paymentBody({ node_id: actor.nodeId, wallet_id: wallet.id, payment_address: address, ...change });
  return api.call('POST', '/api/v1/payments', { token: actor.token, json });
};

beforeEach(() => api.knex('payouts').delete());

describe('a payee that would trap the money is refused', () => {
  const problemOf = async (address: string) => {
    const { status, body } = await pay(shop!, address);
    return [status, body.code, body.errors?.[0]?.path];
  };
  const refused = [400, 'invalid_request', '/body/payment_address'];
  const ours = releases.flatMap(({ facets }) => facets.map(({ address }) => address));

  it.each([
    ['the contract of a token', tokenAddress],
    ['the registry', registryAddress(platform)],
    ...batchersOf(platform).map(({ address }) => [`the batcher ${address}`, address]),
    ['the deterministic deployer', release.deployer],
    ['the zero address', `0x${'00'.repeat(20)}`],
    ['a precompiled contract', `0x${'00'.repeat(18)}0100`],
    ...new Map(ours.map((address) => [`the facet ${address}`, address])),
  ])('%s', async (_, address) => {
    expect(await problemOf(address)).toEqual(refused);
    expect(await problemOf(checksum(address))).toEqual(refused);
    expect((await set(shop!, address, false)).status).toBe(400);
  });

  it('a diamond of any node: of a wallet before its deployment, and a deployed one of a deleted wallet', async () => {
    const wallet = await api.wallet(rival!);
    expect(await problemOf(wallet.address)).toEqual(refused);
    await api.activate(wallet, 'A');
    await api.call('DELETE', `/api/v1/wallets/${wallet.id}`, { token: rival!.token });
    expect(await problemOf(wallet.address)).toEqual(refused);
  });

  it('an address that a node merely claims for a wallet stays a payee', async () => {
    const wallet = await api.wallet(rival!);
    const json = { address: payee };
    const claimed = await api.call('PUT', `/api/v1/wallets/${wallet.id}`, { token: rival!.token, json });
    expect(claimed.status).toBe(204);
    expect((await pay(shop!, payee)).status).toBe(201);
    // The claimant's own payments must not name it: it is the diamond that they would go through.
    const own = await pay(rival!, payee, { wallet_id: wallet.id });
    expect(codeOf(own)).toEqual([400, 'invalid_request']);
  });

  it('a payment off the chain may name anything', async () => {
    const json = api.paymentBody({ ...bankTransfer, payment_address: tokenAddress });
    expect((await api.call('POST', '/api/v1/payments', { token: shop!.token, json })).status).toBe(201);
  });
});

describe('the payout of a node', () => {
  it('is empty before it is set, shown with a checksum, and changed with an entry in the audit log', async () => {
    const empty = { node_id: shop!.nodeId, chain_id: chain, payout_address: null, payout_locked: false };
    expect((await read(shop!)).body).toEqual({ ...empty, locked_address: null, updated_at: null });
    const { status, body } = await set(shop!, payee.toLowerCase(), true);
    expect([status, body.payout_address, body.payout_locked, body.locked_address]).toEqual([200, payee, true, payee]);
    expect((await read(shop!)).body).toEqual(body);
    // The same again changes nothing.
    expect((await set(shop!, payee, true)).body).toEqual(body);
    const entries = await api.knex('audit_log').where({ action: 'payout.updated', resource_id: shop!.nodeId });
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ before: { payout_address: null }, after: { payout_address: payee } });
  });

  it('cannot be locked without an address, and holds nothing but an address', async () => {
    expect(codeOf(await set(shop!, null, true))).toEqual([400, 'invalid_request']);
    expect(codeOf(await set(shop!, payee.replace('F', 'f'), false))).toEqual([400, 'invalid_request']);
  });

  it('is out of reach of others, and its chain must exist', async () => {
    expect(codeOf(await read(rival!, shop!.nodeId))).toEqual([404, 'node_not_found']);
    expect(codeOf(await set(rival!, payee, true, shop!.nodeId))).toEqual([404, 'node_not_found']);
    const options = { token: shop!.token };
    const gone = await api.call('GET', pathOf(shop!.nodeId, '01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72'), options);
    expect(codeOf(gone)).toEqual([404, 'chain_not_found']);
  });
});

describe('a lock', () => {
  it('refuses every other payee of web3 payments of the node and of those below, through any wallet', async () => {
    await set(shop!, payee, true);
    const below = await pay(branch!, other);
    expect(codeOf(below)).toEqual([400, 'payee_not_allowed']);
    expect(below.body.errors[0].message).toContain(payee);
    const { token } = await api.actor('branch', ['payments.create']);
    const { id: wallet_id } = await api.wallet(branch!);
    const json = api.paymentBody({ node_id: branch!.nodeId, wallet_id, payment_address: other });
    const narrow = await api.call('POST', '/api/v1/payments', { token, json });
    expect(codeOf(narrow)).toEqual([400, 'payee_not_allowed']);
    expect(narrow.text).not.toContain(payee);
    const apart = await api.wallet(shop!);
    const named = await pay(branch!, other, { wallet_id: apart.id });
    expect(codeOf(named)).toEqual([400, 'payee_not_allowed']);
    expect((await pay(branch!, payee.toLowerCase())).status).toBe(201);
    expect((await pay(rival!, other)).status).toBe(201);
    const transfer = api.paymentBody({ ...bankTransfer });
    expect((await api.call('POST', '/api/v1/payments', { token: shop!.token, json: transfer })).status).toBe(201);
    await set(shop!, payee, false);
    expect((await pay(branch!, other)).status).toBe(201);
  });

  it('nearest to the root decides, and another address below it is refused', async () => {
    await set(branch!, other, true);
    await set(root!, payee, true);
    expect((await read(branch!)).body).toMatchObject({ payout_address: other, locked_address: payee });
    expect(codeOf(await pay(branch!, other))).toEqual([400, 'payee_not_allowed']);
    expect((await pay(branch!, payee)).status).toBe(201);
    expect(codeOf(await set(branch!, third, true))).toEqual([409, 'payout_locked_above']);
    expect(codeOf(await set(branch!, third, false))).toEqual([409, 'payout_locked_above']);
    expect((await set(branch!, payee, true)).status).toBe(200);
    expect((await set(branch!, null, false)).status).toBe(200);
  });

  it('does not hide the existing payment from a repeated request', async () => {
    const wallet = await api.wallet(shop!);
    const order = { external_id: 'before the lock', wallet_id: wallet.id };
    expect((await pay(shop!, other, order)).status).toBe(201);
    await set(shop!, payee, true);
    expect(codeOf(await pay(shop!, other, order))).toEqual([409, 'payment_exists']);
  });

  it('holds on its own chain only', async () => {
    await api.call('PUT', pathOf(shop!.nodeId, api.ids.chains.Side), {
      token: shop!.token,
      json: { payout_address: payee, payout_locked: true },
    });
    expect((await pay(shop!, other)).status).toBe(201);
  });

  it('holds for every payment that is stored after its answer, however many are being created', async () => {
    const wallet = await api.wallet(shop!);
    const stored = () => api.knex('payments').where({ wallet_id: wallet.id }).pluck('id');
    let answered = 0;
    let refused = 0;
    const create = async (): Promise<void> => {
      while (refused < 20) {
        const { status } = await pay(shop!, other, { wallet_id: wallet.id });
        answered += 1;
        if (status === 400) refused += 1;
      }
    };
    const creating = together(6, create);
    await eventually(() => Promise.resolve(answered >= 12));
    expect((await set(shop!, payee, true)).status).toBe(200);
    const before = await stored();
    await creating;
    expect(before.length).toBeGreaterThan(0);
    expect(new Set(await stored())).toEqual(new Set(before));
  });

  it('in the making delays a payment that was judged before, and then refuses it', async () => {
    const wallet = await api.wallet(branch!);
    const trx = await api.knex.transaction();
    await holdPayments(trx, shop!.nodeId);
    await setPayout(trx, { nodeId: shop!.nodeId, chainId: chain, address: payee.toLowerCase(), isLocked: true });
    const answer = pay(branch!, other, { wallet_id: wallet.id });
    await eventually(async () => {
      const { rows } = await api.knex.raw(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    await trx.commit();
    expect(codeOf(await answer)).toEqual([400, 'payee_not_allowed']);
  });

  it('is enforced by the database, even on a payment that was judged before', async () => {
    const { body } = await pay(shop!, other);
    await set(shop!, payee, true);
    const copy = api.knex.raw(
      `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
         'external_id', 'copy', 'deal_id', p.deal_id + 1))).* FROM payments p WHERE id = ?`,
      [body.id],
    );
    await expect(copy).rejects.toMatchObject({ code: '23514', constraint: 'payments_payout_lock' });
  });
});

describe('the permission payout.update', () => {
  it('is needed to set, and only integrations whose creator names it have it', async () => {
    const create = (json: Record<string, unknown>) =>
      api.call('POST', '/api/v1/integrations', { token: shop!.token, json: { node_id: shop!.nodeId, ...json } });
    const heir = await create({ name: 'heir' });
    expect(heir.body.permissions).not.toContain('payout.update');
    expect(heir.body.permissions).toContain('wallets.deploy');
    const named = await create({ name: 'named', permissions: ['wallets.read', 'payout.update'] });
    expect(named.body.permissions).toContain('payout.update');
    const thief = await api.actor('shop', ['wallets.create', 'wallets.update', 'wallets.deploy', 'payments.create']);
    expect(codeOf(await set(thief, other, true))).toEqual([403, 'permission_denied']);
  });
});
