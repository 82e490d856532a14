import { randomUUID } from 'node:crypto';
import { codeOf, created, pathsOf } from '../support/answers.ts';
import { bankTransfer, startApi, type Answer } from '../support/api-under-test.ts';

/*
 * The bytes of a payment and of a member, each of which is judged when it is written.
 */

const api = await startApi();
const shop = await api.actor('shop');
const wide = '\u{1F4A3}';

const pay = (change: Record<string, unknown>): Promise<Answer> =>
  api.call('POST', '/api/v1/payments', { token: shop.token, json: api.paymentBody({ ...bankTransfer, ...change }) });
const member = (change: Record<string, unknown>) => ({ external_id: randomUUID(), name: 'Ada', ...change });
const join = (change: Record<string, unknown>): Promise<Answer> =>
  api.call('POST', '/api/v1/members', { token: shop.token, json: { node_id: shop.nodeId, ...member(change) } });
const items = (name: string, external_id: string | null, count = 100) =>
  Array.from({ length: count }, () => ({ name, price: 1, external_id }));
const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

describe('each limit of a payment can be reached', () => {
  it.each<[string, Record<string, unknown>]>([
    ['metadata of ASCII', { metadata: 'm'.repeat(8_192) }],
    ['metadata of four bytes each', { metadata: wide.repeat(2_048) }],
    ['metadata that JSON escapes', { metadata: '"'.repeat(8_192) }],
    ['names of items', { items: items('n'.repeat(255), null) }],
    ['external_ids of items', { items: items('n', 'e'.repeat(255)) }],
    ['one item of four bytes each', { items: items(wide.repeat(255), wide.repeat(255), 1) }],
    ['external_id', { external_id: wide.repeat(255) }],
    ['payment_address', { payment_address: wide.repeat(255) }],
    ['the address of its member', { member: member({ address: wide.repeat(4_096) }) }],
  ])('%s', async (_, change) => {
    const { id } = await created(pay(change));
    expect((await api.call('GET', `/api/v1/payments/${id}`, { token: shop.token })).status).toBe(200);
  });
});

it.each([
  ['four bytes each', wide.repeat(4_096)],
  ['characters that JSON escapes', '\u0001'.repeat(4_096)],
])('the address of a member can reach its limit, even of %s', async (_, address) => {
  expect((await created(join({ address }))).address).toBe(address);
});

it('a payment of more bytes is refused with the rule and both figures, and one of the limit is taken', async () => {
  const refused = await pay({ metadata: 'm'.repeat(8_192), items: items(wide.repeat(255), wide.repeat(255)) });
  expect([codeOf(refused), pathsOf(refused)]).toEqual([[400, 'payment_too_large'], ['/body']]);
  expect(refused.body.errors[0].message).toMatch(/ 36864 bytes as JSON in UTF-8; it has 2\d{5}$/);

  const { member: _, ...small } = await created(pay({ external_id: '0001', items: items('n'.repeat(255), null) }));
  const room = 36_864 - bytesOf(small);
  const full = { items: items('n'.repeat(255), null), metadata: 'm'.repeat(room - 2 + 4) };
  const { member: none, ...largest } = await created(pay({ ...full, external_id: '0002' }));
  expect([bytesOf(largest), none]).toEqual([36_864, null]);
  const over = await pay({ ...full, metadata: `${full.metadata}m`, external_id: '0003' });
  expect(over.body.errors[0].message).toMatch(/it has 36865$/);
  // A repeated request is told of its payment first, whatever its size.
  expect(codeOf(await pay({ ...full, metadata: `${full.metadata}m`, external_id: '0002' }))[0]).toBe(409);
});

it('a member of more bytes is refused in every place, and none is stored', async () => {
  const address = '\u0001'.repeat(4_096);
  const large = { address, surname: '\u0001'.repeat(255), district: '\u0001'.repeat(255), city: '\u0001'.repeat(255) };
  const count = () => api.knex('members').count();
  const before = await count();
  const alone = await join(large);
  expect([codeOf(alone), pathsOf(alone)]).toEqual([[400, 'member_too_large'], ['/body']]);
  const inline = await pay({ member: member(large) });
  expect([codeOf(inline), pathsOf(inline)]).toEqual([[400, 'member_too_large'], ['/body/member']]);
  expect(inline.body.errors[0].message).toMatch(/ 28672 bytes as JSON in UTF-8; it has 29\d{3}$/);
  expect(await count()).toEqual(before);

  const { id, ...stored } = await created(join({ address }));
  const path = `/api/v1/members/${id}`;
  const { address: _, ...rest } = large;
  const put = (json: object) => api.call('PUT', path, { token: shop.token, json });
  expect(codeOf(await put(rest))).toEqual([400, 'member_too_large']);
  expect((await api.call('GET', path, { token: shop.token })).body).toEqual({ id, ...stored });
  expect((await put({ ...rest, address: null })).status).toBe(200);
});

it('stored objects above the limit stay readable, and can be paid for, listed in full pages and made smaller', async () => {
  const { id: memberId, external_id } = await created(join({}));
  const { id } = await created(pay({ member_id: memberId, items: items('n', null) }));
  await api
    .knex('payment_items')
    .where({ payment_id: id })
    .update({ name: wide.repeat(255) });
  await api
    .knex('payments')
    .where({ id })
    .update({ metadata: '\u0001'.repeat(8_192) });
  const text = '\u0001'.repeat(255);
  const large = { address: '\u0001'.repeat(4_096), city: text, surname: text, district: text };
  await api.knex('members').where({ id: memberId }).update(large);
  const { token, nodeId } = shop;
  const read = await api.call('GET', `/api/v1/payments/${id}`, { token });
  expect([read.status, read.body.items.length]).toEqual([200, 100]);
  const page = await api.call('GET', `/api/v1/payments?node_id=${nodeId}&per_page=1`, { token });
  expect(page.body.items).toEqual([read.body]);
  expect((await pay({ member: { external_id, name: 'Ada' } })).status).toBe(201);
  const put = (json: object) => api.call('PUT', `/api/v1/members/${memberId}`, { token, json });
  expect(codeOf(await put({ name: 'Grace' }))).toEqual([400, 'member_too_large']);
  expect((await put({ name: 'Grace', city: null })).status).toBe(200);
});
