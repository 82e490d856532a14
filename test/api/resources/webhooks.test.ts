import { randomUUID } from 'node:crypto';
import { optionalEvents } from '../../../domain/webhook.ts';
import { startApi, type Actor, type Answer } from '../support/api-under-test.ts';

const api = await startApi();
const root = await api.actor('root');
const shop = await api.actor('shop');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
const wallet = await api.wallet(shop);

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
const made = async (change: Record<string, unknown> = {}, by = shop.token) => {
  const { status, body, text } = await create(change, by);
  if (status !== 201) throw new Error(text);
  return body;
};
/** What lists and PUT answer of a webhook. */
const shown = (webhook: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(webhook).filter(([name]) => name !== 'signing_secret'));
const refusal = ({ status, body }: Answer) => [status, body?.code, body?.errors?.[0]?.path];
const anonymous = ({ status, body }: Answer) => ({ ...body, status, request_id: '' });
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id }).orderBy(['created_at', 'id']);
const stored = (id: string) => api.knex('webhook_configurations').where({ id }).first();
const credentialsOf = async (id: string) =>
  JSON.parse(api.encryption.decrypt(`webhook ${id} credentials`, (await stored(id)).sealed_credentials));
const itemIds = ({ body }: Answer) => body.items.map((item: { id: string }) => item.id);

