import { checksum } from '../../../chain/pure/address.ts';
import { diamondAddress } from '../../../chain/pure/platform.ts';
import { permissions as allPermissions } from '../../../domain/access.ts';
import { openStatuses } from '../../../domain/payment.ts';
import { hex } from '../../support/fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { codeOf, statusesOf, together } from '../support/answers.ts';
import { bankTransfer, platform, startApi, type Actor, type Answer } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
const withoutDeploy = await api.actor(
  'shop',
  allPermissions.filter((permission) => permission !== 'wallets.deploy'),
);

type Json = Record<string, unknown>;
const put = (token: string, id: string, json: Json) => api.call('PUT', `/api/v1/wallets/${id}`, { token, json });
const get = (token: string, id: string) => api.call('GET', `/api/v1/wallets/${id}`, { token });
const remove = (token: string, id: string) => api.call('DELETE', `/api/v1/wallets/${id}`, { token });
const deploy = (token: string, id: string, json: Json = {}) =>
  api.call('POST', `/api/v1/wallets/${id}/deploy`, {
    token,
    json: { node_id: shop.nodeId, network_id: api.ids.networks.A, ...json },
  });
const pay = (wallet: { id: string }, change: Json = {}) =>
  api.call('POST', '/api/v1/payments', {
    token: shop.token,
    json: api.paymentBody({ wallet_id: wallet.id, ...change }),
  });
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id }).orderBy('created_at');
const adopted = async (id: string): Promise<boolean> =>
  (await api.knex('wallets').where({ id }).first<{ adopted: boolean }>('adopted')).adopted;
const randomAddress = () => checksum(hex(20));

