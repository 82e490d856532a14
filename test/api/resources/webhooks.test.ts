import { randomUUID } from 'node:crypto';
import { optionalEvents } from '../../../domain/webhook.ts';
import { created, idsOf, pathsOf, statusesOf, together } from '../support/answers.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';

const api = await startApi();
const root = await api.actor('root');
const shop = await api.actor('shop');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
let wallet = await api.wallet(shop);
// A wallet has few webhooks on a network.
beforeEach(async () => {
  wallet = await api.wallet(shop);
});

const path = '/api/v1/webhooks';
const create = (change: Record<string, unknown> = {}, token = shop.token) =>
  api.call('POST', path, { token, json: bodyOf(change) });
const put = (json: Record<string, unknown>, token = shop.token) => api.call('PUT', path, { token, json });
const remove = (id: string, token = shop.token) => api.call('DELETE', path, { token, json: { id } });
const list = (query = '', token = shop.token) => api.call('GET', `${path}${query}`, { token });

const username = 'carat-of-shop';
const password = 'pass word: ü 12345';
const token = 'tok-abcdefghijklmnop';
const secrets = [username, password, token];

const bodyOf = (change: Record<string, unknown> = {}) => ({
  wallet_id: wallet.id,
  network_id: api.ids.networks.A,
  host: `https://${randomUUID()}.example`,
  success_path: '/paid',
  error_path: '/unpaid',
  auth_type: 'basic',
  ...((change.auth_type ?? 'basic') === 'basic'
    ? { auth_basic_username: username, auth_basic_password: password }
    : { auth_token: token }),
  ...change,
});
const made = (change: Record<string, unknown> = {}, by = shop.token) => created(create(change, by));
/** A webhook as lists and PUT answer it. */
const shown = (webhook: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(webhook).filter(([name]) => name !== 'signing_secret'));
const refusal = ({ status, body }: Answer) => [status, body?.code, body?.errors?.[0]?.path];
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id }).orderBy(['created_at', 'id']);
const stored = (id: string) => api.knex('webhook_configurations').where({ id }).first();
const credentialsOf = async (id: string) =>
  JSON.parse(api.encryption.decrypt(`webhook ${id} credentials`, (await stored(id)).encrypted_credentials));