describe('POST /api/v1/webhooks', () => {
  it('answers the webhook with its signing secret, and never its credentials', async () => {
    const json = bodyOf({ events: ['payment.ready', 'payment.created'] });
    const answer = await create(json);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      wallet_id: wallet.id,
      network_id: api.ids.networks.A,
      node_id: null,
      host: json.host,
      success_path: '/paid',
      error_path: '/unpaid',
      auth_type: 'basic',
      events: ['payment.created', 'payment.ready'],
      is_active: true,
      disabled_reason: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { id, signing_secret } = answer.body;
    expect(secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
    expect(Buffer.from(signing_secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const [entry, ...more] = await audited(id);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      action: 'webhook.created',
      node_id: shop.nodeId,
      actor_id: shop.id,
      before: null,
      after: shown(answer.body),
    });
    expect(JSON.stringify(entry)).not.toContain(signing_secret);
  });

  it('seals credentials and signing secret for this one configuration', async () => {
    const [basic, bearer] = [await made(), await made({ auth_type: 'token' })];
    expect(await credentialsOf(basic.id)).toEqual({ type: 'basic', username, password });
    expect(await credentialsOf(bearer.id)).toEqual({ type: 'token', token });
    const row = await stored(basic.id);
    const open = (id: string, what: string) =>
      api.encryption.decrypt(`webhook ${id} ${what}`, row.sealed_signing_secret);
    expect(open(basic.id, 'signing secret')).toBe(basic.signing_secret);
    expect(() => open(bearer.id, 'signing secret')).toThrow('does not open');
    const bytes = Buffer.concat([row.sealed_credentials, row.sealed_signing_secret]).toString('latin1');
    expect([...secrets, basic.signing_secret].filter((secret) => bytes.includes(secret))).toEqual([]);
    expect(basic.signing_secret).not.toBe(bearer.signing_secret);
  });

  it('stores the host in its normal form, and takes ids in upper case and null for what is left out', async () => {
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
    ['/body/auth_basic_username', { auth_basic_username: undefined }],
    ['/body/auth_basic_password', { auth_basic_password: null }],
    ['/body/auth_token', { auth_type: 'token', auth_token: undefined }],
    ['/body/auth_token', { auth_token: token }],
    ['/body/auth_basic_username', { auth_type: 'token', auth_basic_username: username }],
    ['/body/auth_basic_password', { auth_type: 'token', auth_basic_password: password }],
    ['/body/auth_basic_username', { auth_basic_username: 'a:b' }],
    ['/body/auth_basic_username', { auth_basic_username: '' }],
    ['/body/auth_basic_password', { auth_basic_password: 'a\r\nX-Evil: 1' }],
    ['/body/auth_token', { auth_type: 'token', auth_token: 'a b' }],
    ['/body/auth_token', { auth_type: 'token', auth_token: 'a\nb' }],
    ['/body/auth_token', { auth_type: 'token', auth_token: 'ü' }],
    ['/body/auth_type', { auth_type: 'digest' }],
    ['/body/host', { host: undefined }],
    ['/body/host', { host: 'https://shop.example/hooks' }],
    ['/body/host', { host: 'http://shop.example' }],
    ['/body/host', { host: 'https://169.254.169.254' }],
    ['/body/host', { host: `https://${'a'.repeat(2_048)}` }],
    ['/body/success_path', { success_path: 'paid' }],
    ['/body/success_path', { success_path: '//evil.example' }],
    ['/body/success_path', { success_path: `/${'a'.repeat(512)}` }],
    ['/body/error_path', { error_path: '/\\evil.example' }],
    ['/body/error_path', { error_path: null }],
    ['/body/events/0', { events: ['payment.completed'] }],
    ['/body/events', { events: ['payment.ready', 'payment.ready'] }],
    ['/body/wallet_id', { wallet_id: 'x' }],
    ['/body/node_id', { node_id: 'x' }],
    ['/body/disabled_reason', { disabled_reason: 'x' }],
    ['/body/signing_secret', { signing_secret: 'whsec_x' }],
  ])('names %s when it is wrong: %j', async (field, change) => {
    const answer = await create(change);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(field);
    expect(secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
  });

  it('names every field of the target that is wrong at once', async () => {
    const { body } = await create({ host: 'ftp://x', success_path: 'a', error_path: 'b' });
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([
      '/body/host',
      '/body/success_path',
      '/body/error_path',
    ]);
  });

  it('takes the longest values that there may be', async () => {
    const success_path = `/${'a'.repeat(511)}`;
    const body = await made({
      success_path,
      auth_basic_username: 'u'.repeat(255),
      auth_basic_password: '\u{1F355}'.repeat(1_024),
    });
    expect(body.success_path).toBe(success_path);
    expect((await made({ auth_type: 'token', auth_token: 't'.repeat(4_096) })).auth_type).toBe('token');
  });

  it('answers 403 for a wallet out of reach, 404 for one that is not there or was deleted', async () => {
    const parents = await api.wallet(root);
    for (const foreign of [parents.id, (await api.wallet(rival)).id]) {
      expect(refusal(await create({ wallet_id: foreign }))).toEqual([403, 'node_access_denied', undefined]);
    }
    expect(refusal(await create({ wallet_id: randomUUID() }))).toEqual([404, 'wallet_not_found', undefined]);
    const gone = await api.wallet(shop);
    await api.call('DELETE', `/api/v1/wallets/${gone.id}`, { token: shop.token });
    expect(refusal(await create({ wallet_id: gone.id }))).toEqual([404, 'wallet_not_found', undefined]);
    expect((await made({ wallet_id: parents.id }, root.token)).wallet_id).toBe(parents.id);
  });

  it('answers 404 for a network that is not there, 400 for one of another chain', async () => {
    expect(refusal(await create({ network_id: randomUUID() }))).toEqual([404, 'network_not_found', undefined]);
    expect(refusal(await create({ network_id: api.ids.networks.S }))).toEqual([
      400,
      'invalid_request',
      '/body/network_id',
    ]);
  });

  it("can be narrowed to the wallet's node or one below it, and to no other", async () => {
    expect((await made({ node_id: branch.nodeId.toUpperCase() })).node_id).toBe(branch.nodeId);
    expect((await made({ node_id: shop.nodeId })).node_id).toBe(shop.nodeId);
    const others = [randomUUID(), root.nodeId, rival.nodeId];
    const answers = await Promise.all(others.map((node_id) => create({ node_id })));
    expect(answers[0]).toMatchObject({ status: 404, body: { code: 'node_not_found' } });
    expect(new Set(answers.map((answer) => JSON.stringify(anonymous(answer)))).size).toBe(1);
  });

  it('is refused as a twin of a live one of the same wallet, network, host and node, however it is written', async () => {
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
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ host })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'webhook_exists')).toHaveLength(9);
  });

  it('answers a repeated Idempotency-Key with the same signing secret, which is kept sealed', async () => {
    const json = bodyOf();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.call('POST', path, { token: shop.token, json, headers })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { id, signing_secret } = answers[0]!.body;
    expect(await audited(id)).toHaveLength(1);
    const row = await api.knex('idempotency_keys').where({ key: headers['idempotency-key'] }).first();
    expect(row.sealed_answer.toString('latin1')).not.toContain(signing_secret);
    const again = await create({ ...json, success_path: '/other' });
    expect(again.status).toBe(409);
  });

  it('can not be made for a wallet that is being deleted', async () => {
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
  it("lists those of the caller's node and all below it, newest first, without credentials", async () => {
    const own = await api.actor('rival');
    const [one, two] = [await api.wallet(own), await api.wallet(own)];
    const first = await made({ wallet_id: one.id }, own.token);
    const second = await made({ wallet_id: two.id, auth_type: 'token' }, own.token);
    const answer = await list('', own.token);
    expect(answer.body).toEqual({
      items: [shown(second), shown(first)],
      page: 1,
      per_page: 10,
      total: 2,
      next_cursor: null,
    });
    expect([...secrets, 'signing_secret', 'whsec_'].filter((secret) => answer.text.includes(secret))).toEqual([]);
    expect((await list(`?wallet_id=${one.id}`, own.token)).body.items).toEqual([shown(first)]);
    const page = await list('?per_page=1', own.token);
    expect(itemIds(page)).toEqual([second.id]);
    expect(itemIds(await list(`?per_page=1&cursor=${page.body.next_cursor}`, own.token))).toEqual([first.id]);
    expect(itemIds(await list('?per_page=100', root.token))).toEqual(expect.arrayContaining([first.id, second.id]));
    await remove(first.id, own.token);
    expect(itemIds(await list('', own.token))).toEqual([second.id]);
  });

  it('shows a child nothing of the wallets above it or beside it', async () => {
    const above = await made({ node_id: branch.nodeId });
    const theirs = await api.wallet(branch);
    const below = await made({ wallet_id: theirs.id }, branch.token);
    expect(itemIds(await list('', branch.token))).toEqual([below.id]);
    expect(itemIds(await list('?per_page=100'))).toEqual(expect.arrayContaining([above.id, below.id]));
    const foreign = [wallet.id, (await api.wallet(rival)).id, randomUUID()];
    const answers = await Promise.all(foreign.map((id) => list(`?wallet_id=${id}`, branch.token)));
    expect(answers[0]).toMatchObject({ status: 404, body: { code: 'wallet_not_found' } });
    expect(new Set(answers.map((answer) => JSON.stringify(anonymous(answer)))).size).toBe(1);
  });

  it('still lists and changes those of a deleted wallet, whose payments go on', async () => {
    const { id } = await api.wallet(shop);
    const webhook = await made({ wallet_id: id });
    await api.call('DELETE', `/api/v1/wallets/${id}`, { token: shop.token });
    expect(itemIds(await list('?per_page=100'))).toContain(webhook.id);
    expect((await list(`?wallet_id=${id}`)).body.code).toBe('wallet_not_found');
    expect((await put({ id: webhook.id, success_path: '/new' })).body.success_path).toBe('/new');
    expect((await remove(webhook.id)).status).toBe(204);
  });
});

