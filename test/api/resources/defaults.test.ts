import { randomUUID } from 'node:crypto';
import { statusesOf, together } from '../support/answers.ts';
import { bankTransfer, startApi, type Actor } from '../support/api-under-test.ts';

const api = await startApi();
const path = '/api/v1/node-network-wallet-defaults';
const shop = await api.actor('shop');
const root = await api.actor('root');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
const [A, B] = [api.ids.networks.A!, api.ids.networks.B!];

type Json = Record<string, unknown>;
const call = (method: string, token: string, json: Json) => api.call(method, path, { token, json });
const create = (token: string, json: Json) => call('POST', token, json);
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id }).orderBy('created_at');
const rows = () => api.knex('node_network_wallet_defaults').orderBy('id');
const removeWallet = (token: string, id: string) => api.call('DELETE', `/api/v1/wallets/${id}`, { token });
/** Wallets that the shop may not use, with the code of the refusal. */
const unusable = async (): Promise<[code: string, walletId: string][]> => {
  const side = { node_id: shop.nodeId, chain_id: api.ids.chains.Side, name: 'side' };
  const { body: ofSide } = await api.call('POST', '/api/v1/wallets', { token: shop.token, json: side });
  const [inactive, gone, below] = [await api.wallet(shop), await api.wallet(shop), await api.wallet(branch)];
  await api.call('PUT', `/api/v1/wallets/${inactive.id}`, { token: shop.token, json: { is_active: false } });
  await removeWallet(shop.token, gone.id);
  return [
    ['invalid_request', ofSide.id],
    ['wallet_inactive', inactive.id],
    ['wallet_not_found', gone.id],
    ['wallet_not_found', below.id],
  ];
};
/** A valid request for the shop, with a wallet of its own unless one is named. */
const bodyOf = async (change: Json = {}): Promise<Json> => ({
  node_id: shop.nodeId,
  network_id: A,
  wallet_id: 'wallet_id' in change ? null : (await api.wallet(shop)).id,
  type: 'node',
  ...change,
});

beforeEach(() => api.knex('node_network_wallet_defaults').delete());

describe('POST', () => {
  it('takes ids in any case and a wallet of a node above', async () => {
    const wallet = await api.wallet(root);
    const json = { node_id: branch.nodeId, network_id: A, wallet_id: wallet.id };
    const upper = Object.fromEntries(Object.entries(json).map(([key, id]) => [key, id.toUpperCase()]));
    const { status, body } = await create(branch.token, { ...upper, type: 'apex' });
    expect([status, body.wallet.id, body.node_id]).toEqual([201, wallet.id, branch.nodeId]);
  });

  it('keeps one mapping per node, network and type, even of two at the same time', async () => {
    const wallets = await together(8, () => api.wallet(shop));
    const answers = await Promise.all(
      wallets.map(async ({ id }) => create(shop.token, await bodyOf({ wallet_id: id }))),
    );
    expect(statusesOf(answers)).toEqual([201, ...Array(7).fill(409)]);
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, 'default_exists']));
    expect(await rows()).toHaveLength(1);
  });

  it('gives the same answer to all that share an Idempotency-Key', async () => {
    const options = { token: shop.token, json: await bodyOf(), headers: { 'idempotency-key': randomUUID() } };
    const answers = await together(4, () => api.call('POST', path, options));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
  });

  it('refuses a wallet of another chain or of a node below, an inactive one and a deleted one', async () => {
    for (const [code, wallet_id] of await unusable()) {
      const { body } = await create(shop.token, await bodyOf({ wallet_id }));
      expect(body.code).toBe(code);
    }
    expect(await rows()).toEqual([]);
  });
});

it('PUT of the present wallet changes nothing', async () => {
  const before = (await create(shop.token, await bodyOf())).body;
  const wallet_id = (await api.wallet(root)).id;
  for (const token of [shop.token, root.token]) {
    expect((await call('PUT', token, await bodyOf({ wallet_id }))).status).toBe(204);
  }
  expect(await audited(before.id)).toHaveLength(2);
});