describe('POST /api/v1/webhooks', () => {
  it('returns a signing secret of 256 bits, and events in one order', async () => {
    const { signing_secret, events } = await made({ events: ['payment.ready', 'payment.created'] });
    expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(events).toEqual(['payment.created', 'payment.ready']);
  });

  it('encrypts credentials and signing secret for this one configuration', async () => {
    const [basic, bearer] = [await made(), await made({ auth_type: 'token' })];
    expect(await credentialsOf(basic.id)).toEqual({ type: 'basic', username, password });
    expect(await credentialsOf(bearer.id)).toEqual({ type: 'token', token });
    const row = await stored(basic.id);
    const open = (id: string, what: string) =>
      api.encryption.decrypt(`webhook ${id} ${what}`, row.encrypted_signing_secret);
    expect(open(basic.id, 'signing secret')).toBe(basic.signing_secret);
    expect(() => open(bearer.id, 'signing secret')).toThrow('cannot decrypt');
    const bytes = Buffer.concat([row.encrypted_credentials, row.encrypted_signing_secret]).toString('latin1');
    expect([...secrets, basic.signing_secret].filter((secret) => bytes.includes(secret))).toEqual([]);
    expect(basic.signing_secret).not.toBe(bearer.signing_secret);
  });

  it('stores the host in its normal form, and takes ids in upper case and null for omitted members', async () => {
    const body = await made({
      wallet_id: wallet.id.toUpperCase(),
      network_id: api.ids.networks.A!.toUpperCase(),
      host: 'HTTPS://Bücher.EXAMPLE:443/',
      node_id: null,
      events: null,
      is_active: null,
      auth_token: null,
    });
    expect(body).toMatchObject({
      wallet_id: wallet.id,
      network_id: api.ids.networks.A,
      host: 'https://xn--bcher-kva.example',
      events: [],
      is_active: true,
    });
    expect((await made({ is_active: false, events: [...optionalEvents] })).is_active).toBe(false);
  });

  it.each<[string, Record<string, unknown>]>([
    ['/body/auth_basic_username', { auth_basic_username: 'a:b' }],
    ['/body/auth_basic_username', { auth_basic_username: '' }],
    ['/body/auth_basic_password', { auth_basic_password: 'a\r\nX-Evil: 1' }],
    ['/body/auth_token', { auth_type: 'token', auth_token: 'a b' }],
    ['/body/auth_token', { auth_type: 'token', auth_token: 'a\nb' }],
    ['/body/auth_token', { auth_type: 'token', auth_token: 'ü' }],
    ['/body/host', { host: 'https://shop.example/hooks' }],
    ['/body/host', { host: 'http://shop.example' }],
    ['/body/host', { host: 'https://169.254.169.254' }],
    ['/body/success_path', { success_path: 'paid' }],
    ['/body/success_path', { success_path: '//evil.example' }],
    ['/body/error_path', { error_path: '/\\evil.example' }],
    ['/body/events/0', { events: ['payment.completed'] }],
    ['/body/events', { events: ['payment.ready', 'payment.ready'] }],
    ['/body/network_id', { network_id: api.ids.networks.S }],
  ])('names %s when it is wrong: %j', async (field, change) => {
    const answer = await create(change);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(pathsOf(answer)).toContain(field);
    expect(secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
  });

  it('names every field of the target that is wrong at once', async () => {
    const answer = await create({ host: 'ftp://x', success_path: 'a', error_path: 'b' });
    expect(pathsOf(answer)).toEqual(['/body/host', '/body/success_path', '/body/error_path']);
  });

  it('takes credentials of the greatest length', async () => {
    const longest = { auth_basic_username: 'u'.repeat(255), auth_basic_password: '\u{1F355}'.repeat(1_024) };
    expect((await create(longest)).status).toBe(201);
    expect((await create({ auth_type: 'token', auth_token: 't'.repeat(4_096) })).status).toBe(201);
  });

  it("can be narrowed to the wallet's node or one below it, and to no other", async () => {
    expect((await made({ node_id: branch.nodeId.toUpperCase() })).node_id).toBe(branch.nodeId);
    expect((await made({ node_id: shop.nodeId })).node_id).toBe(shop.nodeId);
    // Also for a caller that reaches both.
    for (const node_id of [root.nodeId, rival.nodeId]) {
      expect(refusal(await create({ node_id }, root.token))).toEqual([404, 'node_not_found', '/body/node_id']);
    }
  });

  it('is refused as a twin of a live one of the same wallet, network, host and node, in any spelling', async () => {
    const host = 'https://twin.example';
    const first = await made({ host });
    expect(refusal(await create({ host: 'HTTPS://TWIN.example:443/', auth_type: 'token' }))).toEqual([
      409,
      'webhook_exists',
      undefined,
    ]);
    await made({ host, node_id: branch.nodeId });
    expect((await create({ host, node_id: branch.nodeId })).status).toBe(409);
    await made({ host, node_id: shop.nodeId });
    await made({ host, network_id: api.ids.networks.B });
    await made({ host: `${host}:8443` });
    await made({ host, wallet_id: (await api.wallet(shop)).id });
    expect((await remove(first.id)).status).toBe(204);
    expect((await create({ host })).status).toBe(201);
  });

  it('lets one of ten parallel twins through', async () => {
    const host = 'https://race.example';
    const answers = await together(10, () => create({ host }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'webhook_exists')).toHaveLength(9);
  });

  it('answers a repeated Idempotency-Key with the same signing secret, which is kept encrypted', async () => {
    const json = bodyOf();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await together(5, () => api.call('POST', path, { token: shop.token, json, headers }));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { id, signing_secret } = answers[0]!.body;
    const actions = (await audited(id)).map(({ action }) => action);
    expect(actions).toEqual(['webhook.created', ...answers.slice(1).map(() => 'answer.replayed')]);
    const row = await api.knex('idempotency_keys').where({ key: headers['idempotency-key'] }).first();
    expect(row.encrypted_answer.toString('latin1')).not.toContain(signing_secret);
    const again = await create({ ...json, success_path: '/other' });
    expect(again.status).toBe(409);
  });

  it('cannot be made for a wallet that is being deleted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await api.wallet(shop);
      const [made, deleted] = await Promise.all([
        create({ wallet_id: id }),
        api.call('DELETE', `/api/v1/wallets/${id}`, { token: shop.token }),
      ]);
      expect([201, 404]).toContain(made.status);
      expect(deleted.status).toBe(204);
      expect((await create({ wallet_id: id })).status).toBe(404);
    }
  });
});

describe('GET /api/v1/webhooks', () => {
  it('shows a child only those of the wallets above it that cover its payments alone', async () => {
    const above = await made({ node_id: null });
    const about = await made({ node_id: branch.nodeId });
    const below = await made({ wallet_id: (await api.wallet(branch)).id }, branch.token);
    const seen = await list('?per_page=100', branch.token);
    expect(idsOf(seen)).toEqual(expect.arrayContaining([below.id, about.id]));
    expect(idsOf(seen)).not.toContain(above.id);
    for (const { wallet_id, node_id } of seen.body.items) {
      expect(wallet_id === below.wallet_id || node_id === branch.nodeId).toBe(true);
    }
  });

  it('still lists and changes those of a deleted wallet, whose payments go on', async () => {
    const { id } = await api.wallet(shop);
    const webhook = await made({ wallet_id: id });
    await api.call('DELETE', `/api/v1/wallets/${id}`, { token: shop.token });
    expect(idsOf(await list('?per_page=100'))).toContain(webhook.id);
    expect(idsOf(await list(`?wallet_id=${id}`))).toEqual([webhook.id]);
    expect((await put({ id: webhook.id, success_path: '/new' })).body.success_path).toBe('/new');
    expect((await remove(webhook.id)).status).toBe(204);
  });
});

