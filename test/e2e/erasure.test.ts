import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { encryptionContexts } from '../../cli/keys.ts';
import { encryptedColumns } from '../../db/auth/encrypted.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { optionalMemberFields } from '../../domain/member.ts';
import { decryptBytes } from '../../runtime/encryption.ts';
import { carat } from '../support/carat.ts';
import { eventually } from '../support/eventually.ts';
import { commandEnvironment, createProduct, type Product } from '../support/product.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { findSecrets, historiesOf, logsIn, serviceLogs, tablesOf, type Place, type Secret } from '../support/traces.ts';

/*
 * Two people use each operation that names a member; the master key is rotated between. One of them is erased, and then
 * sought in everything that the product has written: rows, also decrypted ones, statistics, logs, histories, events.
 */

let product: Product;
let shop: Shop;
let receiver: Receiver;
let running: RunningProcess[];
let token: string;

const start = async (): Promise<void> => {
  running = await Promise.all([product.startApi(), product.startWorker()]);
};

beforeAll(async () => {
  product = await createProduct({ ownRole: true });
  receiver = await startReceiver();
  await start();
  shop = await openShop(product);
  await shop.merchant.createWebhook(shop.wallet.id, product.dev.networks.alpha!.id, receiver.origin);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await receiver?.close();
});

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly text: string;
  // Answers over HTTP have no type.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

interface Sent {
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
  readonly bearer?: string;
}

const call = async (method: string, target: string, { json, headers, bearer = token }: Sent = {}): Promise<Answer> => {
  const response = await fetch(`${product.dev.api}/api/v1${target}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, replayed, text, body: isJson ? JSON.parse(text) : null };
};

const newToken = async (): Promise<string> => {
  const { api_key, secret } = product.dev.admin;
  const json = { grant_type: 'client_credentials', api_key, secret };
  return (await call('POST', '/auth/token', { json, bearer: 'none' })).body.access_token;
};

/** A request with a key, which may be repeated. */
interface Keyed {
  readonly what: string;
  readonly showsMember: boolean;
  readonly send: () => Promise<Answer>;
}

/** A person, with the values that name the person, and the merchant's texts about the person. */
const createPerson = () => {
  const unique = (field: string): string => `${field}-${randomBytes(8).toString('hex')}`;
  const fields = {
    external_id: unique('customer'),
    name: unique('name'),
    ...Object.fromEntries(optionalMemberFields.map((field) => [field, unique(field)])),
    email: `${unique('email')}@example.com`,
    // At most ten characters.
    country: randomBytes(5).toString('hex'),
    locale: randomBytes(5).toString('hex'),
  };
  const client_ip = `203.0.${randomInt(100, 256)}.${randomInt(100, 256)}`;
  const district = unique('later');
  const texts = {
    metadata: unique('metadata'),
    'order of a payment': unique('payment'),
    'order of a choice': unique('order'),
    item: unique('item'),
    link: unique('link'),
    account: unique('DE00'),
    reference: unique('reference'),
    'idempotency key': unique('key'),
    'request id': unique('request'),
  };
  const secretsOf = (values: object): Secret[] => Object.entries(values).map(([name, text]) => ({ name, text }));
  return {
    fields,
    district,
    client_ip,
    texts,
    personal: secretsOf({ ...fields, 'later district': district, client_ip }),
    written: secretsOf(texts),
    keyed: [] as Keyed[],
    members: [] as string[],
    payments: [] as string[],
  };
};
type Person = ReturnType<typeof createPerson>;

/** A request under a new key, which is sent twice. */
const post = async (
  person: Person,
  target: string,
  json?: unknown,
  {
    key = randomUUID(),
    showsMember = true,
    headers = {},
  }: { key?: string; showsMember?: boolean; headers?: object } = {},
) => {
  const send = () => call('POST', target, { json, headers: { 'idempotency-key': key, ...headers } });
  const [first, second] = [await send(), await send()];
  if (first.status >= 300) throw new Error(`POST ${target}: ${first.status} ${first.text}`);
  expect([second.status, second.replayed, second.text]).toEqual([first.status, true, first.text]);
  person.keyed.push({ what: `POST ${target}`, showsMember, send });
  return first.body;
};

const remove = async (id: string): Promise<void> => {
  expect((await call('DELETE', `/members/${id}`)).status).toBe(204);
};

/** A body of a payment that only this person has. */
const web3 = (person: Person, more: object) => ({
  ...shop.request('alpha'),
  client_ip: person.client_ip,
  metadata: person.texts.metadata,
  items: [{ name: person.texts.item, price: 0.1 }],
  success_url: `https://shop.example/${person.texts.link}`,
  ...more,
});
const transfer = (person: Person, more: object) => ({
  ...web3(person, more),
  wallet_id: undefined,
  success_url: undefined,
  payment_method: 'bank_transfer',
  payment_address: person.texts.account,
});
const orderOf = (person: Person, more: object) => {
  const { external_id, node_id, currency_id, network_id, payment_group, payment_address, expires_at } =
    shop.request('alpha');
  const option = { network_id, currency_id, wallet_id: shop.wallet.id, paid_price: 0.1 };
  const { metadata, item, link } = person.texts;
  return {
    external_id,
    node_id,
    payment_group,
    payment_address,
    expires_at,
    metadata,
    options: [option, { ...option, paid_price: 0.2 }],
    items: [{ name: item, price: 0.1 }],
    cancel_url: `https://shop.example/${link}`,
    ...more,
  };
};

