import { randomUUID } from 'node:crypto';
import { codeOf, created } from '../api/support/answers.ts';
import { bankTransfer, startApi } from '../api/support/api-under-test.ts';
import {
  anyTimestamp,
  anyUuid,
  checkFields,
  checkLengths,
  checkList,
  email,
  memberLengths,
  outcomeOf,
  text,
  withQuery,
  type FieldType,
} from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const path = '/api/v1/members';

const create = (change: Record<string, unknown> = {}, token = shop.token) =>
  api.call('POST', path, {
    token,
    json: { node_id: shop.nodeId, external_id: randomUUID(), name: 'Ada', ...change },
  });
const get = (id: string, token = shop.token) => api.call('GET', `${path}/${id}`, { token });
const put = (id: string, json: Record<string, unknown>, token = shop.token) =>
  api.call('PUT', `${path}/${id}`, { token, json });
const remove = (id: string, token = shop.token) => api.call('DELETE', `${path}/${id}`, { token });
const list = (query: Record<string, string | undefined> = {}, token = shop.token) =>
  api.call('GET', withQuery(path, { node_id: shop.nodeId, ...query }), { token });
const member = (change: Record<string, unknown> = {}) => created(create(change));

const optional = {
  surname: 'text',
  email: 'email',
  phone: 'text',
  identity_number: 'text',
  tax_office: 'text',
  tax_number: 'text',
  address: 'text',
  district: 'text',
  city: 'text',
  country: 'text',
  contact_name: 'text',
  locale: 'text',
} as const satisfies Record<string, FieldType>;

const full = {
  external_id: 'buyer-1',
  name: 'Ada',
  surname: 'Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0000',
  identity_number: '12345678901',
  tax_office: 'Marylebone',
  tax_number: '9876543210',
  address: "12 St James's Square",
  district: 'Westminster',
  city: 'London',
  country: 'GB',
  contact_name: 'Charles',
  locale: 'en-GB',
};
const nothing = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));
const other: Record<string, string> = { ...full, email: 'eve@example.org' };

describe('the member', () => {
  it('§2 Member: has every field of the table, as it was given', async () => {
    const { status, body } = await create(full);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: anyUuid,
      node_id: shop.nodeId,
      ...full,
      created_at: anyTimestamp,
      updated_at: anyTimestamp,
    });
  });

  it('§2 Member: omitted optional fields are null', async () => {
    const external_id = randomUUID();
    const { body } = await create({ external_id });
    const stored = { id: anyUuid, created_at: anyTimestamp, updated_at: anyTimestamp };
    expect(body).toEqual({ ...nothing, ...stored, node_id: shop.nodeId, external_id, name: 'Ada' });
  });

  it.each(['id', 'created_at', 'updated_at'])(
    '§2 Member: %s is in responses only (in a request 400)',
    async (field) => {
      const { id, created_at } = await member();
      const value = field === 'id' ? id : created_at;
      expect(outcomeOf(await create({ [field]: value }))).toEqual([400, [field]]);
      expect(outcomeOf(await put(id, { [field]: value }))).toEqual([400, [field]]);
    },
  );

  it('§2 Member: external_id is unique together with node_id, so another node may have the same', async () => {
    const { external_id } = await member();
    expect(codeOf(await create({ external_id }))).toEqual([409, 'member_exists']);
    const elsewhere = await create({ external_id, node_id: rival.nodeId }, rival.token);
    expect(elsewhere.status).toBe(201);
  });

  it('§2 Member: external_id is case-sensitive', async () => {
    const external_id = `Case-${randomUUID()}`;
    await member({ external_id });
    expect((await create({ external_id: external_id.toLowerCase() })).status).toBe(201);
  });

  it('§2 Member: limits count characters, not bytes', async () => {
    const phone = '\u{1F4DE}'.repeat(50);
    const { status, body } = await create({ phone });
    expect([status, body.phone]).toEqual([201, phone]);
    expect(outcomeOf(await create({ phone: `${phone}1` }))).toEqual([400, ['phone']]);
  });

  it('§2 Member: address has no bound of its own (4096 characters are taken)', async () => {
    const { status, body } = await create({ address: text(4_096) });
    expect([status, body.address]).toEqual([201, text(4_096)]);
  });
});

