import { randomBytes, randomUUID } from 'node:crypto';
import { encryptedColumns, rewriteColumn } from '../../../db/auth/encrypted.ts';
import { answerContext } from '../../../db/audit/audited-transaction.ts';
import { linkMinutes } from '../../../db/audit/chain.ts';
import { verifyChain } from '../../../db/audit/verify.ts';
import { decryptBytes, encryptBytes } from '../../../runtime/encryption.ts';
import { caratHere } from '../../support/carat.ts';
import { created } from '../support/answers.ts';
import { startApi } from '../support/api-under-test.ts';
import { eventually } from '../../support/eventually.ts';

let databaseUrl = '';
const masterKey = randomBytes(32);
const api = await startApi({ through: (url) => (databaseUrl = url), masterKey });
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

const send = (method: string, path: string, json: object, key: string = randomUUID()) =>
  api.call(method, path, { token, json: json as Record<string, unknown>, headers: { 'idempotency-key': key } });
const memberOf = (json: object) => created(send('POST', '/api/v1/members', { node_id: nodeId, ...json }));
const paymentOf = (more: object) =>
  created(
    send(
      'POST',
      '/api/v1/payments',
      api.paymentBody({ payment_method: 'bank_transfer', client_ip: CLIENT_IP, ...more }),
    ),
  );
const erase = (...args: string[]) =>
  caratHere(['member', 'erase', ...args], {
    CARAT_DATABASE_URL: databaseUrl,
    CARAT_MASTER_KEY: masterKey.toString('base64'),
  });
/** The keys whose stored answers were erased. */
const erasedKeys = () =>
  api
    .knex('idempotency_keys')
    .where({ request_hash: Buffer.alloc(32) })
    .pluck<string[]>('key');

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

it('an erasure covers a member everywhere, keeps the money, and the chain of the audit log stays whole', async () => {
  const member = await memberOf(person);
  const bystander = await memberOf(other);
  await api.call('PUT', `/api/v1/members/${member.id}`, { token, json: { city: 'London-of-the-test' } });
  const [payment, foreign] = [await paymentOf({ member_id: member.id }), await paymentOf({ member_id: bystander.id })];
  expect((await api.call('DELETE', `/api/v1/members/${member.id}`, { token })).status).toBe(204);
  // For the chain of the audit log, the minute has ended.
  await api.knex.raw('UPDATE audit_chain SET closed = floor(extract(epoch FROM clock_timestamp()) / 60)');
  await linkMinutes(api.knex);
  const before = await money();
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
  expect(await erasedKeys()).toHaveLength(2);
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

/** Requests that name the member in their answers, each with its key. */
const requestsOf = async () => {
  const keys = { member: randomUUID(), payment: randomUUID(), first: randomUUID(), second: randomUUID() };
  const who = { ...person, external_id: randomUUID() };
  const create = () => send('POST', '/api/v1/members', { node_id: nodeId, ...who }, keys.member);
  const member = await created(create());
  const body = api.paymentBody({ payment_method: 'bank_transfer', member_id: member.id, client_ip: CLIENT_IP });
  const pay = () => send('POST', '/api/v1/payments', body, keys.payment);
  const { id } = await created(pay());
  const settle = (key: string) =>
    send('POST', `/api/v1/payments/${id}/settle`, { outcome: 'completed', reference: 'a' }, key);
  const first = () => settle(keys.first);
  // The callback of a payment processor that comes twice changes nothing.
  const second = () => settle(keys.second);
  expect([(await first()).status, (await second()).body.member.email]).toEqual([200, person.email]);
  return { id: member.id as string, paymentId: id as string, keys, requests: { create, pay, first, second } };
};

it("an erasure refuses each repetition under a key whose answer it erased, without a second effect, and leaves others' keys", async () => {
  const [gone, stays] = [await requestsOf(), await requestsOf()];
  // A key of another caller, at the same time, whose request merely mentions the member.
  const mention = api.paymentBody({ payment_method: 'bank_transfer', metadata: gone.id });
  const mentionKey = randomUUID();
  await created(send('POST', '/api/v1/payments', mention, mentionKey));
  expect(await erase(gone.id, '--yes')).toMatchObject({ code: 0, out: expect.stringContaining('4 stored answers') });
  const counts = async () => [
    (await api.knex('members')).length,
    (await api.knex('payments')).length,
    (await api.knex('payment_logs').where({ payment_id: gone.paymentId })).length,
  ];
  const before = await counts();
  for (const repeat of Object.values(gone.requests)) {
    const { status, body, text } = await repeat();
    expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(body.detail).toContain('erased with a member');
    expect(text).not.toContain('of-the-test');
    expect(text).not.toContain(CLIENT_IP);
  }
  expect(await counts()).toEqual(before);
  for (const repeat of Object.values(stays.requests)) {
    const { status, headers } = await repeat();
    expect([Math.floor(status / 100), headers.get('idempotent-replayed')]).toEqual([2, 'true']);
  }
  const again = await send('POST', '/api/v1/payments', mention, mentionKey);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
});

it('an erasure finds stored answers after a rotation of the master key, which erased ones survive', async () => {
  const [gone, later] = [await requestsOf(), await requestsOf()];
  const rewrite = () =>
    api.knex.transaction((trx) => rewriteColumn(trx, encryptedColumns.answers, (encrypted) => encrypted));
  await rewrite();
  expect(await erase(gone.id, '--yes')).toMatchObject({ code: 0, out: expect.stringContaining('4 stored answers') });
  expect(await erasedKeys()).toEqual(expect.arrayContaining(Object.values(gone.keys)));
  // Each is still a ciphertext of its own key.
  for (const row of await api.knex('idempotency_keys').where({ request_hash: Buffer.alloc(32) })) {
    const context = `answer ${JSON.stringify([row.actor_id, row.target, row.key])}`;
    expect(api.encryption.decrypt(context, row.encrypted_answer)).toBe('{}');
  }
  await rewrite();
  expect((await later.requests.second()).status).toBe(200);
  const wrong = await caratHere(['member', 'erase', later.id, '--yes'], {
    CARAT_DATABASE_URL: databaseUrl,
    CARAT_MASTER_KEY: randomBytes(32).toString('base64'),
  });
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('cannot decrypt') });
  expect((await api.call('GET', `/api/v1/members/${later.id}`, { token })).body.name).toBe(person.name);
});