describe('PUT /api/v1/webhooks', () => {
  it('changes the given members and keeps the rest', async () => {
    const webhook = await made();
    const json = { host: 'https://CHANGED.example/', events: ['payment.anomaly'], is_active: false };
    const { status, body } = await put({ id: webhook.id.toUpperCase(), ...json });
    expect([status, body]).toEqual([
      200,
      { ...shown(webhook), ...json, host: 'https://changed.example', updated_at: expect.any(String) },
    ]);
    expect(body.updated_at > webhook.updated_at).toBe(true);
    expect(await credentialsOf(webhook.id)).toEqual({ type: 'basic', username, password });
  });

  it('changes nothing, without an audit entry, when nothing is new', async () => {
    const webhook = await made({ events: ['payment.ready'] });
    const { id, host, success_path, error_path, auth_type, events, is_active } = webhook;
    const same = { host, success_path, error_path, auth_type, events, is_active };
    for (const json of [{}, same, { ...same, auth_basic_password: null, host: null, node_id: null }]) {
      expect((await put({ id, ...json })).body).toEqual(shown(webhook));
    }
    expect(await audited(id)).toHaveLength(1);
  });

  it('changes user name or password alone, or the token', async () => {
    const { id } = await made();
    await put({ id, auth_basic_username: 'somebody' });
    expect(await credentialsOf(id)).toEqual({ type: 'basic', username: 'somebody', password });
    const answer = await put({ id, auth_basic_password: 'other-secret' });
    expect(answer.text).not.toContain('other-secret');
    expect(await credentialsOf(id)).toEqual({ type: 'basic', username: 'somebody', password: 'other-secret' });
    const bearer = await made({ auth_type: 'token' });
    await put({ id: bearer.id, auth_token: 'next', auth_type: 'token' });
    expect(await credentialsOf(bearer.id)).toEqual({ type: 'token', token: 'next' });
    const entries = await audited(id);
    expect(entries.map(({ after }) => after.credentials_changed)).toEqual([undefined, true, true]);
    expect(JSON.stringify(entries)).not.toMatch(/somebody|other-secret/);
  });

  it('switches the type only with all credentials of the new one', async () => {
    const { id } = await made();
    expect(refusal(await put({ id, auth_token: token }))).toEqual([400, 'invalid_request', '/body/auth_token']);
    expect((await put({ id, auth_type: 'token', auth_token: token })).body.auth_type).toBe('token');
    expect(await credentialsOf(id)).toEqual({ type: 'token', token });
    const half = { id, auth_type: 'basic', auth_basic_username: username };
    expect(refusal(await put(half))).toEqual([400, 'invalid_request', '/body/auth_basic_password']);
    expect(refusal(await put({ id, auth_basic_username: username }))[2]).toBe('/body/auth_basic_username');
    expect(refusal(await put({ ...half, auth_basic_password: password, auth_token: token }))[2]).toBe(
      '/body/auth_token',
    );
    expect((await put({ ...half, auth_basic_password: password })).body.auth_type).toBe('basic');
    expect(await credentialsOf(id)).toEqual({ type: 'basic', username, password });
  });

  it('enables a disabled webhook again', async () => {
    const { id } = await made();
    await api
      .knex('webhook_configurations')
      .where({ id })
      .update({ is_active: false, disabled_reason: 'answered 410 Gone' });
    expect((await put({ id, is_active: false })).body.disabled_reason).toBe('answered 410 Gone');
    expect((await put({ id, is_active: true })).body).toMatchObject({ is_active: true, disabled_reason: null });
  });

  it('refuses another node', async () => {
    const { id } = await made({ node_id: branch.nodeId });
    expect((await put({ id, node_id: branch.nodeId.toUpperCase() })).status).toBe(200);
    expect(refusal(await put({ id, node_id: shop.nodeId }))).toEqual([400, 'immutable_field', '/body/node_id']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['/body/host', { host: 'https://127.1' }],
    ['/body/success_path', { success_path: '//x' }],
    ['/body/events/0', { events: ['payment.failed'] }],
  ])('names %s when it is wrong', async (field, change) => {
    const hosts = await startApi({ webhookHosts: 'public' });
    const answer = await hosts.call('PUT', path, {
      token: (await hosts.actor('shop')).token,
      json: { id: randomUUID(), ...change },
    });
    expect(refusal(answer)).toEqual([400, 'invalid_request', field]);
  });

  it('is refused the host of a twin, even when two run at the same time', async () => {
    const host = 'https://taken.example';
    await made({ host });
    const [one, two, three] = [await made(), await made(), await made({ network_id: api.ids.networks.B })];
    expect(refusal(await put({ id: one.id, host }))).toEqual([409, 'webhook_exists', undefined]);
    expect((await put({ id: three.id, host })).status).toBe(200);
    const answers = await Promise.all([one, two].map(({ id }) => put({ id, host: 'https://both.example' })));
    expect(statusesOf(answers)).toEqual([200, 409]);
    expect(await audited(one.id)).toHaveLength(1 + (answers[0]!.status === 200 ? 1 : 0));
  });

  it('loses nothing when members are changed at the same time', async () => {
    const { id } = await made();
    const parts = [
      { success_path: '/a' },
      { error_path: '/b' },
      { events: ['payment.ready'] },
      { auth_basic_username: 'u' },
      { auth_basic_password: 'p' },
    ];
    await Promise.all(parts.map((part) => put({ id, ...part })));
    const { success_path, error_path, events } = await stored(id);
    expect([success_path, error_path, events]).toEqual(['/a', '/b', ['payment.ready']]);
    expect(await credentialsOf(id)).toEqual({ type: 'basic', username: 'u', password: 'p' });
  });
});

describe('DELETE /api/v1/webhooks', () => {
  it('erases credentials and signing secret', async () => {
    const webhook = await made();
    expect((await remove(webhook.id)).status).toBe(204);
    expect(await stored(webhook.id)).toMatchObject({
      encrypted_credentials: null,
      encrypted_signing_secret: null,
      deleted_at: expect.any(Date),
    });
  });

  it('takes effect once, however many simultaneous requests there are', async () => {
    const { id } = await made();
    const answers = await together(5, () => remove(id));
    expect(statusesOf(answers)).toEqual([204, 404, 404, 404, 404]);
    expect(await audited(id)).toHaveLength(2);
  });
});

it('webhooks may call this machine only where the configuration says so', async () => {
  expect((await made({ host: 'http://127.0.0.1:4000' })).host).toBe('http://127.0.0.1:4000');
  expect(refusal(await create({ host: 'http://10.0.0.1' }))).toEqual([400, 'invalid_request', '/body/host']);
  const strict = await startApi({ webhookHosts: 'public' });
  const actor = await strict.actor('shop');
  const json = { ...bodyOf(), wallet_id: (await strict.wallet(actor)).id, network_id: strict.ids.networks.A };
  const ask = (host: string) => strict.call('POST', path, { token: actor.token, json: { ...json, host } });
  expect(refusal(await ask('http://127.0.0.1:4000'))).toEqual([400, 'invalid_request', '/body/host']);
  expect(refusal(await ask('https://localhost'))).toEqual([400, 'invalid_request', '/body/host']);
  expect((await ask('https://shop.example')).status).toBe(201);
});

describe('PUT /api/v1/webhooks of a wallet out of reach', () => {
  it.each([
    ['host', 'https://elsewhere.example'],
    ['success_path', '/report?delete=all'],
    ['error_path', '/other'],
  ])("needs the credentials again for another %s, because they may be the wallet owner's", async (field, value) => {
    const parent = { wallet_id: (await api.wallet(root)).id, node_id: branch.nodeId };
    const webhook = await made({ ...parent, success_path: '/paid' }, root.token);
    const change = { id: webhook.id, [field]: value };
    const errors = [{ path: '/body/auth_basic_username', message: 'is required for auth_type basic' }];
    const refused = await put(change, branch.token);
    expect([refused.status, refused.body.errors[0]]).toEqual([400, errors[0]]);
    expect((await put({ ...change, auth_basic_password: 'mine' }, branch.token)).body.errors).toEqual(errors);
    expect((await list(`?wallet_id=${parent.wallet_id}`, root.token)).body.items).toEqual([shown(webhook)]);
    // Other rules hold for an unchanged host, and for one that its owner changes.
    const same = { id: webhook.id, [field]: webhook[field], events: ['payment.ready'] };
    expect((await put(same, branch.token)).status).toBe(200);
    expect((await put(change, root.token)).status).toBe(200);
    const own = { auth_basic_username: 'mine', auth_basic_password: 'mine' };
    expect((await put({ ...change, [field]: webhook[field], ...own }, branch.token)).status).toBe(200);
    expect(await credentialsOf(webhook.id)).toEqual({ type: 'basic', username: 'mine', password: 'mine' });
  });
});

it('the log has no trace of a secret', () => {
  expect(api.lines.filter((line) => [...secrets, 'whsec_'].some((secret) => line.includes(secret)))).toEqual([]);
});
