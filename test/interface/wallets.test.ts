import { randomUUID } from 'node:crypto';
import { createDeploymentStore } from '../../db/wallets/deployment-store.ts';
import { codeOf, created } from '../api/support/answers.ts';
import { startApi } from '../api/support/api-under-test.ts';
import {
  anyAddress,
  anyTimestamp,
  anyUuid,
  checkFields,
  checkList,
  expectRefused,
  outcomeOf,
  withQuery,
} from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const path = '/api/v1/wallets';
const chain_id = api.ids.chains.Main;
const network_id = api.ids.networks.A!;

const create = (change: Record<string, unknown> = {}, token = shop.token) =>
  api.call('POST', path, { token, json: { node_id: shop.nodeId, chain_id, name: 'Till', ...change } });
const get = (id: string, token = shop.token) => api.call('GET', `${path}/${id}`, { token });
const put = (id: string, json: Record<string, unknown>, token = shop.token) =>
  api.call('PUT', `${path}/${id}`, { token, json });
const remove = (id: string, token = shop.token) => api.call('DELETE', `${path}/${id}`, { token });
const list = (query: Record<string, string | undefined> = {}, token = shop.token) =>
  api.call('GET', withQuery(path, { node_id: shop.nodeId, ...query }), { token });
const deploy = (id: string, change: Record<string, unknown> = {}, token = shop.token) =>
  api.call('POST', `${path}/${id}/deploy`, { token, json: { node_id: shop.nodeId, network_id, ...change } });
const wallet = (change: Record<string, unknown> = {}) => created(create(change));
const pay = (wallet_id: string) =>
  api.call('POST', '/api/v1/payments', { token: shop.token, json: api.paymentBody({ wallet_id }) });

describe('POST', () => {
  const tag = '§4 POST /api/v1/wallets';
  checkFields({ tag, accepted: 201, send: create }, { node_id: 'UUID!', chain_id: 'UUID!', name: 'text!' });

  it('§2 Wallet: has every field of the table', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: anyUuid,
      node_id: shop.nodeId,
      chain_id,
      name: 'Till',
      address: anyAddress,
      is_active: true,
      deal_modes: [],
      created_at: anyTimestamp,
      updated_at: anyTimestamp,
    });
  });

  it.each(['id', 'address', 'is_active', 'created_at', 'updated_at'])(
    '§4 POST /api/v1/wallets: 400 for %s, which the creator cannot set',
    async (field) => {
      const made = await wallet();
      expect(outcomeOf(await create({ [field]: made[field] }))).toEqual([400, [field]]);
    },
  );

  it('§4 POST /api/v1/wallets: 201 is the wallet object, which GET answers in the same way', async () => {
    const { body } = await create();
    expect((await get(body.id)).body).toEqual(body);
  });

  it('§4 POST /api/v1/wallets: every wallet has an address of its own; names may be the same', async () => {
    const [one, two] = [await wallet(), await wallet()];
    expect(one.address).not.toBe(two.address);
  });

  it('§4 POST /api/v1/wallets: 404 for a missing node and one out of reach, and for a missing chain', async () => {
    expect(codeOf(await create({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ chain_id: randomUUID() }))).toEqual([404, 'chain_not_found']);
  });
});