describe('PUT /api/v1/wallets/{id}', () => {
  it('accepts nothing, and present values, and then changes nothing', async () => {
    const before = await api.wallet(shop);
    const { name, is_active, address } = before as Json & typeof before;
    for (const json of [{}, { name, is_active, address }, { address: address.toLowerCase() }]) {
      expect((await put(shop.token, before.id, json)).status).toBe(204);
    }
    expect((await get(shop.token, before.id)).body).toEqual(before);
    expect(await audited(before.id)).toHaveLength(1);
  });

  it.each([
    { name: 'new', adopted: true },
    { name: 'new', deleted_at: null },
    { name: 'new', address: `0x${'0'.repeat(40)}` },
    { name: 'new', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' },
  ])('refuses %j and changes nothing', async (json) => {
    const before = await api.wallet(shop);
    expect(codeOf(await put(shop.token, before.id, json))).toEqual([400, 'invalid_request']);
    expect((await get(shop.token, before.id)).body).toEqual(before);
    expect(await audited(before.id)).toHaveLength(1);
  });
});

describe('the address of a wallet', () => {
  it('needs wallets.deploy, even if it is unchanged', async () => {
    const wallet = await api.wallet(shop);
    for (const address of [wallet.address, randomAddress(), 'nonsense']) {
      const refusal = await put(withoutDeploy.token, wallet.id, { name: 'new', address });
      expect(codeOf(refusal)).toEqual([403, 'permission_denied']);
      expect(refusal.body.detail).toContain('wallets.deploy');
    }
    expect((await get(shop.token, wallet.id)).body).toEqual(wallet);
    expect((await put(withoutDeploy.token, wallet.id, { name: 'new' })).status).toBe(204);
  });

  it('is adopted, and shown at once; the first one can be restored', async () => {
    const wallet = await api.wallet(shop);
    const address = randomAddress();
    await put(shop.token, wallet.id, { address: address.toLowerCase() });
    expect((await get(shop.token, wallet.id)).body.address).toBe(address);
    expect(await adopted(wallet.id)).toBe(true);
    const { adopted_by: by } = await api.knex('wallets').where({ id: wallet.id }).first();
    expect(by).toBe(shop.nodeId);
    expect((await pay(wallet)).body.diamond_address).toBe(address);
    await api.knex('payments').where({ wallet_id: wallet.id }).update({ status: 'expired', terminal_at: new Date() });
    await put(shop.token, wallet.id, { address: diamondAddress(platform, shop.nodeId, wallet.id) });
    expect((await get(shop.token, wallet.id)).body.address).toBe(wallet.address);
    expect(await adopted(wallet.id)).toBe(false);
  });

  it.each(openStatuses)('stays while a web3 payment is %s', async (status) => {
    const wallet = await api.wallet(shop);
    const payment = (await pay(wallet)).body;
    await api.knex('payments').where({ id: payment.id }).update({ status });
    expect(codeOf(await put(shop.token, wallet.id, { name: 'new', address: randomAddress() }))).toEqual([
      409,
      'wallet_in_use',
    ]);
    expect((await get(shop.token, wallet.id)).body).toEqual(wallet);
    expect((await put(shop.token, wallet.id, { name: 'new', address: wallet.address })).status).toBe(204);
    await api.knex('payments').where({ id: payment.id }).update({ status: 'canceled', terminal_at: new Date() });
    expect((await put(shop.token, wallet.id, { address: randomAddress() })).status).toBe(204);
  });

  it('can change while only payments off the chain name the wallet', async () => {
    const wallet = await api.wallet(shop);
    expect((await pay(wallet, bankTransfer)).status).toBe(201);
    expect((await put(shop.token, wallet.id, { address: randomAddress() })).status).toBe(204);
  });

  it('stays once a diamond is requested or deployed', async () => {
    const wallet = await api.wallet(shop);
    await deploy(shop.token, wallet.id);
    const attempt = () => put(shop.token, wallet.id, { name: 'new', address: randomAddress() });
    expect(codeOf(await attempt())).toEqual([409, 'wallet_deployed']);
    await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ status: 'active' });
    expect(codeOf(await attempt())).toEqual([409, 'wallet_deployed']);
    expect((await get(shop.token, wallet.id)).body).toEqual(wallet);
    expect((await put(shop.token, wallet.id, { name: 'new', address: wallet.address })).status).toBe(204);
  });

  it('can change again when the adoption was refused, and the deployment goes on with the next one', async () => {
    const wallet = await api.wallet(shop);
    const refusedAt = randomAddress();
    await put(shop.token, wallet.id, { address: refusedAt });
    await deploy(shop.token, wallet.id);
    const steps = () =>
      api
        .knex('deployment_steps')
        .whereIn('deployment_id', api.knex('deployments').where({ wallet_id: wallet.id }).select('id'));
    const refuse = async (error_code: string) => {
      await steps().whereIn('key', ['preflight', 'deploy_facets']).update({ status: 'completed' });
      await steps().where({ key: 'deploy_diamond' }).update({ status: 'failed', error_code });
      await api.knex('deployments').where({ wallet_id: wallet.id }).update({ status: 'failed' });
    };
    await refuse('transaction_failed');
    expect(codeOf(await put(shop.token, wallet.id, { address: randomAddress() }))).toEqual([409, 'wallet_deployed']);
    await refuse('not_our_diamond');
    expect((await put(shop.token, wallet.id, { address: wallet.address })).status).toBe(204);
    expect(await adopted(wallet.id)).toBe(false);
    expect((await deploy(shop.token, wallet.id)).body).toMatchObject({ step: 'deploy_diamond', status: 'failed' });
    expect((await deploy(shop.token, wallet.id)).body).toMatchObject({ step: 'deploy_diamond', status: 'started' });
    expect(await api.knex('diamonds').where({ wallet_id: wallet.id }).pluck('address')).toEqual([
      wallet.address.toLowerCase(),
    ]);
  });

  it('cannot be that of another live wallet of the chain', async () => {
    const [one, other, theirs] = [await api.wallet(shop), await api.wallet(shop), await api.wallet(rival)];
    for (const { address } of [other, theirs]) {
      expect(codeOf(await put(shop.token, one.id, { address }))).toEqual([409, 'wallet_address_taken']);
    }
    const address = randomAddress();
    const answers = await Promise.all([one, other].map(({ id }) => put(shop.token, id, { address })));
    expect(answers.map(codeOf).sort(([one], [other]) => Number(one) - Number(other))).toEqual([
      [204, undefined],
      [409, 'wallet_address_taken'],
    ]);
    await remove(rival.token, theirs.id);
    expect((await put(shop.token, one.id, { address: theirs.address })).status).toBe(204);
    // on another chain it is another diamond
    const json = { node_id: shop.nodeId, chain_id: api.ids.chains.Side, name: 'side' };
    const side = (await api.call('POST', '/api/v1/wallets', { token: shop.token, json })).body;
    expect((await put(shop.token, side.id, { address: theirs.address })).status).toBe(204);
  });

  it("cannot be that of a deleted wallet's diamond", async () => {
    const [gone, wallet] = [await api.wallet(shop), await api.wallet(shop)];
    await api.activate(gone, 'A');
    await remove(shop.token, gone.id);
    expect(codeOf(await put(shop.token, wallet.id, { address: gone.address }))).toEqual([409, 'wallet_address_taken']);
  });
});

describe('DELETE /api/v1/wallets/{id}', () => {
  it('takes effect once, however many simultaneous requests there are', async () => {
    const { id } = await api.wallet(shop);
    const answers = await together(4, () => remove(shop.token, id));
    expect(statusesOf(answers)).toEqual([204, 404, 404, 404]);
    expect(await audited(id)).toHaveLength(2);
  });

  it('removes every default that names it, of any node, with an entry at that node', async () => {
    const wallet = await api.wallet(shop);
    const map = async ({ nodeId, token }: Actor, type: string) => {
      const json = { node_id: nodeId, network_id: api.ids.networks.A, wallet_id: wallet.id, type };
      return (await api.call('POST', '/api/v1/node-network-wallet-defaults', { token, json })).body;
    };
    const mappings = [await map(shop, 'node'), await map(shop, 'apex'), await map(branch, 'node')];
    expect((await remove(shop.token, wallet.id)).status).toBe(204);
    expect(await api.knex('node_network_wallet_defaults').where({ wallet_id: wallet.id })).toEqual([]);
    for (const before of mappings) {
      expect((await audited(before.id)).at(-1)).toMatchObject({
        action: 'default.deleted',
        node_id: before.node_id,
        actor_id: shop.id,
        before,
        after: null,
      });
    }
  });

  it('leaves its open payments and its diamond unchanged', async () => {
    const wallet = await api.wallet(shop);
    await api.activate(wallet, 'A');
    const payment = (await pay(wallet)).body;
    expect((await remove(shop.token, wallet.id)).status).toBe(204);
    const { body } = await api.call('GET', `/api/v1/payments/${payment.id}`, { token: shop.token });
    expect(body).toMatchObject({ status: 'pending', wallet_id: wallet.id, diamond_address: wallet.address });
    expect(await api.knex('diamonds').where({ wallet_id: wallet.id, status: 'active' })).toHaveLength(1);
    const listed = await api.call('GET', `/api/v1/payments?node_id=${shop.nodeId}&wallet_id=${wallet.id}`, {
      token: shop.token,
    });
    expect(listed.body.items.map((item: { id: string }) => item.id)).toEqual([payment.id]);
  });
});