it('PUT refuses wallets as POST does', async () => {
  const { wallet_id } = (await create(shop.token, await bodyOf())).body;
  for (const [code, wallet] of await unusable()) {
    const { body } = await call('PUT', shop.token, await bodyOf({ wallet_id: wallet }));
    expect(body.code).toBe(code);
  }
  expect(await rows()).toMatchObject([{ wallet_id }]);
});

it('DELETE takes effect once, however many simultaneous requests there are', async () => {
  const { id } = (await create(shop.token, await bodyOf())).body;
  const key = { node_id: shop.nodeId.toUpperCase(), network_id: A, type: 'node' };
  const answers = await together(4, () => call('DELETE', shop.token, key));
  expect(statusesOf(answers)).toEqual([204, 404, 404, 404]);
  expect(await audited(id)).toHaveLength(2);
});

describe('a payment that names no wallet', () => {
  const pay = async (node: Actor, change: Json = {}): Promise<string> => {
    const { body } = await api.call('POST', '/api/v1/payments', {
      token: node.token,
      json: api.paymentBody({ node_id: node.nodeId, ...change }),
    });
    return body.wallet_id ?? body.code;
  };
  const map = async (node: Actor, type: 'apex' | 'node', wallet: { id: string }, network_id = A): Promise<void> => {
    const { status } = await create(node.token, { node_id: node.nodeId, network_id, wallet_id: wallet.id, type });
    expect(status).toBe(201);
  };

  it("uses its node's mapping, otherwise its node's apex, otherwise the nearest apex above, otherwise none", async () => {
    const [far, near, apex, own] = await Promise.all([
      api.wallet(root),
      api.wallet(shop),
      api.wallet(branch),
      api.wallet(branch),
    ]);
    expect(await pay(branch)).toBe('wallet_not_found');
    await map(root, 'apex', far);
    expect(await pay(branch)).toBe(far.id);
    await map(shop, 'apex', near);
    expect(await pay(branch)).toBe(near.id);
    await map(branch, 'apex', apex);
    expect(await pay(branch)).toBe(apex.id);
    await map(branch, 'node', own);
    expect(await pay(branch)).toBe(own.id);
    // and none of it reaches up or beside
    expect(await pay(shop)).toBe(near.id);
    expect(await pay(rival)).toBe(far.id);
    expect(await pay(branch, { network_id: B })).toBe('wallet_not_found');
  });

  it('never uses a `node` mapping of a node above, and off the chain none at all', async () => {
    await map(shop, 'node', await api.wallet(shop));
    expect(await pay(branch)).toBe('wallet_not_found');
    const json = bankTransfer;
    const { status, body } = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: api.paymentBody(json),
    });
    expect([status, body.wallet_id]).toEqual([201, null]);
  });

  it('falls back to the next mapping when the wallet of one is deleted, even a wallet above', async () => {
    const [far, near] = [await api.wallet(root), await api.wallet(shop)];
    await map(root, 'apex', far);
    await map(shop, 'apex', near);
    await map(branch, 'node', near);
    expect(await pay(branch)).toBe(near.id);
    expect((await removeWallet(root.token, near.id)).status).toBe(204);
    expect(await pay(branch)).toBe(far.id);
    expect(await pay(shop)).toBe(far.id);
    await removeWallet(root.token, far.id);
    expect(await pay(branch)).toBe('wallet_not_found');
  });

  it('is refused when the wallet of its mapping takes no payments, rather than paid elsewhere', async () => {
    const [far, near] = [await api.wallet(root), await api.wallet(shop)];
    await map(root, 'apex', far);
    await map(shop, 'apex', near);
    const change = (is_active: boolean) =>
      api.call('PUT', `/api/v1/wallets/${near.id}`, { token: shop.token, json: { is_active } });
    await change(false);
    expect(await pay(branch)).toBe('wallet_inactive');
    await change(true);
    expect(await pay(branch)).toBe(near.id);
  });
});