it('an erasure refuses to run during a rotation of the master key, and leaves the rotation no answer of the old key', async () => {
  const member = await memberOf({ ...person, external_id: randomUUID() });
  const next = randomBytes(32);
  const contextOf = ([actorId, target, key]: readonly string[]) => answerContext(actorId!, target!, key!);
  const rotate = async (from: Buffer, to: Buffer, during = () => Promise.resolve()): Promise<void> =>
    api.knex.transaction(async (trx) => {
      await rewriteColumn(trx, encryptedColumns.answers, (bytes, columns) =>
        encryptBytes(to, contextOf(columns), decryptBytes(from, contextOf(columns), bytes)),
      );
      await during();
    });
  let erasing = Promise.resolve({ code: 0, err: '' });
  await rotate(masterKey, next, async () => {
    erasing = erase(member.id, '--yes');
    await eventually(async () => {
      const { rows } = await api.knex.raw<{ rows: object[] }>(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = 'idempotency_keys'::regclass`,
      );
      return rows.length > 0;
    });
  });
  expect(await erasing).toMatchObject({ code: 1, err: expect.stringContaining('cannot decrypt') });
  await rotate(next, masterKey);
  expect((await api.call('GET', `/api/v1/members/${member.id}`, { token })).body.name).toBe(person.name);
});

it('an erasure names other members that may be the same person', async () => {
  const who = { external_id: randomUUID(), name: 'Ada', email: `${randomUUID()}@Example.com`, phone: randomUUID() };
  const former = await memberOf(who);
  expect((await api.call('DELETE', `/api/v1/members/${former.id}`, { token })).status).toBe(204);
  const member = await memberOf({ ...who, email: who.email.toLowerCase() });
  const elsewhere = await api.actor('rival');
  const { body: abroad } = await api.call('POST', '/api/v1/members', {
    token: elsewhere.token,
    json: { node_id: elsewhere.nodeId, external_id: who.external_id, name: 'Ada', phone: who.phone },
  });
  const { body: stranger } = await api.call('POST', '/api/v1/members', {
    token: elsewhere.token,
    json: { node_id: elsewhere.nodeId, external_id: randomUUID(), name: 'Ada' },
  });
  const { out } = await erase(member.id, '--yes');
  expect(out).toContain(`${former.id} of node shop (deleted), with the same external_id, email, phone\n`);
  expect(out).toContain(`${abroad.id} of node rival (not deleted), with the same phone\n`);
  expect(out).not.toContain(stranger.id);
  expect(out).toContain('Erase it again in a minute');
  // The other one knows none that is erased.
  expect((await erase(former.id)).out).not.toContain(member.id);
});

it('a second erasure covers the results of requests in flight during the first', async () => {
  const member = await memberOf({ ...person, external_id: randomUUID() });
  const waiting = (count: number) =>
    eventually(async () => {
      const { rows } = await api.knex.raw<{ rows: object[] }>(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rows.length !== count) throw new Error(`${rows.length} wait`);
      return true;
    });
  const trx = await api.knex.transaction();
  await trx.raw('SELECT FROM members WHERE id = ? FOR UPDATE', [member.id]);
  const erasing = erase(member.id, '--yes');
  await waiting(1);
  // It has read the member, and waits behind the erasure.
  const paying = paymentOf({ member_id: member.id });
  await waiting(2);
  await trx.commit();
  expect(await erasing).toMatchObject({ code: 0, out: expect.stringContaining('Erase it again in a minute') });
  expect((await paying).member.name).toBe(person.name);
  expect(await erase(member.id)).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 payment,\n1 stored answer,'),
  });
  expect((await erase(member.id)).out).toContain('nothing changed');
});

it('an erasure leaves no sample of the fields in the statistics of the planner', async () => {
  const who = { ...person, external_id: randomUUID(), email: `${randomUUID()}@example.com` };
  const member = await memberOf(who);
  await memberOf({ ...other, external_id: randomUUID(), email: 'grace@example.com' });
  await api.knex.raw('ANALYZE');
  const samples = async (): Promise<string> => {
    const { rows } = await api.knex.raw<{ rows: object[] }>(
      `SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE schemaname = 'public'`,
    );
    return JSON.stringify(rows);
  };
  expect(await samples()).toContain(who.email);
  expect((await erase(member.id, '--yes')).code).toBe(0);
  expect(await samples()).not.toContain(who.email);
});

it('an erasure refuses a live member unless forced, a missing one, and a text that is no id', async () => {
  const member = await memberOf({ ...person, external_id: randomUUID() });
  expect(await erase(member.id)).toMatchObject({ code: 1, err: expect.stringContaining('nothing was erased') });
  expect((await api.call('GET', `/api/v1/members/${member.id}`, { token })).body.name).toBe(person.name);
  expect(await erase(member.id, '--yes')).toMatchObject({ code: 0 });
  expect((await api.call('GET', `/api/v1/members/${member.id}`, { token })).status).toBe(404);
  expect(await erase(randomUUID())).toMatchObject({ code: 1, err: expect.stringContaining('there is no member') });
  expect(await erase('ada')).toMatchObject({ code: 2 });
});