describe('PUT /api/v1/webhooks', () => {
  it('changes what is given and keeps the rest', async () => {
    const webhook = await made();
    const change = { host: 'https://CHANGED.example/', success_path: '/ok', error_path: '/no' };
    const answer = await put({
      id: webhook.id.toUpperCase(),
      ...change,
      events: ['payment.anomaly'],
      is_active: false,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...shown(webhook),
      ...change,
      host: 'https://changed.example',
      events: ['payment.anomaly'],
      is_active: false,
      updated_at: expect.any(String),
    });
    expect(answer.body.updated_at > webhook.updated_at).toBe(true);
    expect(await credentialsOf(webhook.id)).toEqual({ type: 'basic', username, password });
    const [, entry, ...more] = await audited(webhook.id);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ action: 'webhook.updated', before: shown(webhook), after: answer.body });
    const after = await put({ id: webhook.id, error_path: '/later' });
    expect(after.body).toEqual({ ...answer.body, error_path: '/later', updated_at: expect.any(String) });
  });

  it('changes nothing, and says so nowhere, when nothing is new', async () => {
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
    expect(refusal(await put({ id, auth_type: 'token' }))).toEqual([400, 'invalid_request', '/body/auth_token']);
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
    expect((await audited(id)).map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.updated',
    ]);
  });

  it('lets a disabled webhook go on', async () => {
    const { id } = await made();
    await api
      .knex('webhook_configurations')
      .where({ id })
      .update({ is_active: false, disabled_reason: 'answered 410 Gone' });
    expect((await put({ id, is_active: false })).body.disabled_reason).toBe('answered 410 Gone');
    expect((await put({ id, is_active: true })).body).toMatchObject({ is_active: true, disabled_reason: null });
  });

  it('refuses another node, wallet or network', async () => {
    const { id } = await made({ node_id: branch.nodeId });
    expect((await put({ id, node_id: branch.nodeId.toUpperCase() })).status).toBe(200);
    expect(refusal(await put({ id, node_id: shop.nodeId }))).toEqual([400, 'immutable_field', '/body/node_id']);
    expect(refusal(await put({ id, wallet_id: wallet.id }))).toEqual([400, 'invalid_request', '/body/wallet_id']);
    expect(refusal(await put({ id, network_id: api.ids.networks.B }))[0]).toBe(400);
  });

  it.each<[string, Record<string, unknown>]>([
    ['/body/host', { host: 'https://127.1' }],
    ['/body/success_path', { success_path: '//x' }],
    ['/body/error_path', { error_path: '' }],
    ['/body/events/0', { events: ['payment.failed'] }],
    ['/body/auth_type', { auth_type: 'none' }],
    ['/body/is_active', { is_active: 'yes' }],
    ['/body/signing_secret', { signing_secret: 'whsec_x' }],
  ])('names %s when it is wrong', async (field, change) => {
    const hosts = await startApi({ webhookHosts: 'public' });
    const answer = await hosts.call('PUT', path, {
      token: (await hosts.actor('shop')).token,
      json: { id: randomUUID(), ...change },
    });
    expect(refusal(answer)).toEqual([400, 'invalid_request', field]);
  });

  it('is refused the host of a twin, also when two run at the same time', async () => {
    const host = 'https://taken.example';
    await made({ host });
    const [one, two, three] = [await made(), await made(), await made({ network_id: api.ids.networks.B })];
    expect(refusal(await put({ id: one.id, host }))).toEqual([409, 'webhook_exists', undefined]);
    expect((await put({ id: three.id, host })).status).toBe(200);
    const answers = await Promise.all([one, two].map(({ id }) => put({ id, host: 'https://both.example' })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    expect(await audited(one.id)).toHaveLength(1 + (answers[0]!.status === 200 ? 1 : 0));
  });

  it('loses nothing when parts are changed at the same time', async () => {
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
  it('erases credentials and signing secret, and frees host and id', async () => {
    const webhook = await made();
    expect((await remove(webhook.id)).status).toBe(204);
    expect(await stored(webhook.id)).toMatchObject({
      sealed_credentials: null,
      sealed_signing_secret: null,
      deleted_at: expect.any(Date),
    });
    expect((await audited(webhook.id))[1]).toMatchObject({
      action: 'webhook.deleted',
      before: shown(webhook),
      after: null,
    });
    expect(refusal(await remove(webhook.id))).toEqual([404, 'webhook_not_found', undefined]);
    expect(refusal(await put({ id: webhook.id, is_active: true }))).toEqual([404, 'webhook_not_found', undefined]);
    expect(await audited(webhook.id)).toHaveLength(2);
  });

  it('is done once, however many ask at the same time', async () => {
    const { id } = await made();
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(id)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 404, 404, 404, 404]);
    expect(await audited(id)).toHaveLength(2);
  });

  it('needs the id and nothing else', async () => {
    const ask = (json: unknown) => api.call('DELETE', path, { token: shop.token, json });
    expect(refusal(await ask({}))).toEqual([400, 'invalid_request', '/body/id']);
    expect(refusal(await ask({ id: 'x' }))).toEqual([400, 'invalid_request', '/body/id']);
    expect(refusal(await ask({ id: randomUUID(), force: true }))[0]).toBe(400);
    expect((await api.call('DELETE', path, { token: shop.token, raw: '' })).status).toBe(400);
  });
});

