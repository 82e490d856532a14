import { randomUUID } from 'node:crypto';
import { linkMinutes } from '../../../db/audit/link.ts';
import { verifyChain } from '../../../db/audit/verify.ts';
import { caratHere } from '../../support/carat.ts';
import { created } from '../support/answers.ts';
import { startApi } from '../support/api-under-test.ts';

let databaseUrl = '';
const api = await startApi({ through: (url) => (databaseUrl = url) });
const shop = await api.actor('shop');
const { token, nodeId } = shop;

/** Personal data that no row may contain afterwards. */
const person = {
  external_id: `ada-${randomUUID()}@example.com`,
  name: 'Ada-of-the-test',
  surname: 'Lovelace-of-the-test',
  email: 'ada-of-the-test@example.com',
  phone: '+44-of-the-test',
  address: '12 Street-of-the-test',
};
const other = { external_id: randomUUID(), name: 'Grace-of-the-test' };
const CLIENT_IP = '203.0.113.77';

const send = (method: string, path: string, json: object) =>
  api.call(method, path, {
    token,
    json: json as Record<string, unknown>,
    headers: { 'idempotency-key': randomUUID() },
  });
const memberOf = (json: object) => created(send('POST', '/api/v1/members', { node_id: nodeId, ...json }));
const paymentOf = (more: object) =>
  created(
    send(
      'POST',
      '/api/v1/payments',
      api.paymentBody({ payment_method: 'bank_transfer', client_ip: CLIENT_IP, ...more }),
    ),
  );
const erase = (...args: string[]) => caratHere(['member', 'erase', ...args], { CARAT_DATABASE_URL: databaseUrl });

/** All rows of all tables as text, without ciphertext. */
const dump = async (): Promise<string> => {
  const tables = await api.knex('pg_tables').where({ schemaname: 'public' }).pluck<string[]>('tablename');
  const texts = await Promise.all(tables.map(async (table) => JSON.stringify(await api.knex(table))));
  return texts.join('\n');
};

const money = () =>
  api
    .knex('payments')
    .orderBy('id')
    .select(
      'id',
      'external_id',
      'member_id',
      'paid_price_units',
      'price_units',
      'status',
      'payment_address',
      'updated_at',
    );

it('erases a member everywhere, keeps the money, and the chain of the audit log stays whole', async () => {
  const member = await memberOf(person);
  const bystander = await memberOf(other);
  await api.call('PUT', `/api/v1/members/${member.id}`, { token, json: { city: 'London-of-the-test' } });
  const [payment, foreign] = [await paymentOf({ member_id: member.id }), await paymentOf({ member_id: bystander.id })];
  expect((await api.call('DELETE', `/api/v1/members/${member.id}`, { token })).status).toBe(204);
  // The minute is over, as far as the chain is concerned.
  await api.knex.raw('UPDATE audit_chain SET closed = floor(extract(epoch FROM clock_timestamp()) / 60)');
  await linkMinutes(api.knex);
  const [before, answersBefore] = [await money(), (await api.knex('idempotency_keys')).length];
  expect(await verifyChain(api.knex)).toMatchObject({ broken: null, unlinked: 0 });
  expect(await dump()).toContain(person.email);

  const first = await erase(member.id);
  expect(first).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('is erased: its fields, the addresses of 1 payment,'),
  });

  const left = await dump();
  for (const text of [...Object.values(person), 'London-of-the-test']) expect(left).not.toContain(text);
  expect(left).toContain(other.name);
  expect(await money()).toEqual(before);
  expect(await api.knex('payments').whereNotNull('client_ip').pluck('id')).toEqual([foreign.id]);
  // Of the creation of the member, and of its payment.
  expect(answersBefore - (await api.knex('idempotency_keys')).length).toBe(2);
  const entries = await api.knex('audit_log').whereIn('resource_id', [member.id, payment.id]).orderBy('id');
  expect(entries.map(({ address }) => address as unknown)).toEqual(Array(entries.length).fill(null));
  expect(entries.map(({ action }) => action as unknown)).toEqual([
    'member.created',
    'member.updated',
    'payment.created',
    'member.deleted',
    'member.erased',
  ]);
  expect(await verifyChain(api.knex)).toMatchObject({ broken: null });
  const { body } = await api.call('GET', `/api/v1/payments/${payment.id}`, { token });
  expect(body).toMatchObject({ member_id: member.id, client_ip: null, member: { name: 'erased', email: null } });

  expect(await erase(member.id)).toMatchObject({ code: 0, out: expect.stringContaining('nothing changed') });
  expect(await api.knex('audit_log').where({ action: 'member.erased' })).toHaveLength(1);
});

it('refuses a member that is not deleted unless told, one that does not exist, and what is no id', async () => {
  const member = await memberOf({ ...person, external_id: randomUUID() });
  expect(await erase(member.id)).toMatchObject({ code: 1, err: expect.stringContaining('nothing was erased') });
  expect((await api.call('GET', `/api/v1/members/${member.id}`, { token })).body.name).toBe(person.name);
  expect(await erase(member.id, '--yes')).toMatchObject({ code: 0 });
  expect((await api.call('GET', `/api/v1/members/${member.id}`, { token })).status).toBe(404);
  expect(await erase(randomUUID())).toMatchObject({ code: 1, err: expect.stringContaining('there is no member') });
  expect(await erase('ada')).toMatchObject({ code: 2 });
});
