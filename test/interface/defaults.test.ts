import { randomUUID } from 'node:crypto';
import { codeOf, created } from '../api/support/answers.ts';
import { startApi } from '../api/support/api-under-test.ts';
import {
  anyTimestamp,
  anyUuid,
  checkChoices,
  checkFields,
  checkList,
  expectRefused,
  outcomeOf,
  withQuery,
} from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const wallet = await api.wallet(shop);
const second = await api.wallet(shop);
const path = '/api/v1/node-network-wallet-defaults';
const key = { node_id: shop.nodeId, network_id: api.ids.networks.A!, type: 'node' };

type Change = Record<string, unknown>;
const create = (change: Change = {}, token = shop.token) =>
  api.call('POST', path, { token, json: { ...key, wallet_id: wallet.id, ...change } });
const put = (change: Change = {}, token = shop.token) =>
  api.call('PUT', path, { token, json: { ...key, wallet_id: second.id, ...change } });
const remove = (change: Change = {}, token = shop.token) =>
  api.call('DELETE', path, { token, json: { ...key, ...change } });
const list = (query: Record<string, string | undefined> = {}, token = shop.token) =>
  api.call('GET', withQuery(path, { node_id: shop.nodeId, ...query }), { token });
const clear = () => api.knex('node_network_wallet_defaults').delete();
const mapping = async (change: Change = {}) => {
  await clear();
  return created(create(change));
};

const ids = { node_id: 'UUID!', network_id: 'UUID!', wallet_id: 'UUID!', type: 'text!' } as const;