describe('a webhook of somebody else', () => {
  const strangers: [string, Actor][] = [
    ['a child', branch],
    ['a sibling', rival],
  ];

  it.each(strangers)('is neither changed nor deleted by %s', async (_, actor) => {
    const webhook = await made({ node_id: branch.nodeId });
    for (const answer of [
      await put({ id: webhook.id, host: 'https://evil.example' }, actor.token),
      await remove(webhook.id, actor.token),
    ]) {
      expect(refusal(answer)).toEqual([403, 'node_access_denied', undefined]);
      expect(answer.text).not.toContain(shop.nodeId);
    }
    expect(refusal(await put({ id: randomUUID() }, actor.token))).toEqual([404, 'webhook_not_found', undefined]);
    expect(await stored(webhook.id)).toMatchObject({ host: webhook.host, deleted_at: null });
    expect(await audited(webhook.id)).toHaveLength(1);
  });

  it('is changed and deleted from above', async () => {
    const webhook = await made();
    expect((await put({ id: webhook.id, is_active: false }, root.token)).status).toBe(200);
    expect((await remove(webhook.id, root.token)).status).toBe(204);
  });
});

it('may call this machine only where the configuration says so', async () => {
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

it('leaves no trace of a secret in the log', () => {
  expect(api.lines.filter((line) => [...secrets, 'whsec_'].some((secret) => line.includes(secret)))).toEqual([]);
});
