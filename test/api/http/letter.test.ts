import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { codeOf, created, idsOf, pathsOf } from '../support/answers.ts';
import { startApi, type Actor, type Answer } from '../support/api-under-test.ts';

/*
 * Promises of the interface whose words are easily read too narrowly.
 */

const api = await startApi({ maxOpenPayments: 10_000 });
const shop = await api.actor('shop');
const branch = await api.actor('branch');
const wallet = await api.wallet(shop);

const send = (method: string, path: string, json?: unknown, { token }: Actor = shop): Promise<Answer> =>
  api.call(method, `/api/v1/${path}`, { token, ...(json === undefined ? {} : { json }) });
const pay = (change: Record<string, unknown>) =>
  send('POST', 'payments', api.paymentBody({ wallet_id: wallet.id, ...change }));
const webhookBody = (change: Record<string, unknown> = {}) => api.webhookBody(wallet, change);

it('?wallet_id= of a deleted wallet lists its webhooks', async () => {
  const { id: wallet_id } = await api.wallet(shop);
  const { id } = await created(send('POST', 'webhooks', webhookBody({ wallet_id })));
  expect((await send('DELETE', `wallets/${wallet_id}`)).status).toBe(204);
  expect(idsOf(await send('GET', `webhooks?wallet_id=${wallet_id}`))).toEqual([id]);
  const rival = await api.actor('rival');
  expect(codeOf(await send('GET', `webhooks?wallet_id=${wallet_id}`, undefined, rival))).toEqual([
    404,
    'wallet_not_found',
  ]);
});

describe('tokens in base64url are strict', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  /** The other texts that decoders take for the same bytes. */
  const variants = (token: string): string[] => {
    const last = alphabet.indexOf(token.at(-1)!);
    const others = [1, 2, 3].map((bits) => token.slice(0, -1) + alphabet[last ^ bits]!);
    return [...others, `${token}=`, `${token}A`];
  };

  it('bearer tokens', async () => {
    expect((await send('GET', 'networks')).status).toBe(200);
    for (const token of variants(shop.token)) {
      expect(codeOf(await send('GET', 'networks', undefined, { ...shop, token }))).toEqual([401, 'invalid_token']);
    }
  });

  it("a payment's access_token", async () => {
    const { id, access_token } = await created(pay({}));
    for (const token of variants(access_token)) {
      expect(codeOf(await api.call('GET', `/api/v1/widget/payments/${id}`, { token }))).toEqual([401, 'invalid_token']);
    }
  });

  it('cursors', async () => {
    for (let count = 0; count < 2; count += 1) await api.wallet(shop);
    const list = `wallets?node_id=${shop.nodeId}&per_page=1`;
    const { next_cursor } = (await send('GET', list)).body;
    expect((await send('GET', `${list}&cursor=${next_cursor}`)).status).toBe(200);
    expect((await send('GET', `${list}&cursor=${next_cursor}=`)).status).toBe(400);
  });
});

describe('PUT accepts an unchanged value from GET:', () => {
  it('wallet_id, network_id and node_id of a webhook', async () => {
    const { signing_secret: _, ...webhook } = await created(
      send('POST', 'webhooks', webhookBody({ node_id: branch.nodeId })),
    );
    const { id, wallet_id, network_id, node_id } = webhook;
    const same = { id, wallet_id: wallet_id.toUpperCase(), network_id, node_id, success_path: '/new' };
    const changed = await send('PUT', 'webhooks', same);
    expect([changed.status, changed.body.success_path]).toEqual([200, '/new']);
    for (const field of ['wallet_id', 'network_id', 'node_id']) {
      const moved = await send('PUT', 'webhooks', { ...same, [field]: randomUUID() });
      expect([...codeOf(moved), pathsOf(moved)]).toEqual([400, 'immutable_field', [`/body/${field}`]]);
    }
  });

  it('node_id of an inline member', async () => {
    const member = { external_id: randomUUID(), name: 'Ada', node_id: shop.nodeId.toUpperCase() };
    const { body } = await pay({ member });
    expect([body.member.external_id, body.member.node_id]).toEqual([member.external_id, shop.nodeId]);
    const other = await pay({ member: { ...member, node_id: branch.nodeId } });
    expect([other.status, pathsOf(other)]).toEqual([400, ['/body/member/node_id']]);
  });
});

it('an unknown chain_id is 404, one of another network 400', async () => {
  expect(codeOf(await pay({ chain_id: randomUUID() }))).toEqual([404, 'chain_not_found']);
  expect(pathsOf(await pay({ chain_id: api.ids.chains.Side }))).toEqual(['/body/chain_id']);
  expect((await pay({ chain_id: api.ids.chains.Main })).status).toBe(201);
});

describe('expires_at', () => {
  const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000);
  const minute = at.toISOString().slice(0, 16);
  const basic = minute.replaceAll(/[-:]/g, '');

  it.each([
    `${minute}Z`,
    `${minute}z`,
    `${minute}:00+0000`,
    `${minute}+00`,
    `${minute}-00:00`,
    `${minute}:00,0Z`,
    `${basic}Z`,
    `${basic}00Z`,
    `${basic}00+0000`,
    `${minute.replace('T', 't')}:00.000000000Z`,
  ])('takes %s', async (expires_at) => {
    const { status, body } = await pay({ expires_at });
    expect([status, body.expires_at]).toEqual([201, at.toISOString()]);
  });

  it.each([
    minute,
    minute.slice(0, 10),
    `${minute.replace('T', ' ')}Z`,
    `${minute}+24:00`,
    `${minute}:60Z`,
    `${basic.slice(0, 11)}Z`,
  ])('refuses %s, which names no instant', async (expires_at) => {
    expect(pathsOf(await pay({ expires_at }))).toEqual(['/body/expires_at']);
  });
});

