import net from 'node:net';
import { createFairShare } from '../../../api/limits/fair-share.ts';
import { eventually } from '../../support/eventually.ts';
import { startApi, type Actor, type Answer } from '../support/api-under-test.ts';

/*
 * A merchant with all that it may use leaves its neighbours their share.
 */

describe("a node's share", () => {
  it('is at most half of the connections, however much it requests; a neighbour is served meanwhile', async () => {
    const api = await startApi();
    const [shop, rival] = await Promise.all([api.actor('shop'), api.actor('rival')]);
    const wallet = await api.wallet(shop);
    const rename = ({ token }: Actor, { id }: { id: string }, name: string): Promise<Answer> =>
      api.call('PUT', `/api/v1/wallets/${id}`, { token, json: { name } });
    const waiting = async (): Promise<number> => {
      const { rows } = await api.knex.raw<{ rows: unknown[] }>(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length;
    };
    // Every change of this wallet waits and keeps its connection.
    const lock = await api.knex.transaction();
    await lock('wallets').where({ id: wallet.id }).forUpdate();
    const changes = Array.from({ length: 60 }, (_, index) => rename(shop, wallet, `till ${index}`));
    try {
      // As many as a node may have while no other asks.
      await eventually(async () => (await waiting()) === 5);
      const theirs = await api.wallet(rival);
      const answers = await Promise.all([
        rename(rival, theirs, 'ours'),
        api.call('GET', `/api/v1/wallets?node_id=${rival.nodeId}`, { token: rival.token }),
        api.call('GET', `/api/v1/wallets/${theirs.id}`, { token: rival.token }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([204, 200, 200]);
      expect(await waiting()).toBe(5);
    } finally {
      await lock.rollback();
    }
    expect(new Set((await Promise.all(changes)).map(({ status }) => status))).toEqual(new Set([204]));
  });

  it('is no larger with lists, which count as they are read', async () => {
    const api = await startApi();
    const [shop, rival] = await Promise.all([api.actor('shop'), api.actor('rival')]);
    const lock = await api.knex.transaction();
    await lock.raw('LOCK TABLE members');
    const path = `/api/v1/members?node_id=${shop.nodeId}`;
    const lists = Array.from({ length: 20 }, () => api.call('GET', path, { token: shop.token }));
    try {
      await eventually(async () => {
        const { rows } = await lock.raw<{ rows: unknown[] }>('SELECT 1 FROM pg_locks WHERE NOT granted');
        return rows.length === 2;
      });
      const theirs = await api.wallet(rival);
      expect((await api.call('GET', `/api/v1/wallets/${theirs.id}`, { token: rival.token })).status).toBe(200);
    } finally {
      await lock.rollback();
    }
    expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('may be larger while no other node sends requests, and is served in order', async () => {
    let now = 0;
    const turn = createFairShare(() => now);
    const size = { alone: 3, beside: 1 };
    const begun: string[] = [];
    const ask = async (node: string, name: string): Promise<() => void> => {
      const end = await turn({ node, caller: 'only' }, 'any', size);
      begun.push(name);
      return end;
    };
    const a = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask('a', name));
    await Promise.all(a.slice(0, 3));
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    const b = await ask('b', 'b1');
    for (const under of a.slice(0, 2)) (await under)();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
    (await a[2]!)();
    (await a[3]!)();
    (await a[4]!)();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5']);
    b();
    now = 2_000;
    await Promise.all(['a6', 'a7', 'a8'].map((name) => ask('a', name)));
    expect(begun.slice(6)).toEqual(['a6', 'a7', 'a8']);
  });
});

it('a caller whose bodies never end delays no other of its node, so that it can be revoked', async () => {
  const api = await startApi();
  const [shop, thief] = await Promise.all([api.actor('shop'), api.actor('shop', ['members.create'])]);
  const sockets = Array.from({ length: 12 }, () => net.connect(Number(new URL(api.url).port), '127.0.0.1'));
  const head = [
    'POST /api/v1/members HTTP/1.1',
    'Host: carat',
    `Authorization: Bearer ${thief.token}`,
    'Expect: 100-continue',
    'Content-Type: application/json',
    'Content-Length: 100',
  ];
  const begin = async (socket: net.Socket): Promise<void> => {
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    // The head is read then.
    await new Promise((resolve) => socket.once('data', resolve));
  };
  try {
    await Promise.all(sockets.map(begin));
    const list = `/api/v1/wallets?node_id=${shop.nodeId}`;
    for (let round = 0; round < 5; round += 1) {
      expect((await api.call('GET', list, { token: shop.token })).status).toBe(200);
    }
    expect((await api.call('DELETE', `/api/v1/integrations/${thief.id}`, { token: shop.token })).status).toBe(204);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

it('turns of pipelined requests end with their socket, so that breaking off uses none up', async () => {
  const api = await startApi();
  const { token, nodeId } = await api.actor('shop');
  const list = `/api/v1/wallets?node_id=${nodeId}`;
  const head = ['Host: carat', `Authorization: Bearer ${token}`, 'Content-Type: application/json', '', ''].join('\r\n');
  const begin = async (bytes: string): Promise<net.Socket> => {
    const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(bytes);
    await new Promise((resolve) => socket.once('data', resolve));
    return socket;
  };
  const endless = `POST /api/v1/members HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 100\r\n${head}{`;
  const holders = await Promise.all(Array.from({ length: 5 }, () => begin(endless)));
  const waiting = `GET ${list} HTTP/1.1\r\n${head}`;
  const pipelines = Array.from({ length: 10 }, () => begin(`GET /healthz HTTP/1.1\r\n${head}${waiting.repeat(3)}`));
  for (const socket of [...(await Promise.all(pipelines)), ...holders]) socket.resetAndDestroy();
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('GET', list, { token })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

it("turns that a caller took while its node was alone do not reduce the share of the node's other callers", async () => {
  const turn = createFairShare(() => 0);
  const size = { alone: 3, beside: 1 };
  const greedy = { node: 'a', caller: 'greedy' };
  await Promise.all([1, 2, 3].map(() => turn(greedy, 'any', size)));
  await turn({ node: 'b', caller: 'other' }, 'any', size);
  const end = await turn({ node: 'a', caller: 'modest' }, 'any', size);
  const begun: string[] = [];
  void turn(greedy, 'any', size).then(() => begun.push('greedy'));
  const modest = turn({ node: 'a', caller: 'modest' }, 'any', size).then(() => begun.push('modest'));
  end();
  await modest;
  expect(begun).toEqual(['modest']);
});

it('integrations do not multiply the rate: a node has four times that of one of them', async () => {
  const api = await startApi({ rateLimits: { caller: { rate: 1, burst: 3 } } });
  const shops = await Promise.all(Array.from({ length: 20 }, () => api.actor('shop')));
  let allowed = 0;
  let refused: Answer | undefined;
  for (const { token } of shops.flatMap((shop) => [shop, shop, shop])) {
    const answer = await api.call('GET', '/api/v1/networks', { token });
    if (answer.status === 200) allowed += 1;
    else if (answer.headers.get('ratelimit-policy')?.startsWith('"node"')) refused ??= answer;
  }
  // Twelve at once; a token that is leased too late is lost.
  expect(allowed).toBeGreaterThanOrEqual(9);
  expect(refused?.headers.get('ratelimit-policy')).toBe('"node";q=12;w=3');
  const { token } = await api.actor('rival');
  expect((await api.call('GET', '/api/v1/networks', { token })).status).toBe(200);
});

it('a node has at most 100 live integrations, even if many are made at once', async () => {
  const api = await startApi();
  const { token, nodeId } = await api.actor('shop');
  const create = (index: number): Promise<Answer> =>
    api.call('POST', '/api/v1/integrations', {
      token,
      json: { node_id: nodeId, name: `till ${index}`, permissions: [] },
    });
  const answers = await Promise.all(Array.from({ length: 105 }, (_, index) => create(index)));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(99);
  const refused = answers.filter(({ status }) => status !== 201).map(({ status, body }) => [status, body.code]);
  expect(refused).toEqual(Array.from({ length: 6 }, () => [409, 'too_many_integrations']));
  expect((await api.call('DELETE', `/api/v1/integrations/${made[0]!.body.id}`, { token })).status).toBe(204);
  expect((await create(1_000)).status).toBe(201);
});

const refusals = (answers: readonly Answer[]) =>
  answers.filter(({ status }) => status !== 201).map(({ status, body }) => [status, body.code]);

it('a node has at most 200 webhooks, of any wallets, and leaves nodes below theirs', async () => {
  const api = await startApi();
  const [shop, branch] = [await api.actor('shop'), await api.actor('branch')];
  const wallets = await Promise.all(Array.from({ length: 15 }, () => api.wallet(shop)));
  const create = (index: number, change = {}): Promise<Answer> => {
    const json = api.webhookBody(wallets[index % wallets.length]!, change);
    return api.call('POST', '/api/v1/webhooks', { token: shop.token, json });
  };
  const answers = await Promise.all(Array.from({ length: 205 }, (_, index) => create(index)));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(200);
  expect(refusals(answers)).toEqual(Array.from({ length: 5 }, () => [409, 'too_many_webhooks']));
  expect((await create(0, { node_id: branch.nodeId })).status).toBe(201);
  const { id } = made[0]!.body;
  expect((await api.call('DELETE', '/api/v1/webhooks', { token: shop.token, json: { id } })).status).toBe(204);
  expect((await create(0)).status).toBe(201);
});

it('a node has at most 16 webhooks of a wallet on a network, and nodes below theirs; existing ones stay', async () => {
  const api = await startApi();
  const [shop, branch] = [await api.actor('shop'), await api.actor('branch')];
  const [wallet, other] = [await api.wallet(shop), await api.wallet(shop)];
  const create = (change = {}, of = wallet): Promise<Answer> =>
    api.call('POST', '/api/v1/webhooks', { token: shop.token, json: api.webhookBody(of, change) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
  expect(refusals(answers)).toEqual(Array.from({ length: 4 }, () => [409, 'too_many_webhooks']));
  const below = await Promise.all(Array.from({ length: 20 }, () => create({ node_id: branch.nodeId })));
  expect(refusals(below)).toEqual(Array.from({ length: 4 }, () => [409, 'too_many_webhooks']));
  expect((await create({ network_id: api.ids.networks.B })).status).toBe(201);
  expect((await create({}, other)).status).toBe(201);
  // As an installation has them that was there before the bound.
  await api.knex('webhook_configurations').where({ wallet_id: other.id }).update({ wallet_id: wallet.id });
  const { id } = answers.find(({ status }) => status === 201)!.body;
  const change = { token: shop.token, json: { id, events: ['payment.ready'] } };
  expect((await api.call('PUT', '/api/v1/webhooks', change)).status).toBe(200);
  expect((await api.call('DELETE', '/api/v1/webhooks', { token: shop.token, json: { id } })).status).toBe(204);
  expect(refusals([await create()])).toEqual([[409, 'too_many_webhooks']]);
});

it('a node has at most 100 deployments under way, even if many are requested at once; repeated requests are answered', async () => {
  const api = await startApi();
  const [shop, rival] = [await api.actor('shop'), await api.actor('rival')];
  const wallets = await Promise.all(Array.from({ length: 53 }, () => api.wallet(shop)));
  const deploy = (id: string, network: string, by = shop, operation = 'deploy'): Promise<Answer> => {
    const json = { node_id: by.nodeId, network_id: api.ids.networks[network] };
    return api.call('POST', `/api/v1/wallets/${id}/${operation}`, { token: by.token, json });
  };
  const all = (): Promise<Answer[]> => Promise.all(wallets.flatMap(({ id }) => [deploy(id, 'A'), deploy(id, 'B')]));
  const answers = await all();
  expect(refusals(answers)).toEqual(Array.from({ length: 6 }, () => [429, 'too_many_deployments']));
  expect(answers.find(({ status }) => status === 429)!.headers.get('retry-after')).toBe('60');
  const begun = (list: readonly Answer[]) => list.map(({ body }) => body.transaction_id ?? null);
  expect(begun(await all())).toEqual(begun(answers));
  expect((await deploy((await api.wallet(rival)).id, 'A', rival)).status).toBe(201);

  const wallet = await api.wallet(shop);
  await api.activate(wallet, 'A');
  const { id: updatable } = wallet;
  expect(refusals([await deploy(updatable, 'A', shop, 'update')])).toEqual([[429, 'too_many_deployments']]);
  const [failed, ended] = await api.knex('deployments').orderBy('id').limit(2).pluck('id');
  await api.knex('deployments').where({ id: ended }).update({ status: 'completed' });
  expect((await deploy(updatable, 'A', shop, 'update')).status).toBe(201);
  // A failed deployment is under way again once it is requested, and no sooner.
  await api.knex('deployments').where({ id: failed }).update({ status: 'failed' });
  await api.knex('deployment_steps').where({ deployment_id: failed, seq: 0 }).update({ status: 'failed' });
  const unserved = answers.findIndex(({ status }) => status === 429);
  expect((await deploy(wallets[Math.floor(unserved / 2)]!.id, unserved % 2 === 0 ? 'A' : 'B')).status).toBe(201);
  const { wallet_id, network_id } = await api.knex('deployments').where({ id: failed }).first();
  const network = network_id === api.ids.networks.A ? 'A' : 'B';
  expect(refusals([await deploy(wallet_id, network)])).toEqual([[429, 'too_many_deployments']]);
});

it('pipelined lists of one client are all answered, even if the first is the last to be authenticated', async () => {
  const api = await startApi({ revocationDelayMs: 60_000 });
  const shop = await api.actor('shop');
  const { apiKey, secret } = shop.credentials;
  const raw = new URLSearchParams({ grant_type: 'client_credentials', client_id: apiKey, client_secret: secret });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { body: fresh } = await api.call('POST', '/api/v1/auth/token', { raw: raw.toString(), headers });
  // A token that was seen before is known at once; the signature of a fresh one is verified first.
  expect((await api.call('GET', '/api/v1/nodes', { token: shop.token })).status).toBe(200);
  const list = (token: string): string =>
    `GET /api/v1/nodes HTTP/1.1\r\nHost: carat\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const socket = net.connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  try {
    socket.write([String(fresh.access_token), shop.token, shop.token].map(list).join(''));
    await eventually(() => (received.match(/HTTP\/1\.1 200 /g) ?? []).length === 3);
  } finally {
    socket.destroy();
  }
});
