import { randomUUID } from 'node:crypto';
import { startApi, type Actor, type Answer } from '../support/api-under-test.ts';

const api = await startApi();
const path = '/api/v1/node-network-wallet-defaults';
const shop = await api.actor('shop');
const root = await api.actor('root');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
const [A, B, S] = ['A', 'B', 'S'].map((name) => api.ids.networks[name]!) as [string, string, string];

type Json = Record<string, unknown>;
const call = (method: string, token: string, json: Json) => api.call(method, path, { token, json });
const create = (token: string, json: Json) => call('POST', token, json);
const list = (token: string, query: string) => api.call('GET', `${path}?${query}`, { token });
const anonymous = ({ status, body }: Answer) => ({ ...body, status, request_id: '' });
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id }).orderBy('created_at');
const rows = () => api.knex('node_network_wallet_defaults').orderBy('id');
const removeWallet = (token: string, id: string) => api.call('DELETE', `/api/v1/wallets/${id}`, { token });
const sideWallet = async ({ nodeId, token }: Actor): Promise<{ id: string }> => {
  const json = { node_id: nodeId, chain_id: api.ids.chains.Side, name: 'side' };
  return (await api.call('POST', '/api/v1/wallets', { token, json })).body;
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
  it('answers the mapping with its wallet, as the list does', async () => {
    const wallet = await api.wallet(shop);
    const json = await bodyOf({ wallet_id: wallet.id });
    const { status, body } = await create(shop.token, json);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...json,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      wallet,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect((await list(shop.token, `node_id=${shop.nodeId}`)).body.items).toEqual([body]);
    expect(await audited(body.id)).toMatchObject([{ action: 'default.created', node_id: shop.nodeId, after: body }]);
  });

  it('takes ids in any case and a wallet of a node above', async () => {
    const wallet = await api.wallet(root);
    const json = { node_id: branch.nodeId, network_id: A, wallet_id: wallet.id };
    const upper = Object.fromEntries(Object.entries(json).map(([key, id]) => [key, id.toUpperCase()]));
    const { status, body } = await create(branch.token, { ...upper, type: 'apex' });
    expect([status, body.wallet.id, body.node_id]).toEqual([201, wallet.id, branch.nodeId]);
  });

  it('keeps one mapping per node, network and type, also of two at the same time', async () => {
    const wallets = await Promise.all(Array.from({ length: 8 }, () => api.wallet(shop)));
    const answers = await Promise.all(
      wallets.map(async ({ id }) => create(shop.token, await bodyOf({ wallet_id: id }))),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array(7).fill(409)]);
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, 'default_exists']));
    expect(await rows()).toHaveLength(1);
    for (const change of [{ type: 'apex' }, { network_id: B }]) {
      expect((await create(shop.token, await bodyOf(change))).status).toBe(201);
    }
  });

  it('answers the same to all that share an Idempotency-Key', async () => {
    const options = { token: shop.token, json: await bodyOf(), headers: { 'idempotency-key': randomUUID() } };
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.call('POST', path, options)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
  });

  it('refuses what it refers to when that is absent or foreign, with the same body', async () => {
    const pairs: [string, Json, Json][] = [
      ['node_not_found', { node_id: rival.nodeId }, { node_id: randomUUID() }],
      ['node_not_found', { node_id: root.nodeId }, { node_id: randomUUID() }],
      ['network_not_found', { network_id: randomUUID() }, { network_id: randomUUID() }],
      ['wallet_not_found', { wallet_id: (await api.wallet(rival)).id }, { wallet_id: randomUUID() }],
      // what is below may not be used from above
      ['wallet_not_found', { wallet_id: (await api.wallet(branch)).id }, { wallet_id: randomUUID() }],
    ];
    for (const [code, foreign, absent] of pairs) {
      const one = await create(shop.token, await bodyOf(foreign));
      const other = await create(shop.token, await bodyOf(absent));
      expect(anonymous(one)).toMatchObject({ status: 404, code });
      expect(anonymous(one)).toEqual(anonymous(other));
    }
    expect(await rows()).toEqual([]);
  });

  it('refuses a wallet of another chain, an inactive one and a deleted one', async () => {
    const attempt = async (wallet_id: string, change: Json = {}) => {
      const { status, body } = await create(shop.token, await bodyOf({ wallet_id, ...change }));
      return [status, body.code, body.errors?.[0]?.path];
    };
    const { id } = await api.wallet(shop);
    expect(await attempt(id, { network_id: S })).toEqual([400, 'invalid_request', '/body/wallet_id']);
    expect(await attempt((await sideWallet(shop)).id)).toEqual([400, 'invalid_request', '/body/wallet_id']);
    await api.call('PUT', `/api/v1/wallets/${id}`, { token: shop.token, json: { is_active: false } });
    expect(await attempt(id)).toEqual([409, 'wallet_inactive', undefined]);
    await removeWallet(shop.token, id);
    expect(await attempt(id)).toEqual([404, 'wallet_not_found', undefined]);
    expect(await rows()).toEqual([]);
  });

  it.each([
    ['an unknown field', { id: randomUUID() }],
    ['another type', { type: 'root' }],
    ['no type', { type: undefined }],
    ['no node', { node_id: undefined }],
    ['no network', { network_id: undefined }],
    ['no wallet', { wallet_id: undefined }],
    ['a wallet that is no id', { wallet_id: 'x' }],
  ])('refuses %s', async (_what, change) => {
    const { status, body } = await create(shop.token, { ...(await bodyOf()), ...change });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(await rows()).toEqual([]);
  });
});