describe('POST', () => {
  const write = { tag: '§4 POST /api/v1/members', accepted: 201, send: create };
  checkFields(write, { node_id: 'UUID!', external_id: 'text!', name: 'text!', ...optional });
  checkLengths(write, memberLengths);
  checkLengths(write, { email: [0, 255] }, email);

  it('§4 POST /api/v1/members: 201 is the full member, which GET answers in the same way', async () => {
    const { status, body } = await create({ surname: 'Byron' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ id: anyUuid, surname: 'Byron', created_at: anyTimestamp });
    expect((await get(body.id)).body).toEqual(body);
  });

  it('§4 POST /api/v1/members: 404 for a missing node, and one out of reach', async () => {
    expect(codeOf(await create({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
  });

  it('§4 POST /api/v1/members: 409 for the same node_id and external_id, whatever else differs', async () => {
    const { id, external_id } = await member();
    const { status, body } = await create({ external_id, name: 'Eve', email: 'eve@example.com' });
    expect([status, body.code]).toEqual([409, 'member_exists']);
    expect((await get(id)).body).toMatchObject({ name: 'Ada', email: null });
  });

  it('§4 POST /api/v1/members: an optional field that is null counts as omitted', async () => {
    const { status, body } = await create(nothing);
    expect(status).toBe(201);
    expect(body).toMatchObject(nothing);
  });

  it('§4 POST /api/v1/members: 400 for an unknown field', async () => {
    expect(outcomeOf(await create({ nickname: 'x' }))).toEqual([400, ['nickname']]);
  });
});

describe('GET', () => {
  checkList({ tag: '§4 GET /api/v1/members', get: list, ids: ['node_id!'] });

  it('§4 GET /api/v1/members: items are full members of that node', async () => {
    const mine = await member();
    const foreign = { node_id: rival.nodeId, external_id: randomUUID(), name: 'R' };
    await api.call('POST', path, { token: rival.token, json: foreign });
    const { status, body } = await list({ per_page: '100' });
    expect(status).toBe(200);
    expect(body.items).toContainEqual(mine);
    expect(new Set(body.items.map((item: { node_id: string }) => item.node_id))).toEqual(new Set([shop.nodeId]));
  });

  it('§4 GET /api/v1/members: 404 for a missing node, and one out of reach', async () => {
    expect(codeOf(await list({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await list({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
  });

  it('§4 GET /api/v1/members/{id}: 200 is the full member with updated_at', async () => {
    const made = await member({ city: 'London' });
    const { status, body } = await get(made.id);
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, updated_at: anyTimestamp });
  });

  it('§4 GET /api/v1/members/{id}: 404 for a missing member and one out of reach, 400 for an id that is no UUID', async () => {
    const { id } = await member();
    expect(codeOf(await get(randomUUID()))).toEqual([404, 'member_not_found']);
    expect(codeOf(await get(id, rival.token))).toEqual([404, 'member_not_found']);
    expect(outcomeOf(await get('x'))).toEqual([400, ['id']]);
  });
});

describe('PUT', () => {
  const write = {
    tag: '§4 PUT /api/v1/members/{id}',
    accepted: 200,
    send: async (change: Record<string, unknown>) => put((await member()).id, change),
  };
  checkFields(write, { name: 'text', ...optional });

  it.each(Object.keys(full).filter((field) => field !== 'external_id'))(
    '§4 PUT /api/v1/members/{id}: only %s changes when only it is given',
    async (field) => {
      const before = await member();
      const { status, body } = await put(before.id, { [field]: other[field] });
      expect(status).toBe(200);
      expect(body).toEqual({ ...before, [field]: other[field], updated_at: anyTimestamp });
      expect((await get(before.id)).body).toEqual(body);
    },
  );

  it('§4 PUT /api/v1/members/{id}: nothing changes when no field is given', async () => {
    const before = await member({ ...full, external_id: randomUUID() });
    const { status, body } = await put(before.id, {});
    expect([status, body]).toEqual([200, before]);
  });

  it.each(Object.keys(optional))('§4 PUT /api/v1/members/{id}: null clears %s', async (field) => {
    const { id } = await member({ ...full, external_id: randomUUID() });
    const { status, body } = await put(id, { [field]: null });
    expect([status, body[field]]).toEqual([200, null]);
  });

  it.each(['name', 'external_id', 'node_id'])(
    '§4 PUT /api/v1/members/{id}: %s, which every member has, cannot be cleared (null: 400)',
    async (field) => {
      const before = await member();
      expect(outcomeOf(await put(before.id, { [field]: null }))).toEqual([400, [field]]);
      expect((await get(before.id)).body).toEqual(before);
    },
  );

  it('§4 PUT /api/v1/members/{id}: external_id and node_id cannot be changed, and may be given unchanged', async () => {
    const before = await member();
    for (const [field, value] of [
      ['external_id', randomUUID()],
      ['node_id', rival.nodeId],
      ['node_id', randomUUID()],
    ] as const) {
      const answer = await put(before.id, { [field]: value, name: 'Eve' });
      expect(codeOf(answer)).toEqual([400, 'immutable_field']);
      expect(outcomeOf(answer)[1]).toEqual([field]);
    }
    expect((await get(before.id)).body).toEqual(before);
    const same = await put(before.id, { external_id: before.external_id, node_id: before.node_id, name: 'Eve' });
    expect([same.status, same.body.name]).toEqual([200, 'Eve']);
  });

  it('§4 PUT /api/v1/members/{id}: updated_at advances, created_at stays', async () => {
    const before = await member();
    const { body } = await put(before.id, { name: 'Eve' });
    expect(body.created_at).toBe(before.created_at);
    expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
  });

  it('§4 PUT /api/v1/members/{id}: 404 for a missing member, and one out of reach', async () => {
    const { id } = await member();
    expect(codeOf(await put(randomUUID(), { name: 'Eve' }))).toEqual([404, 'member_not_found']);
    expect(codeOf(await put(id, { name: 'Eve' }, rival.token))).toEqual([404, 'member_not_found']);
    expect((await get(id)).body.name).toBe('Ada');
  });
});

describe('DELETE', () => {
  it('§4 DELETE /api/v1/members/{id}: 204 without a body; then it is 404 to every operation and in no list', async () => {
    const { id } = await member();
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const after of [await get(id), await put(id, { name: 'Eve' }), await remove(id)]) {
      expect(codeOf(after)).toEqual([404, 'member_not_found']);
    }
    const { body } = await list({ per_page: '100' });
    expect(body.items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  it('§4 DELETE /api/v1/members/{id}: 404 for a missing member, and one out of reach', async () => {
    const { id } = await member();
    expect(codeOf(await remove(randomUUID()))).toEqual([404, 'member_not_found']);
    expect(codeOf(await remove(id, rival.token))).toEqual([404, 'member_not_found']);
    expect((await get(id)).status).toBe(200);
  });

  it('§3 Soft deletes: a deleted member stays with its payments, and frees its external_id', async () => {
    const before = await member();
    const json = api.paymentBody({
      member_id: before.id,
      ...bankTransfer,
    });
    const { body: payment } = await api.call('POST', '/api/v1/payments', { token: shop.token, json });
    await remove(before.id);
    const { body } = await api.call('GET', `/api/v1/payments/${payment.id}`, { token: shop.token });
    expect([body.member_id, body.member.name]).toEqual([before.id, 'Ada']);
    const again = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: { ...json, external_id: randomUUID() },
    });
    expect(codeOf(again)).toEqual([404, 'member_not_found']);
    const next = await create({ external_id: before.external_id });
    expect(next.status).toBe(201);
    expect(next.body.id).not.toBe(before.id);
  });
});
