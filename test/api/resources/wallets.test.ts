import { randomUUID } from 'node:crypto';
import { checksum } from '../../../chain/pure/address.ts';
import { diamondAddress } from '../../../chain/pure/addresses.ts';
import { platform, startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const root = await api.actor('root');
const branch = await api.actor('branch');
const rival = await api.actor('rival');

const create = (token: string, json: Record<string, unknown>) => api.call('POST', '/api/v1/wallets', { token, json });
const deploy = (token: string, id: string, json: Record<string, unknown>) =>
  api.call('POST', `/api/v1/wallets/${id}/deploy`, { token, json });

describe('POST /api/v1/wallets', () => {
  it('answers the wallet with the address its diamonds will have', async () => {
    const { status, body } = await create(shop.token, {
      node_id: shop.nodeId,
      chain_id: api.ids.chains.Main,
      name: 'till',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      node_id: shop.nodeId,
      chain_id: api.ids.chains.Main,
      name: 'till',
      address: checksum(diamondAddress(platform, shop.nodeId, body.id)),
      is_active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.created_at,
    });
    expect((await api.call('GET', `/api/v1/wallets/${body.id}`, { token: shop.token })).body).toEqual(body);
  });

  it('takes ids in upper case and a name of 255 characters beyond the BMP', async () => {
    const { status, body } = await create(shop.token, {
      node_id: shop.nodeId.toUpperCase(),
      chain_id: api.ids.chains.Main!.toUpperCase(),
      name: '\u{1F355}'.repeat(255),
    });
    expect([status, body.node_id]).toEqual([201, shop.nodeId]);
  });

  it('answers 404 for a node out of reach and for a chain that is not there, with the same body as for nothing', async () => {
    const chain_id = api.ids.chains.Main;
    const refusals = await Promise.all(
      [api.ids.nodes.root, api.ids.nodes.rival, randomUUID()].map((node_id) =>
        create(shop.token, { node_id, chain_id, name: 'x' }),
      ),
    );
    const bodies = refusals.map(({ status, body }) => ({ ...body, status, request_id: '' }));
    expect(bodies[0]).toMatchObject({ status: 404, code: 'node_not_found' });
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    const { status, body } = await create(shop.token, { node_id: shop.nodeId, chain_id: randomUUID(), name: 'x' });
    expect([status, body.code]).toEqual([404, 'chain_not_found']);
  });
});

describe('GET /api/v1/wallets', () => {
  const list = (token: string, query: string) => api.call('GET', `/api/v1/wallets?${query}`, { token });

  it('lists the wallets of one node, newest first, in pages', async () => {
    const node = await api.actor('rival');
    const made: string[] = [];
    for (let index = 0; index < 12; index += 1) made.unshift((await api.wallet(node)).id);
    const first = await list(node.token, `node_id=${node.nodeId}`);
    expect(first.body).toMatchObject({ page: 1, per_page: 10, total: 12 });
    expect(first.body.items.map((item: { id: string }) => item.id)).toEqual(made.slice(0, 10));
    const second = await list(node.token, `node_id=${node.nodeId}&page=2&per_page=7`);
    expect(second.body).toMatchObject({ page: 2, per_page: 7, total: 12 });
    expect(second.body.items.map((item: { id: string }) => item.id)).toEqual(made.slice(7));
    const beyond = await list(node.token, `node_id=${node.nodeId}&page=1000000&per_page=100`);
    expect(beyond.body).toEqual({ items: [], page: 1_000_000, per_page: 100, total: 12, next_cursor: null });
  });

  it('means one node, and adds what is below it when asked', async () => {
    const own = await api.wallet(shop);
    const below = await api.wallet(branch);
    const ids = async (query: string) => {
      const { body } = await list(root.token, `per_page=100&${query}`);
      return body.items.map((item: { id: string }) => item.id);
    };
    const alone = await ids(`node_id=${shop.nodeId}`);
    expect(alone).toContain(own.id);
    expect(alone).not.toContain(below.id);
    const all = await ids(`node_id=${shop.nodeId}&include_descendants=true`);
    expect(all).toEqual(expect.arrayContaining([own.id, below.id]));
    expect((await list(shop.token, `node_id=${rival.nodeId}`)).status).toBe(404);
  });
});

describe('GET /api/v1/wallets/{id}', () => {
  it('is seen from above, and from nowhere else', async () => {
    const { id } = await api.wallet(shop);
    const statuses = async (...tokens: string[]) =>
      Promise.all(tokens.map(async (token) => (await api.call('GET', `/api/v1/wallets/${id}`, { token })).status));
    expect(await statuses(shop.token, root.token, branch.token, rival.token)).toEqual([200, 200, 404, 404]);
    const foreign = await api.call('GET', `/api/v1/wallets/${id}`, { token: rival.token });
    const absent = await api.call('GET', `/api/v1/wallets/${randomUUID()}`, { token: rival.token });
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' });
  });

  it('is gone when it was deleted', async () => {
    const { id } = await api.wallet(shop);
    await api.knex('wallets').where({ id }).update({ deleted_at: new Date() });
    const { status, body } = await api.call('GET', `/api/v1/wallets/${id}`, { token: shop.token });
    expect([status, body.code]).toEqual([404, 'wallet_not_found']);
  });
});

describe('POST /api/v1/wallets/{id}/deploy', () => {
  it('starts the first step once, also when eight ask at the same time', async () => {
    const wallet = await api.wallet(shop);
    const body = { node_id: shop.nodeId, network_id: api.ids.networks.A };
    const answers = await Promise.all(Array.from({ length: 8 }, () => deploy(shop.token, wallet.id, body)));
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 8 }, () => 201));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.body).toEqual({
      step: 'preflight',
      transaction_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'started',
    });
    const diamonds = await api.knex('diamonds').where({ wallet_id: wallet.id }).select('address', 'network_id');
    expect(diamonds).toEqual([{ address: wallet.address.toLowerCase(), network_id: body.network_id }]);
    expect(api.dispatches).toContain(null);
  });

  it('has one diamond per network, at one address', async () => {
    const wallet = await api.wallet(shop);
    const networks = [api.ids.networks.A, api.ids.networks.B];
    const answers = await Promise.all(
      networks.map((network_id) => deploy(shop.token, wallet.id, { node_id: shop.nodeId, network_id })),
    );
    expect(answers[0]?.body.transaction_id).not.toBe(answers[1]?.body.transaction_id);
    expect(await api.knex('diamonds').where({ wallet_id: wallet.id }).distinct('address').pluck('address')).toEqual([
      wallet.address.toLowerCase(),
    ]);
  });

  it('answers the last step when all are done', async () => {
    const wallet = await api.wallet(shop);
    const body = { node_id: shop.nodeId.toUpperCase(), network_id: api.ids.networks.A!.toUpperCase() };
    await deploy(shop.token, wallet.id, body);
    await api.knex('deployment_steps').update({ status: 'completed' });
    const answer = await deploy(shop.token, wallet.id, body);
    expect([answer.status, answer.body.step, answer.body.status]).toEqual([201, 'activate', 'completed']);
  });

  it('refuses foreign and absent wallets, another node, and networks that are absent, of another chain or without a key', async () => {
    const wallet = await api.wallet(shop);
    const attempt = async (token: string, id: string, change: Record<string, unknown> = {}) => {
      const body = { node_id: shop.nodeId, network_id: api.ids.networks.A, ...change };
      const answer = await deploy(token, id, body);
      return [answer.status, answer.body.code, answer.body.errors?.[0]?.path];
    };
    expect(await attempt(rival.token, wallet.id)).toEqual([404, 'wallet_not_found', undefined]);
    expect(await attempt(branch.token, wallet.id)).toEqual([404, 'wallet_not_found', undefined]);
    expect(await attempt(shop.token, randomUUID())).toEqual([404, 'wallet_not_found', undefined]);
    expect(await attempt(shop.token, 'x')).toEqual([400, 'invalid_request', '/params/id']);
    expect(await attempt(root.token, wallet.id, { node_id: root.nodeId })).toEqual([404, 'node_not_found', undefined]);
    expect(await attempt(shop.token, wallet.id, { network_id: randomUUID() })).toEqual([
      404,
      'network_not_found',
      undefined,
    ]);
    expect(await attempt(shop.token, wallet.id, { network_id: api.ids.networks.S })).toEqual([
      400,
      'invalid_request',
      '/body/network_id',
    ]);
    await api
      .knex('signer_accounts')
      .where({ network_id: api.ids.networks.B, role: 'operator' })
      .update({ role: 'upgrader' });
    expect(await attempt(shop.token, wallet.id, { network_id: api.ids.networks.B })).toEqual([
      409,
      'network_not_prepared',
      undefined,
    ]);
    await api
      .knex('signer_accounts')
      .where({ address: `0x${'0b'.repeat(20)}` })
      .update({ role: 'operator' });
    expect(await attempt(root.token, wallet.id)).toEqual([201, undefined, undefined]);
  });
});