describe('GET', () => {
  it('lists one node, newest first, in pages, and filters by network and type', async () => {
    const made: { id: string; network_id: string; type: string }[] = [];
    for (const network_id of [A, B]) {
      for (const type of ['node', 'apex']) {
        made.unshift((await create(shop.token, await bodyOf({ network_id, type }))).body);
      }
    }
    const below = (await create(branch.token, await bodyOf({ node_id: branch.nodeId }))).body;
    const of = async (query: string, token = shop.token) =>
      (await list(token, `node_id=${shop.nodeId}${query}`)).body.items;
    expect(await of('')).toEqual(made);
    expect(await of('', root.token)).toEqual(made);
    expect(await of(`&network_id=${A}`)).toEqual(made.filter((item) => item.network_id === A));
    expect(await of(`&type=apex&network_id=${B.toUpperCase()}`)).toEqual([made[0]]);
    expect(await of('&include_descendants=true&type=node')).toEqual([
      below,
      ...made.filter((item) => item.type === 'node'),
    ]);
    const page = await list(shop.token, `node_id=${shop.nodeId}&page=2&per_page=3`);
    expect(page.body).toEqual({ items: [made[3]], page: 2, per_page: 3, total: 4, next_cursor: null });
    const first = await list(shop.token, `node_id=${shop.nodeId}&per_page=3`);
    expect(await of(`&per_page=3&cursor=${first.body.next_cursor}`)).toEqual([made[3]]);
  });

  it('answers 404 for a node or network that is foreign or absent, 400 for a filter that is none', async () => {
    const ask = async (query: string) => {
      const { status, body } = await list(shop.token, query);
      return [status, body.code];
    };
    expect(await ask(`node_id=${rival.nodeId}`)).toEqual([404, 'node_not_found']);
    expect(await ask(`node_id=${randomUUID()}`)).toEqual([404, 'node_not_found']);
    expect(await ask(`node_id=${shop.nodeId}&network_id=${randomUUID()}`)).toEqual([404, 'network_not_found']);
    expect(await ask(`node_id=${shop.nodeId}&type=root`)).toEqual([400, 'invalid_request']);
    expect(await ask(`node_id=${shop.nodeId}&wallet_id=${randomUUID()}`)).toEqual([400, 'invalid_request']);
    expect(await ask('type=node')).toEqual([400, 'invalid_request']);
  });
});