/** The person is known to three members, one after another: made by a payment, by an order, and by itself. */
const becomeMembers = async (person: Person): Promise<void> => {
  const node_id = product.dev.nodes.merchant!;
  const member = person.fields;
  const byPayment = await post(person, '/payments', transfer(person, { member }));
  await remove(byPayment.member_id);
  const byOrder = await post(person, '/checkouts', orderOf(person, { member }));
  await remove(byOrder.member_id);
  const own = await post(
    person,
    '/members',
    { node_id, ...member },
    {
      key: person.texts['idempotency key'],
      headers: { 'x-request-id': person.texts['request id'] },
    },
  );
  person.members.push(byPayment.member_id, byOrder.member_id, own.id);
  person.payments.push(byPayment.id);
};

const buy = async (person: Person): Promise<void> => {
  const member_id = person.members.at(-1)!;
  const changed = await call('PUT', `/members/${member_id}`, { json: { district: person.district } });
  expect(changed.body.district).toBe(person.district);

  const paid: Payment = await post(
    person,
    '/payments',
    web3(person, { member_id, external_id: person.texts['order of a payment'] }),
  );
  await shop.pay('alpha', paid);
  await shop.reached(paid, 'completed');

  const canceled: Payment = await post(person, '/payments', web3(person, { member: person.fields }));
  expect(canceled.member_id).toBe(member_id);
  await post(person, `/payments/${canceled.id}/cancel`, undefined, { showsMember: false });
  await shop.reached(canceled, 'canceled');

  // Of a wallet without a diamond: it stays pending, and a retry changes nothing.
  const { id: wallet_id } = await shop.merchant.createWallet(randomUUID());
  const waiting: Payment = await post(person, '/payments', web3(person, { member_id, wallet_id }));
  await post(person, `/payments/${waiting.id}/retry-send`);
  await post(person, `/payments/${waiting.id}/retry-send`);

  const settled: Payment = await post(person, '/payments', transfer(person, { member_id }));
  const settlement = { outcome: 'completed', reference: person.texts.reference };
  await post(person, `/payments/${settled.id}/settle`, settlement);
  // The callback of a payment processor that comes twice.
  await post(person, `/payments/${settled.id}/settle`, settlement);
  person.payments.push(paid.id, canceled.id, waiting.id, settled.id);
};

const order = async (person: Person): Promise<void> => {
  const member_id = person.members.at(-1)!;
  const body = orderOf(person, { member_id, external_id: person.texts['order of a choice'] });
  const { id, access_token: bearer } = await post(person, '/checkouts', body);
  for (const option of [0, 1]) {
    expect((await call('POST', `/widget/checkouts/${id}/choose`, { json: { option }, bearer })).status).toBe(201);
  }
  await post(person, `/checkouts/${id}/cancel`, undefined, { showsMember: false });
  await eventually(async () => (await product.knex('checkouts').where({ id, status: 'canceled' }).first()) ?? null);
};