describe('simultaneous changes of a wallet:', () => {
  /** Requests that found the wallet locked. */
  const waiting = async (): Promise<number> =>
    (
      await api.knex.raw<{ rows: unknown[] }>(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    ).rows.length;
  /** Makes sure that all requests wait for the wallet's row, each behind the one before, and lets them go. */
  const inOrder = async (id: string, requests: readonly (() => Promise<Answer>)[]): Promise<Answer[]> => {
    const trx = await api.knex.transaction();
    await trx('wallets').where({ id }).forUpdate().first('id');
    const answers: Promise<Answer>[] = [];
    try {
      for (const request of requests) {
        answers.push(request());
        await eventually(async () => (await waiting()) === answers.length);
      }
    } finally {
      await trx.rollback();
    }
    return Promise.all(answers);
  };
  const deactivate = (id: string) => () => put(shop.token, id, { is_active: false });

  it('a payment behind a deletion, a deactivation or an adoption sees the changed wallet', async () => {
    const [gone, off, moved] = [await api.wallet(shop), await api.wallet(shop), await api.wallet(shop)];
    const deleted = await inOrder(gone.id, [() => remove(shop.token, gone.id), () => pay(gone)]);
    expect(deleted.map(codeOf)).toEqual([
      [204, undefined],
      [404, 'wallet_not_found'],
    ]);
    const inactive = await inOrder(off.id, [deactivate(off.id), () => pay(off)]);
    expect(inactive.map(codeOf)).toEqual([
      [204, undefined],
      [409, 'wallet_inactive'],
    ]);
    const address = randomAddress();
    const [change, payment] = await inOrder(moved.id, [() => put(shop.token, moved.id, { address }), () => pay(moved)]);
    expect([change!.status, payment!.status, payment!.body.diamond_address]).toEqual([204, 201, address]);
  });

  it('an adoption behind a payment or a deployment is refused', async () => {
    const [paid, deployed] = [await api.wallet(shop), await api.wallet(shop)];
    const address = randomAddress();
    const behindPayment = await inOrder(paid.id, [() => pay(paid), () => put(shop.token, paid.id, { address })]);
    expect(behindPayment.map(codeOf)).toEqual([
      [201, undefined],
      [409, 'wallet_in_use'],
    ]);
    const behindDeployment = await inOrder(deployed.id, [
      () => deploy(shop.token, deployed.id),
      () => put(shop.token, deployed.id, { address }),
    ]);
    expect(behindDeployment.map(codeOf)).toEqual([
      [201, undefined],
      [409, 'wallet_deployed'],
    ]);
  });

  it('a deployment or a default behind a deletion finds no wallet', async () => {
    const [one, other] = [await api.wallet(shop), await api.wallet(shop)];
    const deployed = await inOrder(one.id, [() => remove(shop.token, one.id), () => deploy(shop.token, one.id)]);
    expect(deployed.map(codeOf)).toEqual([
      [204, undefined],
      [404, 'wallet_not_found'],
    ]);
    const json = { node_id: shop.nodeId, network_id: api.ids.networks.B, wallet_id: other.id, type: 'apex' };
    const mapped = await inOrder(other.id, [
      () => remove(shop.token, other.id),
      () => api.call('POST', '/api/v1/node-network-wallet-defaults', { token: shop.token, json }),
    ]);
    expect(mapped.map(codeOf)).toEqual([
      [204, undefined],
      [404, 'wallet_not_found'],
    ]);
    expect(await api.knex('diamonds').where({ wallet_id: one.id })).toEqual([]);
    expect(await api.knex('node_network_wallet_defaults').where({ wallet_id: other.id })).toEqual([]);
  });

  it('a deletion behind a default removes it', async () => {
    const wallet = await api.wallet(shop);
    const json = { node_id: shop.nodeId, network_id: api.ids.networks.B, wallet_id: wallet.id, type: 'node' };
    const answers = await inOrder(wallet.id, [
      () => api.call('POST', '/api/v1/node-network-wallet-defaults', { token: shop.token, json }),
      () => remove(shop.token, wallet.id),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 204]);
    expect(await api.knex('node_network_wallet_defaults').where({ wallet_id: wallet.id })).toEqual([]);
  });
});