describe('GET', () => {
  checkList({ tag: '§4 GET /api/v1/wallets', get: list, ids: ['node_id!'] });

  it('§4 GET /api/v1/wallets: items are full wallets of that node', async () => {
    const mine = await wallet();
    await create({ node_id: rival.nodeId }, rival.token);
    const { status, body } = await list({ per_page: '100' });
    expect(status).toBe(200);
    expect(body.items).toContainEqual(mine);
    expect(new Set(body.items.map((item: { node_id: string }) => item.node_id))).toEqual(new Set([shop.nodeId]));
  });

  it('§4 GET /api/v1/wallets: 404 for a missing node, and one out of reach', async () => {
    expect(codeOf(await list({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await list({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
  });

  it('§4 GET /api/v1/wallets/{id}: 200 is the full wallet', async () => {
    const made = await wallet();
    const { status, body } = await get(made.id);
    expect([status, body]).toEqual([200, made]);
  });

  it('§4 GET /api/v1/wallets/{id}: 404 for a missing wallet and one out of reach, 400 for an id that is no UUID', async () => {
    const { id } = await wallet();
    expect(codeOf(await get(randomUUID()))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await get(id, rival.token))).toEqual([404, 'wallet_not_found']);
    expect(outcomeOf(await get('x'))).toEqual([400, ['id']]);
  });
});

describe('PUT', () => {
  checkFields(
    {
      tag: '§4 PUT /api/v1/wallets/{id}',
      accepted: 204,
      send: async (change) => put((await wallet()).id, { name: 'Till', is_active: true, ...change }),
    },
    { name: 'text', address: 'text', is_active: 'bool' },
  );

  it.each([
    ['name', 'Counter'],
    ['is_active', false],
    ['address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ])('§4 PUT /api/v1/wallets/{id}: 204 without a body, and only %s changes', async (field, value) => {
    const before = await wallet();
    const answer = await put(before.id, { [field]: value });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { body } = await get(before.id);
    expect(body).toEqual({ ...before, [field]: value, updated_at: anyTimestamp });
  });

  it.each(['name', 'address', 'is_active'])(
    '§4 PUT /api/v1/wallets/{id}: %s may be omitted, but is never null (400)',
    async (field) => {
      const before = await wallet();
      expectRefused(field, [[null, await put(before.id, { [field]: null })]]);
      expect((await get(before.id)).body).toEqual(before);
    },
  );

  it('§4 PUT /api/v1/wallets/{id}: nothing changes when no field is given', async () => {
    const before = await wallet();
    expect((await put(before.id, {})).status).toBe(204);
    expect((await get(before.id)).body).toEqual(before);
  });

  it('§4 PUT /api/v1/wallets/{id}: updated_at advances, created_at stays', async () => {
    const before = await wallet();
    await put(before.id, { name: 'Counter' });
    const { body } = await get(before.id);
    expect(body.created_at).toBe(before.created_at);
    expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
  });

  it.each(['node_id', 'chain_id', 'id', 'created_at', 'updated_at'])(
    '§4 PUT /api/v1/wallets/{id}: 400 for %s',
    async (field) => {
      const made = await wallet();
      expect(outcomeOf(await put(made.id, { [field]: made[field] }))).toEqual([400, [field]]);
    },
  );

  it('§4 PUT /api/v1/wallets/{id}: an address is an EVM address in any valid case (400 otherwise)', async () => {
    const { id } = await wallet();
    const answers = [];
    for (const value of ['', 'x', '0x', `0x${'1d'.repeat(19)}`, `${'1d'.repeat(20)}`, 'x'.repeat(255)]) {
      answers.push([value, await put(id, { address: value })] as const);
    }
    expectRefused('address', answers);
    expect((await put(id, { address: `0x${'AB'.repeat(20)}` })).status).toBe(204);
  });

  it('§4 PUT /api/v1/wallets/{id}: 404 for a missing wallet, and one out of reach', async () => {
    const { id } = await wallet();
    expect(codeOf(await put(randomUUID(), { name: 'x' }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await put(id, { name: 'x' }, rival.token))).toEqual([404, 'wallet_not_found']);
    expect((await get(id)).body.name).toBe('Till');
  });

  it('§3 Wallet is_active: an inactive wallet takes no new payments until it is active again', async () => {
    const { id } = await wallet();
    expect((await pay(id)).status).toBe(201);
    await put(id, { is_active: false });
    expect((await get(id)).body.is_active).toBe(false);
    expect(codeOf(await pay(id))).toEqual([409, 'wallet_inactive']);
    await put(id, { is_active: true });
    expect((await pay(id)).status).toBe(201);
  });
});

describe('DELETE', () => {
  it('§4 DELETE /api/v1/wallets/{id}: 204 without a body; then it is 404 to every operation and in no list', async () => {
    const { id } = await wallet();
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const after = [await get(id), await put(id, { name: 'x' }), await remove(id), await deploy(id), await pay(id)];
    expect(after.map(codeOf)).toEqual(after.map(() => [404, 'wallet_not_found']));
    const { body } = await list({ per_page: '100' });
    expect(body.items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  it('§4 DELETE /api/v1/wallets/{id}: 404 for a missing wallet, and one out of reach', async () => {
    const { id } = await wallet();
    expect(codeOf(await remove(randomUUID()))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await remove(id, rival.token))).toEqual([404, 'wallet_not_found']);
    expect((await get(id)).status).toBe(200);
  });

  it('§3 Soft deletes: a deleted wallet stays with its payments', async () => {
    const { id } = await wallet();
    const { body: payment } = await pay(id);
    await remove(id);
    const { status, body } = await api.call('GET', `/api/v1/payments/${payment.id}`, { token: shop.token });
    expect([status, body]).toEqual([200, payment]);
  });
});

describe('deploy', () => {
  const tag = '§4 POST /api/v1/wallets/{id}/deploy';
  const send = async (change: Record<string, unknown> = {}) => deploy((await wallet()).id, change);
  checkFields({ tag, accepted: 201, send }, { node_id: 'UUID!', network_id: 'UUID!' });

  it('§4 POST /api/v1/wallets/{id}/deploy: 201 with step, transaction_id and status', async () => {
    const { status, body } = await send();
    expect([status, body]).toEqual([
      201,
      { step: expect.any(String), transaction_id: anyUuid, status: expect.any(String) },
    ]);
  });

  it('§4 POST /api/v1/wallets/{id}/deploy: repeated calls are safe and name the same transaction', async () => {
    const { id } = await wallet();
    const answers = [await deploy(id), await deploy(id), await deploy(id)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => `${body.step} ${body.transaction_id}`)).size).toBe(1);
  });

  it('§3 Deployment steps: they proceed in order, one after the other, each with a transaction_id of its own', async () => {
    const { id } = await wallet();
    const deployments = createDeploymentStore(api.knex);
    const seen: { step: string; transaction_id: string; status: string }[] = [];
    for (let index = 0; index < 5; index += 1) {
      seen.push((await deploy(id)).body);
      const step = await deployments.nextStep(id, network_id);
      expect([step?.id, step?.key]).toEqual([seen[index]!.transaction_id, seen[index]!.step]);
      await deployments.completeStep(step!);
    }
    expect(seen.map(({ step }) => step)).toEqual([
      'preflight',
      'deploy_facets',
      'deploy_diamond',
      'verify',
      'activate',
    ]);
    expect(new Set(seen.map(({ transaction_id }) => transaction_id)).size).toBe(5);
    expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 'started'));
    expect((await deploy(id)).body).toEqual({ ...seen[4], status: 'completed' });
  });

  it('§4 POST /api/v1/wallets/{id}/deploy: 404 for a missing wallet, node or network', async () => {
    const { id } = await wallet();
    expect(codeOf(await deploy(randomUUID()))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await deploy(id, {}, rival.token))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await deploy(id, { node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await deploy(id, { node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await deploy(id, { network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
    expect(outcomeOf(await deploy('x'))).toEqual([400, ['id']]);
  });

  it("§4 POST /api/v1/wallets/{id}/deploy: 400 for a network of another chain, and for the wallet's id in the body", async () => {
    const { id } = await wallet();
    expect(outcomeOf(await deploy(id, { network_id: api.ids.networks.S }))).toEqual([400, ['network_id']]);
    expect(outcomeOf(await deploy(id, { wallet_id: id }))).toEqual([400, ['wallet_id']]);
  });
});
