import { randomUUID } from 'node:crypto';
import { optionalMemberFields } from '../../../domain/member.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const root = await api.actor('root');
const branch = await api.actor('branch');
const rival = await api.actor('rival');

const create = (token: string, json: Record<string, unknown>) => api.call('POST', '/api/v1/members', { token, json });
const get = (token: string, id: string) => api.call('GET', `/api/v1/members/${id}`, { token });
const put = (token: string, id: string, json: Record<string, unknown>) =>
  api.call('PUT', `/api/v1/members/${id}`, { token, json });
const remove = (token: string, id: string) => api.call('DELETE', `/api/v1/members/${id}`, { token });

const bodyOf = (change: Record<string, unknown> = {}) => ({
  node_id: shop.nodeId,
  external_id: randomUUID(),
  name: 'Ada',
  ...change,
});
const member = async (change: Record<string, unknown> = {}, actor = shop) => {
  const { status, body, text } = await create(actor.token, bodyOf({ node_id: actor.nodeId, ...change }));
  if (status !== 201) throw new Error(text);
  return body;
};
const anonymous = ({ status, body }: Answer) => ({ ...body, status, request_id: '' });
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id }).orderBy('created_at');

/** Text of each field as long as the interface allows. */
const longest = {
  surname: 's'.repeat(255),
  email: `${'e'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(58)}.com`,
  phone: '5'.repeat(50),
  identity_number: '1'.repeat(50),
  tax_office: 't'.repeat(255),
  tax_number: '2'.repeat(50),
  address: 'a'.repeat(4_096),
  district: 'd'.repeat(255),
  city: '\u{1F355}'.repeat(255),
  country: 'c'.repeat(10),
  contact_name: 'n'.repeat(255),
  locale: 'l'.repeat(10),
};

describe('POST /api/v1/members', () => {
  it('answers the whole member, null for what was left out', async () => {
    const json = bodyOf();
    const { status, body } = await create(shop.token, json);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...Object.fromEntries(optionalMemberFields.map((field) => [field, null])),
      ...json,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect((await get(shop.token, body.id)).body).toEqual(body);
    expect(await audited(body.id)).toMatchObject([
      { action: 'member.created', node_id: shop.nodeId, actor_id: shop.id, before: null, after: body },
    ]);
  });

  it('keeps every field at its longest', async () => {
    const json = bodyOf({ external_id: 'x'.repeat(255), name: 'n'.repeat(255), ...longest });
    const { status, body } = await create(shop.token, json);
    expect(status).toBe(201);
    expect(body).toMatchObject(json);
  });

  it.each([...Object.entries(longest), ['external_id', 'x'.repeat(255)], ['name', 'n'.repeat(255)]] as const)(
    'refuses a longer %s',
    async (field, text) => {
      const external_id = randomUUID();
      const { status, body } = await create(shop.token, bodyOf({ external_id, [field]: `${text}x` }));
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors.map((error: { path: string }) => error.path)).toContain(`/body/${field}`);
      expect(await api.knex('members').where({ external_id })).toEqual([]);
    },
  );

  it.each([
    ['an unknown field', { nickname: 'x' }],
    ['a field of the answer', { id: randomUUID() }],
    ['a deletion', { deleted_at: null }],
    ['an email that is none', { email: 'ada' }],
    ['an empty name', { name: '' }],
    ['no name', { name: undefined }],
    ['an empty external_id', { external_id: '' }],
    ['no node', { node_id: undefined }],
    ['text that can not be stored', { city: 'a\0b' }],
  ])('refuses %s and stores nothing', async (_what, change) => {
    const before = await api.knex('members').count();
    const { status, body } = await create(shop.token, bodyOf(change));
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(await api.knex('members').count()).toEqual(before);
  });

  it('answers 409 with the id of the member that is there; another node may have the same external_id', async () => {
    const { id, external_id } = await member();
    const { status, body } = await create(shop.token, bodyOf({ external_id, name: 'other' }));
    expect([status, body.code, body.existing_id]).toEqual([409, 'member_exists', id]);
    expect((await member({ external_id }, branch)).external_id).toBe(external_id);
  });

  it('makes one of eight at the same time', async () => {
    const json = bodyOf();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(shop.token, json)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    const others = answers.filter(({ status }) => status === 409).map(({ body }) => body.existing_id);
    expect(others).toEqual(Array.from({ length: 7 }, () => made[0]!.body.id));
  });

  it('answers the same to all of eight at the same time under one Idempotency-Key', async () => {
    const options = { token: shop.token, json: bodyOf(), headers: { 'idempotency-key': randomUUID() } };
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.call('POST', '/api/v1/members', options)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
  });

  it('answers 404 for a node out of reach as for none', async () => {
    const answers = await Promise.all(
      [root.nodeId, rival.nodeId, randomUUID()].map((node_id) => create(shop.token, bodyOf({ node_id }))),
    );
    expect(anonymous(answers[0]!)).toMatchObject({ status: 404, code: 'node_not_found' });
    expect(new Set(answers.map((answer) => JSON.stringify(anonymous(answer)))).size).toBe(1);
  });
});