describe('PUT', () => {
  it('gives the mapping another wallet', async () => {
    const before = (await create(shop.token, await bodyOf())).body;
    const wallet = await api.wallet(root);
    const { status, text } = await call('PUT', shop.token, await bodyOf({ wallet_id: wallet.id }));
    expect([status, text]).toEqual([204, '']);
    const [after] = (await list(shop.token, `node_id=${shop.nodeId}`)).body.items;
    expect(after).toEqual({ ...before, wallet_id: wallet.id, wallet, updated_at: expect.any(String) });
    expect((await audited(before.id)).at(-1)).toMatchObject({ action: 'default.replaced', before, after });
    expect((await call('PUT', root.token, await bodyOf({ wallet_id: wallet.id }))).status).toBe(204);
    expect(await audited(before.id)).toHaveLength(2);
  });

  it('refuses a mapping that is not there or foreign, and wallets as POST does', async () => {
    const kept = (await create(shop.token, await bodyOf())).body;
    const attempt = async (change: Json, token = shop.token) => {
      const { status, body } = await call('PUT', token, await bodyOf(change));
      return [status, body.code];
    };
    expect(await attempt({ type: 'apex' })).toEqual([404, 'default_not_found']);
    expect(await attempt({ network_id: B })).toEqual([404, 'default_not_found']);
    expect(await attempt({ network_id: randomUUID() })).toEqual([404, 'default_not_found']);
    expect(await attempt({ node_id: randomUUID() })).toEqual([404, 'default_not_found']);
    for (const token of [rival.token, branch.token]) {
      const json = await bodyOf();
      const foreign = await call('PUT', token, json);
      expect(anonymous(foreign)).toMatchObject({ status: 404, code: 'default_not_found' });
      expect(anonymous(foreign)).toEqual(anonymous(await call('PUT', token, { ...json, node_id: randomUUID() })));
    }
    expect(await attempt({ wallet_id: (await api.wallet(rival)).id })).toEqual([404, 'wallet_not_found']);
    expect(await attempt({ wallet_id: randomUUID() })).toEqual([404, 'wallet_not_found']);
    expect(await attempt({ wallet_id: (await sideWallet(shop)).id })).toEqual([400, 'invalid_request']);
    expect(await attempt({ id: kept.id })).toEqual([400, 'invalid_request']);
    const { id } = await api.wallet(shop);
    await api.call('PUT', `/api/v1/wallets/${id}`, { token: shop.token, json: { is_active: false } });
    expect(await attempt({ wallet_id: id })).toEqual([409, 'wallet_inactive']);
    expect((await list(shop.token, `node_id=${shop.nodeId}`)).body.items).toEqual([kept]);
  });
});

describe('DELETE', () => {
  it('removes the mapping, once; then it can be made again', async () => {
    const before = (await create(shop.token, await bodyOf())).body;
    const key = { node_id: shop.nodeId.toUpperCase(), network_id: A, type: 'node' };
    for (const token of [rival.token, branch.token]) {
      const foreign = await call('DELETE', token, key);
      expect(anonymous(foreign)).toMatchObject({ status: 404, code: 'default_not_found' });
      expect(anonymous(foreign)).toEqual(anonymous(await call('DELETE', token, { ...key, node_id: randomUUID() })));
    }
    expect((await call('DELETE', shop.token, { ...key, wallet_id: before.wallet_id })).status).toBe(400);
    expect((await call('DELETE', shop.token, { ...key, type: 'apex' })).status).toBe(404);
    expect(await rows()).toHaveLength(1);
    const answers = await Promise.all(Array.from({ length: 4 }, () => call('DELETE', shop.token, key)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 404, 404, 404]);
    expect((await audited(before.id)).at(-1)).toMatchObject({ action: 'default.deleted', before, after: null });
    expect((await create(shop.token, await bodyOf())).status).toBe(201);
  });
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

  it("uses its node's mapping, else its node's apex, else the nearest apex above, else none", async () => {
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

  it("never uses a `node` mapping of a node above, or anybody's off the chain", async () => {
    await map(shop, 'node', await api.wallet(shop));
    expect(await pay(branch)).toBe('wallet_not_found');
    const json = { payment_method: 'bank_transfer', payment_address: 'DE00 1234 5678' };
    const { status, body } = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: api.paymentBody(json),
    });
    expect([status, body.wallet_id]).toEqual([201, null]);
  });

  it('falls back to the next mapping when the wallet of one is deleted, also from above', async () => {
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

  it('is refused when the wallet of its mapping takes none, rather than paid elsewhere', async () => {
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