describe('a DELETE without its body', () => {
  it.each(['webhooks', 'node-network-wallet-defaults'])('is 400 at %s, not 415', async (path) => {
    const answer = await send('DELETE', path);
    expect([...codeOf(answer), pathsOf(answer)]).toEqual([400, 'invalid_request', ['/body']]);
  });

  it('is still 415 with a body of unknown type', async () => {
    const status = await new Promise((resolve, reject) => {
      const { port } = new URL(api.url);
      const headers = { authorization: `Bearer ${shop.token}`, 'content-length': '2' };
      const request = http.request({ port, method: 'DELETE', path: '/api/v1/webhooks', headers });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      request.end('{}');
    });
    expect(status).toBe(415);
  });
});

it('optional strings of a member may be empty, and so may email', async () => {
  const json = { node_id: shop.nodeId, external_id: randomUUID(), name: 'Ada', surname: '', email: '', country: '' };
  const { id, ...member } = await created(send('POST', 'members', json));
  expect(member).toMatchObject(json);
  expect((await send('PUT', `members/${id}`, { email: 'ada@example.com' })).body.email).toBe('ada@example.com');
  expect((await send('PUT', `members/${id}`, { email: '' })).body.email).toBe('');
  expect(pathsOf(await send('PUT', `members/${id}`, { email: 'ada' }))).toEqual(['/body/email']);
});

it('429 too_many_open_payments has Retry-After', async () => {
  const small = await startApi({ maxOpenPayments: 1 });
  const { token, nodeId } = await small.actor('shop');
  const transfer = () =>
    small.call('POST', '/api/v1/payments', {
      token,
      json: small.paymentBody({ node_id: nodeId, payment_method: 'bank_transfer', payment_address: 'DE00 1234 5678' }),
    });
  expect((await transfer()).status).toBe(201);
  const refused = await transfer();
  expect([...codeOf(refused), refused.headers.get('retry-after')]).toEqual([429, 'too_many_open_payments', '300']);
});

describe("a node's own webhooks through an ancestor's wallet", () => {
  const own = (change: Record<string, unknown> = {}) =>
    send('POST', 'webhooks', webhookBody({ node_id: branch.nodeId, ...change }), branch);
  const lead = (wallet_id: string) =>
    created(
      send('POST', 'node-network-wallet-defaults', {
        node_id: shop.nodeId,
        network_id: api.ids.networks.B,
        wallet_id,
        type: 'apex',
      }),
    );
  const network_id = api.ids.networks.B;

  it('can be made where its defaults lead there, with its own node_id only', async () => {
    const refusal = [403, 'node_access_denied'];
    expect(codeOf(await own({ network_id }))).toEqual(refusal);
    await lead(wallet.id);
    expect(codeOf(await own({ network_id, node_id: null }))).toEqual(refusal);
    expect(codeOf(await own({ network_id, node_id: shop.nodeId }))).toEqual(refusal);
    expect(codeOf(await own({ network_id: api.ids.networks.A }))).toEqual(refusal);
    expect(codeOf(await own({ network_id, wallet_id: (await api.wallet(shop)).id }))).toEqual(refusal);
    expect(idsOf(await send('GET', `webhooks?wallet_id=${wallet.id}`, undefined, branch))).not.toContain(undefined);
    const { id } = await created(own({ network_id }));
    const visible = await send('GET', 'webhooks', undefined, branch);
    expect(visible.body.items.every((item: { node_id: string }) => item.node_id === branch.nodeId)).toBe(true);
    expect(idsOf(visible)).toContain(id);
    expect(idsOf(await send('GET', `webhooks?wallet_id=${wallet.id}`))).toContain(id);
    const [entry] = await api.knex('audit_log').where({ resource_id: id });
    expect(entry).toMatchObject({ action: 'webhook.created', node_id: branch.nodeId });
  });

  it('can be changed and deleted by it; those of the wallet cannot', async () => {
    const { id } = await created(own({ network_id }));
    expect((await send('PUT', 'webhooks', { id, events: ['payment.ready'] }, branch)).status).toBe(200);
    expect((await send('DELETE', 'webhooks', { id }, branch)).status).toBe(204);
    const whole = await created(send('POST', 'webhooks', webhookBody({ network_id })));
    expect(codeOf(await send('PUT', 'webhooks', { id: whole.id, success_path: '/x' }, branch))).toEqual([
      403,
      'node_access_denied',
    ]);
    expect(codeOf(await send('DELETE', 'webhooks', { id: whole.id }, branch))).toEqual([403, 'node_access_denied']);
  });

  it("do not send another node's credentials elsewhere: a new host needs its own", async () => {
    const { id } = await created(send('POST', 'webhooks', webhookBody({ network_id, node_id: branch.nodeId })));
    const host = 'https://elsewhere.example';
    const refused = await send('PUT', 'webhooks', { id, host }, branch);
    expect([refused.status, pathsOf(refused)]).toEqual([400, ['/body/auth_token']]);
    expect((await send('PUT', 'webhooks', { id, host, auth_token: 'own' }, branch)).body.host).toBe(host);
    expect((await send('PUT', 'webhooks', { id, host: 'https://back.example' })).status).toBe(200);
  });
});