/** Requests that fail, and those that only read. */
const fail = async (person: Person): Promise<void> => {
  const node_id = product.dev.nodes.merchant!;
  const member = person.fields;
  const refused = async (target: string, json: unknown) => {
    const { status } = await call('POST', target, { json, headers: { 'idempotency-key': randomUUID() } });
    expect([400, 404, 409]).toContain(status);
  };
  await refused('/members', { node_id, ...member });
  await refused('/members', { node_id, ...member, name: 5 });
  await refused('/members', { node_id, ...member, phone: `${member.name}`.repeat(10) });
  await refused('/members', { node_id: randomUUID(), ...member });
  await refused('/payments', web3(person, { member, member_id: person.members.at(-1) }));
  await refused('/payments', web3(person, { member, paid_price: -1 }));
  await refused('/payments', web3(person, { member, wallet_id: randomUUID() }));
  await refused('/payments', web3(person, { member, external_id: person.texts['order of a payment'] }));
  await refused('/checkouts', orderOf(person, { member, options: [] }));
  await refused(`/payments/${person.payments.at(-1)}/settle`, { outcome: 'failed', reference: 'another' });
  for (const list of ['members', 'payments', 'checkouts', 'audit-log']) {
    expect((await call('GET', `/${list}?node_id=${node_id}`)).status).toBe(200);
    await call('GET', `/${list}?node_id=${node_id}&external_id=${member.external_id}&email=${member.email}`);
  }
  const file = await call('GET', `/payments?node_id=${node_id}`, { headers: { accept: 'text/csv' } });
  expect(file.text).toContain(person.members.at(-1)!);
};

/** Two requests create the same member at once. */
const race = async (person: Person): Promise<void> => {
  const member = { ...person.fields, external_id: `${person.fields.external_id}-again` };
  const two = await Promise.all([1, 2].map(() => post(person, '/payments', transfer(person, { member }))));
  expect(two[0].member_id).toBe(two[1].member_id);
  person.members.push(two[0].member_id);
  person.payments.push(two[0].id, two[1].id);
};

const env = () => ({ ...commandEnvironment(product), CARAT_DATABASE_OWNER_URL: product.dev.database });

const rotateMasterKey = async (): Promise<void> => {
  await Promise.all(running.map((one) => one.stop()));
  const file = path.join(product.logs, '..', 'new-master-key');
  fs.writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  expect(await carat(['master-key', 'rotate', file], env())).toMatchObject({ code: 0 });
  (product.secrets as { masterKey: string }).masterKey = fs.readFileSync(file, 'utf8').trim();
  await start();
};

/** All ciphertexts of the database, decrypted. */
const decrypted = async (): Promise<Place[]> => {
  const masterKey = Buffer.from(product.secrets.masterKey, 'base64');
  return Promise.all(
    Object.entries(encryptedColumns).map(async ([name, { table, column, of }]) => {
      const contextOf = encryptionContexts[name as keyof typeof encryptedColumns];
      const { rows } = await product.knex.raw<{ rows: { of: string[]; bytes: Buffer }[] }>(
        `SELECT ARRAY[${of.map((each) => `${each}::text`).join(', ')}] AS of, ?? AS bytes FROM ?? WHERE ?? IS NOT NULL`,
        [column, table, column],
      );
      const texts = rows.map((row) => decryptBytes(masterKey, contextOf(row.of), row.bytes).toString('latin1'));
      return { name: `decrypted ${name}`, text: texts.join('\n') };
    }),
  );
};

const statistics = async (): Promise<Place> => {
  const { rows } = await product.knex.raw<{ rows: object[] }>(
    `SELECT tablename, attname, most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE schemaname = 'public'`,
  );
  return { name: 'statistics', text: JSON.stringify(rows) };
};

/** Everything that the database keeps. */
const stored = async (): Promise<Place[]> => [
  ...(await tablesOf(product.knex)),
  ...(await decrypted()),
  await statistics(),
];

const money = () =>
  product
    .knex('payments')
    .orderBy('id')
    .select('id', 'external_id', 'member_id', 'status', 'sequence', 'paid_price_units', 'price_units', 'paid_tx_hash');
const counts = async () => {
  const tables = ['members', 'payments', 'payment_logs', 'checkouts', 'tx_intents'];
  return Promise.all(tables.map(async (table) => (await product.knex(table)).length));
};

const [ada, grace] = [createPerson(), createPerson()];

it('two people use each operation that names a member, with a rotation of the master key between', async () => {
  token = await newToken();
  await Promise.all([ada, grace].map((person) => becomeMembers(person)));
  await Promise.all([buy(ada), buy(grace)]);
  await rotateMasterKey();
  token = await newToken();
  await Promise.all([ada, grace].map((person) => order(person)));
  await Promise.all([ada, grace].map((person) => fail(person)));
  await Promise.all([ada, grace].map((person) => race(person)));

  await product.knex.raw('ANALYZE');
  const places = await stored();
  const found = findSecrets(ada.personal, places);
  // Each field is where the search must find it later, if it stays.
  for (const { name } of ada.personal.filter((one) => one.name !== 'client_ip')) {
    expect(found).toEqual(
      expect.arrayContaining([
        `${name} in table members`,
        `${name} in table audit_log`,
        `${name} in decrypted answers`,
        `${name} in statistics`,
      ]),
    );
  }
  expect(found).toEqual(expect.arrayContaining(['client_ip in table payments', 'client_ip in decrypted answers']));
});