describe('GET /api/v1/members', () => {
  const list = (token: string, query: string) => api.call('GET', `/api/v1/members?${query}`, { token });
  const ids = ({ body }: Answer) => body.items.map((item: { id: string }) => item.id);

  it('lists the live members of one node, newest first, by page and by cursor', async () => {
    const made: string[] = [];
    for (let index = 0; index < 12; index += 1) made.unshift((await member({}, rival)).id);
    await remove(rival.token, made.shift()!);
    const first = await list(rival.token, `node_id=${rival.nodeId}`);
    expect(first.body).toMatchObject({ page: 1, per_page: 10, total: 11 });
    expect(ids(first)).toEqual(made.slice(0, 10));
    expect(ids(await list(rival.token, `node_id=${rival.nodeId}&page=2`))).toEqual(made.slice(10));
    expect(ids(await list(rival.token, `node_id=${rival.nodeId}&cursor=${first.body.next_cursor}`))).toEqual(
      made.slice(10),
    );
  });

  it('adds what is below when asked, and nothing that is beside or above', async () => {
    const [own, below] = [await member(), await member({}, branch)];
    const alone = ids(await list(root.token, `node_id=${shop.nodeId}&per_page=100`));
    expect(alone).toContain(own.id);
    expect(alone).not.toContain(below.id);
    const all = ids(await list(root.token, `node_id=${shop.nodeId}&per_page=100&include_descendants=true`));
    expect(all).toEqual(expect.arrayContaining([own.id, below.id]));
    const foreign = await list(shop.token, `node_id=${rival.nodeId}`);
    const absent = await list(shop.token, `node_id=${randomUUID()}`);
    expect(anonymous(foreign)).toMatchObject({ status: 404, code: 'node_not_found' });
    expect(anonymous(foreign)).toEqual(anonymous(absent));
    expect((await list(shop.token, 'page=1')).status).toBe(400);
  });
});

describe('a member', () => {
  it('is read, changed and deleted from its node and from above only', async () => {
    const { id } = await member();
    for (const token of [rival.token, branch.token]) {
      for (const [one, other] of [
        [await get(token, id), await get(token, randomUUID())],
        [await put(token, id, { name: 'theirs' }), await put(token, randomUUID(), { name: 'theirs' })],
        [await remove(token, id), await remove(token, randomUUID())],
      ] as const) {
        expect(anonymous(one)).toMatchObject({ status: 404, code: 'member_not_found' });
        expect(anonymous(one)).toEqual(anonymous(other));
      }
    }
    expect((await get(root.token, id)).body.name).toBe('Ada');
    expect((await put(root.token, id, { name: 'from above' })).status).toBe(200);
    expect((await remove(root.token, id)).status).toBe(204);
  });

  it('is known by its id in any case', async () => {
    const { id } = await member();
    expect((await get(shop.token, id.toUpperCase())).body.id).toBe(id);
    expect((await put(shop.token, id.toUpperCase(), { name: 'x' })).body.id).toBe(id);
    expect((await remove(shop.token, id.toUpperCase())).status).toBe(204);
  });
});

