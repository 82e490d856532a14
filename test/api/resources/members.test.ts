import { randomUUID } from 'node:crypto';
import { optionalMemberFields } from '../../../domain/member.ts';
import { created, pathsOf, statusesOf, together } from '../support/answers.ts';
import { startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const { token, nodeId } = shop;
const path = '/api/v1/members';

type Json = Record<string, unknown>;
const bodyOf = (change: Json = {}) => ({ node_id: nodeId, external_id: randomUUID(), name: 'Ada', ...change });
const create = (json: Json, headers = {}) => api.call('POST', path, { token, json, headers });
const get = (id: string) => api.call('GET', `${path}/${id}`, { token });
const put = (id: string, json: Json) => api.call('PUT', `${path}/${id}`, { token, json });
const remove = (id: string) => api.call('DELETE', `${path}/${id}`, { token });
const member = (change: Json = {}) => created(create(bodyOf(change)));
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id }).orderBy('created_at');

describe('POST /api/v1/members', () => {
  it('makes one of eight at the same time, and gives the others its id', async () => {
    const json = bodyOf();
    const answers = await together(8, () => create(json));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    const others = answers.filter(({ body }) => body.code === 'member_exists').map(({ body }) => body.existing_id);
    expect(others).toEqual(Array(7).fill(made[0]!.body.id));
  });

  it('gives all of eight at the same time under one Idempotency-Key the same answer', async () => {
    const [json, headers] = [bodyOf(), { 'idempotency-key': randomUUID() }];
    const answers = await together(8, () => create(json, headers));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
  });
});

it('a member is known by its id in any case', async () => {
  const { id } = await member();
  expect((await get(id.toUpperCase())).body.id).toBe(id);
  expect((await put(id.toUpperCase(), { name: 'x' })).body.id).toBe(id);
  expect((await remove(id.toUpperCase())).status).toBe(204);
});

describe('PUT /api/v1/members/{id}', () => {
  it('accepts present values, even of external_id and node_id, and then changes nothing', async () => {
    const before = await member({ surname: 'L' });
    const { external_id, name } = before;
    for (const json of [{}, { external_id, name, node_id: nodeId.toUpperCase(), surname: 'L', email: null }]) {
      expect((await put(before.id, json)).body).toEqual(before);
    }
    expect(await audited(before.id)).toHaveLength(1);
  });

  it('names every field that cannot be changed', async () => {
    const { id } = await member();
    expect(pathsOf(await put(id, { external_id: 'other', node_id: randomUUID() }))).toEqual([
      '/body/external_id',
      '/body/node_id',
    ]);
  });

  it('loses none of many changes at the same time', async () => {
    const { id } = await member();
    const changes = optionalMemberFields.map((field) => [field, field === 'email' ? 'ada@example.com' : 'changed']);
    await Promise.all(changes.map(([field, value]) => put(id, { [field!]: value })));
    expect((await get(id)).body).toMatchObject(Object.fromEntries(changes));
    expect(await audited(id)).toHaveLength(1 + changes.length);
  });
});

describe('DELETE /api/v1/members/{id}', () => {
  it('takes effect once, however many simultaneous requests there are', async () => {
    const { id } = await member();
    const answers = await together(8, () => remove(id));
    expect(statusesOf(answers)).toEqual([204, ...Array(7).fill(404)]);
    expect(await audited(id)).toHaveLength(2);
  });

  it('frees the external_id for an inline member, too', async () => {
    const { id, external_id } = await member();
    await remove(id);
    const json = api.paymentBody({
      wallet_id: (await api.wallet(shop)).id,
      member: { external_id, name: 'Eve' },
    });
    const { status, body } = await api.call('POST', '/api/v1/payments', { token, json });
    expect([status, body.member.name, body.member_id === id]).toEqual([201, 'Eve', false]);
  });
});