describe('POST', () => {
  const write = {
    tag: '§4 POST /api/v1/node-network-wallet-defaults',
    accepted: 201,
    send: async (change: Change) => {
      await clear();
      return create(change);
    },
  };
  checkFields(write, ids);
  checkChoices(write, { type: ['apex', 'node'] });

  it('§2 Node network wallet default: has every field, with the wallet embedded', async () => {
    const body = await mapping();
    expect(body).toEqual({
      id: anyUuid,
      ...key,
      wallet_id: wallet.id,
      wallet,
      created_at: anyTimestamp,
      updated_at: anyTimestamp,
    });
  });

  it('§2 Node network wallet default: node, network and type together identify it', async () => {
    await mapping();
    expect(codeOf(await create({ wallet_id: second.id }))).toEqual([409, 'default_exists']);
    const others = [
      await create({ type: 'apex' }),
      await create({ network_id: api.ids.networks.B }),
      await create({ node_id: api.ids.nodes.branch }),
    ];
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('§4 POST /api/v1/node-network-wallet-defaults: 201 is the object of the list', async () => {
    const made = await mapping();
    expect((await list()).body.items).toEqual([made]);
  });

  it('§4 POST /api/v1/node-network-wallet-defaults: 404 for a missing node, network or wallet, and one out of reach', async () => {
    await clear();
    const foreign = await api.wallet(rival);
    expect(codeOf(await create({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
    expect(codeOf(await create({ wallet_id: randomUUID() }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await create({ wallet_id: foreign.id }))).toEqual([404, 'wallet_not_found']);
  });

  it('§4 POST /api/v1/node-network-wallet-defaults: 409 for an existing mapping, which stays unchanged', async () => {
    const made = await mapping();
    expect(codeOf(await create({ wallet_id: second.id }))).toEqual([409, 'default_exists']);
    expect((await list()).body.items).toEqual([made]);
  });

  it('§4 POST /api/v1/node-network-wallet-defaults: 400 for an unknown field, and for a network of another chain', async () => {
    await clear();
    expect(outcomeOf(await create({ id: randomUUID() }))).toEqual([400, ['id']]);
    expect(outcomeOf(await create({ network_id: api.ids.networks.S }))).toEqual([400, ['wallet_id']]);
  });
});

describe('GET', () => {
  const tag = '§4 GET /api/v1/node-network-wallet-defaults';
  checkList({ tag, get: list, ids: ['node_id!', 'network_id'] });

  it('§4 GET /api/v1/node-network-wallet-defaults: items are default objects of that node', async () => {
    const made = await mapping();
    const theirs = await api.wallet(rival);
    await create({ node_id: rival.nodeId, wallet_id: theirs.id }, rival.token);
    const { status, body } = await list();
    expect([status, body.items, body.total]).toEqual([200, [made], 1]);
  });

  it('§4 GET /api/v1/node-network-wallet-defaults: network_id and type filter the list', async () => {
    await clear();
    for (const network_id of [api.ids.networks.A!, api.ids.networks.B!]) {
      for (const type of ['apex', 'node']) await create({ network_id, type });
    }
    const found = async (query: Record<string, string>) => {
      const { body } = await list(query);
      return body.items.map((item: Record<string, string>) => `${item.network_id} ${item.type}`).toSorted();
    };
    const [a, b] = [api.ids.networks.A!, api.ids.networks.B!];
    expect(await found({})).toHaveLength(4);
    expect(await found({ network_id: a })).toEqual([`${a} apex`, `${a} node`]);
    expect(await found({ type: 'apex' })).toEqual([`${a} apex`, `${b} apex`].toSorted());
    expect(await found({ network_id: b, type: 'node' })).toEqual([`${b} node`]);
  });

  it('§4 GET /api/v1/node-network-wallet-defaults: type is apex or node (anything else: 400)', async () => {
    const answers = [];
    for (const type of ['', 'x', 'APEX', 'apex,node']) answers.push([type, await list({ type })] as const);
    expectRefused('type', answers);
  });

  it('§4 GET /api/v1/node-network-wallet-defaults: 404 for a missing node or network, and one out of reach', async () => {
    expect(codeOf(await list({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await list({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await list({ network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
  });
});

describe('PUT', () => {
  const send = async (change: Change) => {
    await mapping({ type: 'apex' });
    await create();
    return put(change);
  };
  const write = { tag: '§4 PUT /api/v1/node-network-wallet-defaults', accepted: 204, send };
  checkFields(write, ids);
  checkChoices(write, { type: ['apex', 'node'] });

  it('§4 PUT /api/v1/node-network-wallet-defaults: 204 without a body, and the mapping has the other wallet', async () => {
    const before = await mapping();
    const answer = await put();
    expect([answer.status, answer.text]).toEqual([204, '']);
    const after = { ...before, wallet_id: second.id, wallet: second, updated_at: anyTimestamp };
    expect((await list()).body.items).toEqual([after]);
  });

  it('§4 PUT /api/v1/node-network-wallet-defaults: only the named mapping has the other wallet', async () => {
    await mapping();
    await create({ type: 'apex' });
    await create({ network_id: api.ids.networks.B });
    await put();
    const { body } = await list();
    const walletOf = (wanted: Change) =>
      body.items.find((item: Change) => item.type === wanted.type && item.network_id === wanted.network_id).wallet_id;
    expect(walletOf(key)).toBe(second.id);
    expect(walletOf({ ...key, type: 'apex' })).toBe(wallet.id);
    expect(walletOf({ ...key, network_id: api.ids.networks.B })).toBe(wallet.id);
  });

  it('§4 PUT /api/v1/node-network-wallet-defaults: 404 for a missing default, and one out of reach', async () => {
    await mapping();
    for (const change of [
      { type: 'apex' },
      { network_id: api.ids.networks.B },
      { network_id: randomUUID() },
      { node_id: api.ids.nodes.branch },
      { node_id: randomUUID() },
      { node_id: rival.nodeId },
    ]) {
      expect([change, ...codeOf(await put(change))]).toEqual([change, 404, 'default_not_found']);
    }
    expect((await put({}, rival.token)).status).toBe(404);
    expect((await list()).body.items[0].wallet_id).toBe(wallet.id);
  });

  it('§4 PUT /api/v1/node-network-wallet-defaults: 404 for a missing wallet, and one out of reach', async () => {
    await mapping();
    const foreign = await api.wallet(rival);
    expect(codeOf(await put({ wallet_id: randomUUID() }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await put({ wallet_id: foreign.id }))).toEqual([404, 'wallet_not_found']);
  });
});

describe('DELETE', () => {
  const send = async (change: Change) => {
    await mapping({ type: 'apex' });
    await create();
    return remove(change);
  };
  const write = { tag: '§4 DELETE /api/v1/node-network-wallet-defaults', accepted: 204, send };
  checkFields(write, { node_id: 'UUID!', network_id: 'UUID!', type: 'text!' });
  checkChoices(write, { type: ['apex', 'node'] });

  it('§4 DELETE /api/v1/node-network-wallet-defaults: 204 without a body; the mapping is gone and may be made again', async () => {
    await mapping();
    const { body: kept } = await create({ type: 'apex' });
    const answer = await remove();
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await list()).body).toMatchObject({ items: [kept], total: 1 });
    expect(codeOf(await remove())).toEqual([404, 'default_not_found']);
    expect((await create()).status).toBe(201);
  });

  it('§4 DELETE /api/v1/node-network-wallet-defaults: 404 for a missing default, and one out of reach', async () => {
    await mapping();
    expect(codeOf(await remove({ type: 'apex' }))).toEqual([404, 'default_not_found']);
    expect(codeOf(await remove({ network_id: randomUUID() }))).toEqual([404, 'default_not_found']);
    expect(codeOf(await remove({ node_id: rival.nodeId }))).toEqual([404, 'default_not_found']);
    expect(codeOf(await remove({}, rival.token))).toEqual([404, 'default_not_found']);
    expect((await list()).body.total).toBe(1);
  });

  it('§4 DELETE /api/v1/node-network-wallet-defaults: 400 for a wallet_id, which it does not have', async () => {
    expect(outcomeOf(await remove({ wallet_id: wallet.id }))).toEqual([400, ['wallet_id']]);
  });
});