describe('PUT /api/v1/members/{id}', () => {
  it('changes only what is given, and clears by null', async () => {
    const before = await member({ ...longest });
    const { status, body } = await put(shop.token, before.id, { name: 'Grace', phone: null, city: 'Izmir' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      name: 'Grace',
      phone: null,
      city: 'Izmir',
      updated_at: expect.any(String),
    });
    expect(body.updated_at > before.updated_at).toBe(true);
    expect((await get(shop.token, before.id)).body).toEqual(body);
    expect((await audited(before.id)).at(-1)).toMatchObject({ action: 'member.updated', before, after: body });
  });

  it('takes what is there already, also external_id and node_id, and then changes nothing', async () => {
    const before = await member({ surname: 'L' });
    const { external_id, name } = before;
    for (const json of [{}, { external_id, name, node_id: shop.nodeId.toUpperCase(), surname: 'L', email: null }]) {
      expect((await put(shop.token, before.id, json)).body).toEqual(before);
    }
    expect(await audited(before.id)).toHaveLength(1);
  });

  it('refuses another external_id and another node, and changes nothing else either', async () => {
    const before = await member();
    const json = { name: 'new', external_id: 'other', node_id: branch.nodeId };
    const { status, body } = await put(shop.token, before.id, json);
    expect([status, body.code]).toEqual([400, 'immutable_field']);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual(['/body/external_id', '/body/node_id']);
    const other = await put(shop.token, before.id, { node_id: randomUUID() });
    expect(other.body.errors.map((error: { path: string }) => error.path)).toEqual(['/body/node_id']);
    expect((await get(shop.token, before.id)).body).toEqual(before);
  });

  it.each([
    { name: 'new', id: '01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73' },
    { name: 'new', created_at: '2020-01-01T00:00:00Z' },
    { name: 'new', deleted_at: '2020-01-01T00:00:00Z' },
    { name: null },
    { name: 'new', external_id: null },
    { name: 'new', email: 'x' },
    { name: 'new', locale: 'l'.repeat(11) },
  ])('refuses %j and changes nothing', async (json) => {
    const before = await member();
    const { status, body } = await put(shop.token, before.id, json);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect((await get(shop.token, before.id)).body).toEqual(before);
  });

  it('keeps both of two changes at the same time', async () => {
    const { id } = await member();
    await Promise.all(
      optionalMemberFields.map((field) =>
        put(shop.token, id, { [field]: field === 'email' ? 'ada@example.com' : 'changed' }),
      ),
    );
    const { body } = await get(shop.token, id);
    for (const field of optionalMemberFields) {
      expect(body[field]).toBe(field === 'email' ? 'ada@example.com' : 'changed');
    }
    expect(await audited(id)).toHaveLength(1 + optionalMemberFields.length);
  });
});

describe('DELETE /api/v1/members/{id}', () => {
  it('hides the member, once', async () => {
    const before = await member();
    const { status, text } = await remove(shop.token, before.id);
    expect([status, text]).toEqual([204, '']);
    expect((await remove(shop.token, before.id)).status).toBe(404);
    expect((await get(shop.token, before.id)).status).toBe(404);
    expect((await put(shop.token, before.id, { name: 'x' })).status).toBe(404);
    expect((await audited(before.id)).at(-1)).toMatchObject({ action: 'member.deleted', before, after: null });
    expect(await audited(before.id)).toHaveLength(2);
  });

  it('lets one of eight at the same time delete it', async () => {
    const { id } = await member();
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(shop.token, id)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, ...Array(7).fill(404)]);
  });

  it('frees the external_id for another member, and for an inline one', async () => {
    const first = await member();
    await remove(shop.token, first.id);
    const second = await member({ external_id: first.external_id });
    expect(second.id).not.toBe(first.id);
    await remove(shop.token, second.id);
    const wallet = await api.wallet(shop);
    const { status, body } = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: api.paymentBody({ wallet_id: wallet.id, member: { external_id: first.external_id, name: 'third' } }),
    });
    expect([status, body.member.name]).toEqual([201, 'third']);
    expect([first.id, second.id]).not.toContain(body.member_id);
  });

  it('leaves payments of the member as they are, and takes no new ones', async () => {
    const buyer = await member({ surname: 'kept' });
    const wallet = await api.wallet(shop);
    const json = api.paymentBody({ wallet_id: wallet.id, member_id: buyer.id });
    const { body: payment } = await api.call('POST', '/api/v1/payments', { token: shop.token, json });
    await remove(shop.token, buyer.id);
    const { body } = await api.call('GET', `/api/v1/payments/${payment.id}`, { token: shop.token });
    expect(body.member).toMatchObject({ id: buyer.id, surname: 'kept' });
    const again = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: { ...json, external_id: randomUUID() },
    });
    expect([again.status, again.body.code]).toEqual([404, 'member_not_found']);
  });
});
