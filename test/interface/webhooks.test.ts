import { randomUUID } from 'node:crypto';
import { codeOf } from '../api/support/answers.ts';
import { startApi } from '../api/support/api-under-test.ts';
import {
  anyTimestamp,
  anyUuid,
  checkChoices,
  checkFields,
  checkLengths,
  checkList,
  outcomeOf,
  text,
  withQuery,
} from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
let wallet = await api.wallet(shop);
// A wallet has few webhooks on a network.
beforeEach(async () => {
  wallet = await api.wallet(shop);
});
const foreign = await api.wallet(rival);
const path = '/api/v1/webhooks';
const network_id = api.ids.networks.A!;

type Change = Record<string, unknown>;
const basic = { auth_type: 'basic', auth_basic_username: 'carat-user', auth_basic_password: 'carat-password' };
const token = { auth_type: 'token', auth_token: 'carat-token' };
const secrets = [basic.auth_basic_username, basic.auth_basic_password, token.auth_token];

const bodyOf = (change: Change = {}) => api.webhookBody(wallet, { auth_token: undefined, ...basic, ...change });
const create = (change: Change = {}, by = shop.token) => api.call('POST', path, { token: by, json: bodyOf(change) });
const put = (json: Change, by = shop.token) => api.call('PUT', path, { token: by, json });
const remove = (json: Change, by = shop.token) => api.call('DELETE', path, { token: by, json });
const list = (query: Record<string, string | undefined> = {}, by = shop.token) =>
  api.call('GET', withQuery(path, query), { token: by });
const webhook = async (change: Change = {}) => {
  const { status, body, text: answer } = await create(change);
  if (status !== 201) throw new Error(answer);
  const { signing_secret: _, ...shown } = body;
  return shown;
};
const found = async (id: string) => {
  const { body } = await list({ wallet_id: wallet.id, per_page: '100' });
  return body.items.find((item: { id: string }) => item.id === id);
};
const withToken = (change: Change): Change => ({
  auth_basic_username: undefined,
  auth_basic_password: undefined,
  ...token,
  ...change,
});

/** A host of that length needs zeros before its port, which are not stored. */
const host = (length: number): string => {
  const origin = `https://${randomUUID()}.example:`;
  return `${origin}${'8443'.padStart(length - origin.length, '0')}`;
};
const pathOf = (length: number): string => (length === 0 ? '' : `/${text(length - 1)}`);

const fields = {
  host: 'text',
  success_path: 'text',
  error_path: 'text',
  auth_type: 'text',
} as const;

describe('the webhook configuration', () => {
  it('§2 Webhook configuration: has every field of the table except the credentials', async () => {
    const json = bodyOf();
    const { status, body } = await create(json);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: anyUuid,
      wallet_id: wallet.id,
      network_id,
      node_id: null,
      host: json.host,
      success_path: '/paid',
      error_path: '/unpaid',
      auth_type: 'basic',
      events: [],
      is_active: true,
      disabled_reason: null,
      failing_since: null,
      created_at: anyTimestamp,
      updated_at: anyTimestamp,
      signing_secret: expect.any(String),
    });
  });

  it('§2 Webhook configuration: credentials are in no list, and in no other answer', async () => {
    const made = [await create(), await create(withToken({}))];
    const ids = made.map(({ body }) => body.id);
    const answers = [
      ...made,
      await list({ wallet_id: wallet.id, per_page: '100' }),
      await put({ id: ids[0], success_path: '/other', auth_basic_password: basic.auth_basic_password }),
      await put({ id: ids[1], auth_token: token.auth_token }),
      await api.call('GET', withQuery('/api/v1/audit-log', { node_id: shop.nodeId, per_page: '100' }), {
        token: shop.token,
      }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeLessThan(300);
      for (const hidden of [...secrets, 'auth_basic_username', 'auth_basic_password', 'auth_token']) {
        expect(answer.text).not.toContain(hidden);
      }
    }
    expect(api.lines.join('\n')).not.toContain(token.auth_token);
  });

  it('§6 Webhook configurations: they exist per wallet and network, several of each if their hosts differ', async () => {
    const same = `https://${randomUUID()}.example`;
    const other = await api.wallet(shop);
    const made = [
      await create({ host: same }),
      await create({ host: same, network_id: api.ids.networks.B }),
      await create({ host: same, wallet_id: other.id }),
      await create(),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });
});