it('the erase command names the other members of the person, and erases each', async () => {
  const [before, countsBefore] = [await money(), await counts()];
  const erase = async (id: string) => {
    const outcome = await carat(['member', 'erase', id, '--yes'], env());
    expect(outcome).toMatchObject({ code: 0, err: '' });
    return outcome.out;
  };
  const last = ada.members.at(-1)!;
  const out = await erase(last);
  const others = ada.members.filter((id) => id !== last);
  expect(out.match(/Perhaps the same person, and not erased: .+/g)).toHaveLength(others.length);
  for (const id of others) {
    expect(out).toContain(id);
    await erase(id);
  }
  expect(await money()).toEqual(before);
  expect(await counts()).toEqual(countsBefore);
});

it('repeated requests of the person are refused and change nothing; all others are answered as before', async () => {
  const [before, countsBefore] = [await money(), await counts()];
  for (const { what, showsMember, send } of ada.keyed) {
    const { status, replayed, body, text } = await send();
    if (showsMember) expect([what, status, body.code]).toEqual([what, 409, 'idempotency_key_reused']);
    else expect([what, status, replayed]).toEqual([what, 202, true]);
    expect(findSecrets(ada.personal, [{ name: what, text }])).toEqual([]);
  }
  expect(await money()).toEqual(before);
  expect(await counts()).toEqual(countsBefore);
  for (const { what, send } of grace.keyed) expect([what, (await send()).replayed]).toEqual([what, true]);
});

it('no row, ciphertext, sample, event or history shows the person', async () => {
  const places = await stored();
  expect(findSecrets(ada.personal, places)).toEqual([]);
  expect(findSecrets(grace.personal, places)).toContain('email in decrypted answers');
  const heard = receiver.received.map(({ body, headers }) => ({ name: 'event', text: body + JSON.stringify(headers) }));
  expect(heard.some(({ text }) => text.includes(ada.payments[1]!))).toBe(true);
  expect(findSecrets(ada.personal, heard)).toEqual([]);
  const histories = await historiesOf(product);
  expect(histories.some(({ text }) => text.includes(ada.payments[1]!))).toBe(true);
  expect(findSecrets(ada.personal, histories)).toEqual([]);
});

it('logs show no more than docs/operations/data.md says', () => {
  const logs = [...logsIn(product.logs), ...serviceLogs()];
  expect(logs.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['log api.log', 'log worker.log', 'log postgres.log', 'log temporal.log']),
  );
  const known = [
    'request id in log api.log',
    'idempotency key in log postgres.log',
    // If both simultaneous requests have searched for the member before one has created it.
    'external_id in log postgres.log',
  ];
  const found = findSecrets([...ada.personal, ...ada.written], logs);
  expect(found).toEqual(expect.arrayContaining(known.slice(0, 2)));
  expect(found.filter((one) => !known.includes(one))).toEqual([]);
});

it('texts of the merchant stay where docs/operations/data.md says, and nowhere else', async () => {
  const places = [...(await tablesOf(product.knex)), ...(await decrypted()), ...(await historiesOf(product))];
  const payments = ['table payments', 'table audit_log', 'table webhook_events'];
  const orders = [...payments, 'table checkouts'];
  const histories = ['history of createPayment', 'history of cancelPayment'];
  const allowed: Record<keyof Person['texts'], string[]> = {
    metadata: orders,
    'order of a payment': [...payments, ...histories],
    'order of a choice': [...orders, ...histories],
    item: ['table payment_items', 'table audit_log', 'table webhook_events', 'table checkouts'],
    link: orders,
    account: ['table payments', 'table audit_log'],
    reference: ['table payment_logs'],
    'idempotency key': ['table idempotency_keys'],
    'request id': ['table audit_log'],
  };
  const expected = Object.entries(allowed).flatMap(([name, where]) => where.map((place) => `${name} in ${place}`));
  // No cancel of the payment that was paid.
  const never = ['order of a payment in history of cancelPayment'];
  const found = new Set(findSecrets(ada.written, places));
  expect([...found].toSorted()).toEqual(expected.filter((one) => !never.includes(one)).toSorted());
});