describe('POST', () => {
  const write = { tag: '§4 POST /api/v1/webhooks', accepted: 201, send: create };
  checkFields(write, {
    wallet_id: 'UUID!',
    network_id: 'UUID!',
    host: 'text!',
    success_path: 'text!',
    error_path: 'text!',
    auth_type: 'text!',
  });
  checkLengths(write, { success_path: [1, 512], error_path: [1, 512] }, pathOf);
  checkChoices(
    { ...write, send: (change) => create(change.auth_type === 'token' ? withToken(change) : change) },
    {
      auth_type: ['basic', 'token'],
    },
  );

  it('§4 POST /api/v1/webhooks: host has at most 2048 characters (2048 are taken, 2049: 400)', async () => {
    expect(host(2_048)).toHaveLength(2_048);
    const { status, body } = await create({ host: host(2_048) });
    expect([status, body.host]).toEqual([201, expect.stringMatching(/^https:\/\/[0-9a-f-]{36}\.example:8443$/)]);
    expect(outcomeOf(await create({ host: host(2_049) }))).toEqual([400, ['host']]);
  });

  it.each(['auth_basic_username', 'auth_basic_password'])(
    '§4 POST /api/v1/webhooks: %s is text, for basic: 400 without it, and 400 with it for token',
    async (field) => {
      for (const value of [undefined, null, 7, true, [], {}]) {
        expect([value, outcomeOf(await create({ [field]: value }))]).toEqual([value, [400, [field]]]);
      }
      expect(outcomeOf(await create(withToken({ [field]: 'x' })))).toEqual([400, [field]]);
      expect((await create(withToken({ [field]: null }))).status).toBe(201);
    },
  );

  it('§4 POST /api/v1/webhooks: auth_token is text, for token: 400 without it, and 400 with it for basic', async () => {
    for (const value of [undefined, null, 7, true, [], {}]) {
      const answer = await create(withToken({ auth_token: value }));
      expect([value, outcomeOf(answer)]).toEqual([value, [400, ['auth_token']]]);
    }
    expect(outcomeOf(await create({ auth_token: 'x' }))).toEqual([400, ['auth_token']]);
    expect((await create({ auth_token: null })).status).toBe(201);
  });

  it('§4 POST /api/v1/webhooks: 201 is the configuration of the list', async () => {
    const made = await webhook();
    expect(await found(made.id)).toEqual(made);
  });

  it("§4 POST /api/v1/webhooks: 403 for a wallet of a node out of the caller's reach", async () => {
    expect(codeOf(await create({ wallet_id: foreign.id }))).toEqual([403, 'node_access_denied']);
    const branch = await api.actor('branch');
    expect(codeOf(await create({}, branch.token))).toEqual([403, 'node_access_denied']);
    const root = await api.actor('root');
    expect((await create({}, root.token)).status).toBe(201);
  });

  it('§4 POST /api/v1/webhooks: 404 for a missing wallet or network', async () => {
    expect(codeOf(await create({ wallet_id: randomUUID() }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await create({ network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
  });

  it('§4 POST /api/v1/webhooks: 409 for the same wallet, network and host, whatever else differs', async () => {
    const made = await webhook();
    const again = await create(withToken({ host: made.host, success_path: '/other' }));
    expect(codeOf(again)).toEqual([409, 'webhook_exists']);
    expect(await found(made.id)).toEqual(made);
  });

  it.each(['id', 'signing_secret', 'disabled_reason', 'failing_since', 'created_at', 'url'])(
    '§4 POST /api/v1/webhooks: 400 for %s, which a request does not have',
    async (field) => {
      expect(outcomeOf(await create({ [field]: 'x' }))).toEqual([400, [field]]);
    },
  );
});

describe('GET', () => {
  checkList({
    tag: '§4 GET /api/v1/webhooks',
    get: (query) => list({ wallet_id: wallet.id, ...query }),
    ids: ['wallet_id'],
  });

  it('§4 GET /api/v1/webhooks: items are the configurations of the caller, without credentials', async () => {
    const made = await webhook();
    const theirs = await create({ wallet_id: foreign.id }, rival.token);
    const { status, body, text: answer } = await list({ per_page: '100' });
    expect(status).toBe(200);
    expect(body.items).toContainEqual(made);
    expect(answer).not.toContain(theirs.body.id);
    for (const item of body.items)
      expect(Object.keys(item).filter((name) => /^auth_.+_|secret/.test(name))).toEqual([]);
  });

  it('§4 GET /api/v1/webhooks: wallet_id filters the list; 404 for a missing one, and one out of reach', async () => {
    const other = await api.wallet(shop);
    const made = await webhook({ wallet_id: other.id });
    expect((await list({ wallet_id: other.id })).body).toMatchObject({ items: [made], total: 1 });
    expect(codeOf(await list({ wallet_id: randomUUID() }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await list({ wallet_id: foreign.id }))).toEqual([404, 'wallet_not_found']);
  });
});

describe('PUT', () => {
  const write = {
    tag: '§4 PUT /api/v1/webhooks',
    accepted: 200,
    send: async (change: Change) => put({ id: (await webhook()).id, ...change }),
  };
  checkFields(write, { id: 'UUID!', ...fields, auth_basic_username: 'text', auth_basic_password: 'text' });
  checkFields(
    { ...write, send: async (change) => put({ id: (await webhook(withToken({}))).id, ...change }) },
    { auth_token: 'text' },
  );
  checkChoices(
    { ...write, send: (change) => write.send({ ...(change.auth_type === 'token' ? token : basic), ...change }) },
    { auth_type: ['basic', 'token'] },
  );

  it.each([
    ['host', `https://${randomUUID()}.example`],
    ['success_path', '/done'],
    ['error_path', '/failed'],
  ])('§4 PUT /api/v1/webhooks: 200 is the configuration, and only %s changes', async (field, value) => {
    const before = await webhook();
    const { status, body } = await put({ id: before.id, [field]: value });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, [field]: value, updated_at: anyTimestamp });
    expect(await found(before.id)).toEqual(body);
  });

  it('§4 PUT /api/v1/webhooks: nothing changes when id alone is given', async () => {
    const before = await webhook();
    const { status, body } = await put({ id: before.id });
    expect([status, body]).toEqual([200, before]);
  });

  it('§4 PUT /api/v1/webhooks: 409 for the host of another configuration, and both stay unchanged', async () => {
    const [one, two] = [await webhook(), await webhook()];
    expect(codeOf(await put({ id: two.id, host: one.host }))).toEqual([409, 'webhook_exists']);
    expect([await found(one.id), await found(two.id)]).toEqual([one, two]);
  });

  it('§4 PUT /api/v1/webhooks: auth_type changes together with its credentials (without them 400)', async () => {
    const { id } = await webhook();
    expect(outcomeOf(await put({ id, auth_type: 'token' }))).toEqual([400, ['auth_token']]);
    const toToken = await put({ id, ...token });
    expect([toToken.status, toToken.body.auth_type]).toEqual([200, 'token']);
    expect(outcomeOf(await put({ id, auth_type: 'basic' }))).toEqual([
      400,
      ['auth_basic_username', 'auth_basic_password'],
    ]);
    const toBasic = await put({ id, ...basic });
    expect([toBasic.status, toBasic.body.auth_type]).toEqual([200, 'basic']);
  });

  it.each(['wallet_id', 'network_id'])(
    '§4 PUT /api/v1/webhooks: 400 for another %s; the same one is taken',
    async (field) => {
      const made = await webhook();
      expect((await put({ id: made.id, [field]: made[field] })).status).toBe(200);
      expect(outcomeOf(await put({ id: made.id, [field]: randomUUID() }))).toEqual([400, [field]]);
    },
  );

  it("§4 PUT /api/v1/webhooks: 403 for a webhook whose wallet is out of the caller's reach", async () => {
    const { id } = await webhook();
    const before = await found(id);
    expect(codeOf(await put({ id, success_path: '/x' }, rival.token))).toEqual([403, 'node_access_denied']);
    expect(await found(id)).toEqual(before);
  });

  it('§4 PUT /api/v1/webhooks: 404 for a missing webhook', async () => {
    expect(codeOf(await put({ id: randomUUID(), success_path: '/x' }))).toEqual([404, 'webhook_not_found']);
  });
});

describe('DELETE', () => {
  checkFields(
    {
      tag: '§4 DELETE /api/v1/webhooks',
      accepted: 204,
      send: async (change) => remove({ id: (await webhook()).id, ...change }),
    },
    { id: 'UUID!' },
  );

  it('§4 DELETE /api/v1/webhooks: 204 without a body; then it is 404 and in no list, and may be made again', async () => {
    const { id, host: origin } = await webhook();
    const answer = await remove({ id });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await found(id)).toBeUndefined();
    expect(codeOf(await remove({ id }))).toEqual([404, 'webhook_not_found']);
    expect(codeOf(await put({ id, success_path: '/x' }))).toEqual([404, 'webhook_not_found']);
    expect((await create({ host: origin })).status).toBe(201);
  });

  it("§4 DELETE /api/v1/webhooks: 403 for a webhook whose wallet is out of the caller's reach", async () => {
    const { id } = await webhook();
    expect(codeOf(await remove({ id }, rival.token))).toEqual([403, 'node_access_denied']);
    expect(await found(id)).toMatchObject({ id });
  });

  it('§4 DELETE /api/v1/webhooks: 404 for a missing webhook', async () => {
    expect(codeOf(await remove({ id: randomUUID() }))).toEqual([404, 'webhook_not_found']);
  });
});
