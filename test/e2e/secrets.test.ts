import crypto, { randomUUID } from 'node:crypto';
import net from 'node:net';
import { createKeyRing } from '../../api/auth/key-ring.ts';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { openShop, type Shop } from '../support/shop.ts';
import {
  findSecrets,
  formsOf,
  historiesOf,
  logsIn,
  serviceLogs,
  tablesOf,
  type Place,
  type Secret,
} from '../support/traces.ts';

/*
 * Each operation with a secret runs once, right and wrong; then every secret is sought in everything that the product
 * has written: rows, logs, answers, histories.
 */

interface Exchange extends Place {
  readonly status: number;
  // Answers over HTTP have no type.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

let product: Product;
let shop: Shop;
/** Refuses every webhook and says which headers it had. */
let echo: Receiver;
const secrets: Secret[] = [];
const exchanges: Exchange[] = [];
/** Secrets that belong into an answer, by name. */
const meant = new Map<Exchange, string[]>();

const keep = (name: string, text: string, bytes?: Uint8Array): string => {
  secrets.push(bytes === undefined ? { name, text } : { name, text, bytes });
  return text;
};
/** The random part behind a prefix. */
const randomPart = (text: string): Buffer => Buffer.from(text.slice(text.indexOf('_') + 1), 'base64');
const random = (prefix: string): string => `${prefix}-${crypto.randomBytes(12).toString('base64url')}`;

interface Options {
  readonly token?: string | undefined;
  readonly json?: unknown;
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}

const call = async (method: string, target: string, options: Options = {}): Promise<Exchange> => {
  const { token, json, headers } = options;
  const raw = json === undefined ? options.raw : JSON.stringify(json);
  const response = await fetch(`${product.dev.api}${target}`, {
    method,
    headers: {
      ...(raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(raw === undefined ? {} : { body: raw }),
  });
  const content = await response.text();
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const isJson = response.headers.get('content-type')?.includes('json') === true && content !== '';
  const exchange: Exchange = {
    name: `the answer ${response.status} to ${method} ${target.split('?')[0]!.slice(0, 60)}`,
    status: response.status,
    text: `${head}\n\n${content}`,
    body: isJson ? JSON.parse(content) : null,
  };
  exchanges.push(exchange);
  return exchange;
};

/** A call that must succeed, whose answer is where the named secrets are meant to be. */
const done = async (...[method, target, options, ...names]: [string, string, Options?, ...string[]]) => {
  const exchange = await call(method, target, options);
  if (exchange.status >= 300) throw new Error(`${exchange.name}: ${exchange.text}`);
  meant.set(exchange, names);
  return exchange;
};

const expectRefused = async (...request: Parameters<typeof call>): Promise<void> => {
  const { name, status } = await call(...request);
  expect(status < 400 || status >= 500 ? name : 'refused').toBe('refused');
};

/** Bytes that no HTTP client would send; the answer is kept. */
const sendRaw = (bytes: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(product.dev.api);
    const socket = net.connect(Number(port), hostname, () => socket.end(bytes, 'latin1'));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Bodies that are too large are not read to their end.
      if (!['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) reject(error);
    });
    socket.on('close', () => {
      exchanges.push({
        name: 'the answer to a text that is no HTTP',
        status: Number(text.split(' ')[1]),
        text,
        body: null,
      });
      resolve();
    });
  });

let payment: Payment;
let admin: string;
let integration: { id: string; api_key: string };

beforeAll(async () => {
  product = await createProduct();
  echo = await startReceiver({
    answer: ({ headers }, response) => response.writeHead(401).end(JSON.stringify(headers)),
  });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  const { masterKey, keystorePassphrase } = product.secrets;
  keep('master key', masterKey, Buffer.from(masterKey, 'base64'));
  keep('keystore passphrase', keystorePassphrase, Buffer.from(keystorePassphrase, 'hex'));
  keep('database password', new URL(product.dev.database).password);
  keep('secret of the admin', product.dev.admin.secret, randomPart(product.dev.admin.secret));
  for (const name of ['operator', 'upgrader', 'signer'] as const) {
    const { privateKey } = devAccounts[name];
    keep(`key of the ${name}`, privateKey.slice(2), Buffer.from(privateKey.slice(2), 'hex'));
  }
  const keyRing = await createKeyRing({ knex: product.knex, masterKey: Buffer.from(masterKey, 'base64') });
  for (const { privateKey } of keyRing.access()) {
    const { d = '' } = privateKey.export({ format: 'jwk' });
    keep('key that signs tokens', d, Buffer.from(d, 'base64url'));
  }
  for (const { secretKey } of keyRing.widget()) {
    const secret = secretKey.export();
    keep('key of widget tokens', secret.toString('base64'), secret);
  }
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await echo?.close();
});

const grant = (api_key: string, secret: string) => ({ grant_type: 'client_credentials', api_key, secret });
const takeToken = async (name: string, options: Options): Promise<string> => {
  const { body } = await done('POST', '/api/v1/auth/token', options, name);
  const [, , signature] = body.access_token.split('.');
  keep(name, body.access_token);
  keep(`signature of the ${name}`, signature);
  meant.get(exchanges.at(-1)!)!.push(`signature of the ${name}`);
  return body.access_token;
};

it('tokens and integrations: made, rotated, replayed, and logins that fail', async () => {
  const { api_key, secret } = product.dev.admin;
  admin = await takeToken('token of the admin', { json: grant(api_key, secret) });

  const key = randomUUID();
  const json = { node_id: product.dev.nodes.merchant, name: 'shop', expires_at: null };
  const create = { token: admin, json, headers: { 'idempotency-key': key } };
  integration = (await done('POST', '/api/v1/integrations', create, 'secret of the integration')).body;
  const first = exchanges.at(-1)!.body.secret as string;
  keep('secret of the integration', first, randomPart(first));
  await done('POST', '/api/v1/integrations', create, 'secret of the integration');
  await takeToken('token by the first secret', { json: grant(integration.api_key, first) });

  const rotate = { token: admin, json: { overlap_seconds: 600 }, headers: { 'idempotency-key': key } };
  const target = `/api/v1/integrations/${integration.id}/rotate`;
  const second = (await done('POST', target, rotate, 'secret after the rotation')).body.secret as string;
  keep('secret after the rotation', second, randomPart(second));
  const again = await done('POST', target, rotate, 'secret after the rotation');
  expect(again.body.secret).toBe(second);
  const basic = `Basic ${Buffer.from(`${integration.api_key}:${second}`).toString('base64')}`;
  keep('Basic header of the integration', basic.slice('Basic '.length));
  const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic };
  await takeToken('token by the second secret', { raw: 'grant_type=client_credentials', headers: form });

  const wrong = keep('a secret that is wrong', `cs_${crypto.randomBytes(32).toString('base64url')}`);
  const login = (body: unknown) => expectRefused('POST', '/api/v1/auth/token', { json: body });
  await login(grant(integration.api_key, wrong));
  await login(grant('ck_nobody', second));
  await login(grant(second, second));
  await login({ ...grant(integration.api_key, second), grant_type: 'password' });
  await login({ ...grant(integration.api_key, second), grant_type: second });
  await login({ ...grant(integration.api_key, second), scope: second });
  await login({ grant_type: 'client_credentials', client_id: integration.api_key, client_secret: [second] });
  await expectRefused('POST', '/api/v1/auth/token', { raw: `{"secret":"${second}"` });
  await expectRefused('POST', '/api/v1/auth/token', { raw: `${second}` });
  await expectRefused('POST', '/api/v1/auth/token', { raw: '{}', headers: { 'content-type': `text/${second}` } });
  await expectRefused('POST', `/api/v1/auth/token?secret=${second}`, { json: grant(integration.api_key, second) });
  await expectRefused('POST', '/api/v1/auth/token', {
    raw: 'grant_type=x',
    headers: { ...form, authorization: `${basic}x` },
  });
});

it('webhooks: with user and password, with a token, changed, refused', async () => {
  const target = '/api/v1/webhooks';
  const base = { wallet_id: shop.wallet.id, network_id: product.dev.networks.alpha!.id };
  const at = { ...base, host: 'http://127.0.0.1:9', success_path: '/paid', error_path: '/unpaid' };
  const user = keep('user name of the webhook', random('user'));
  const password = keep('password of the webhook', `${random('pass "word"')} ü\\&+/=`);
  keep('Basic header of the webhook', Buffer.from(`${user}:${password}`).toString('base64'));
  const basic = { ...at, auth_type: 'basic', auth_basic_username: user, auth_basic_password: password };
  const bearer = keep('token of the webhook', random('token'));
  const signing = async (name: string, options: Options): Promise<Exchange> => {
    const exchange = await done('POST', target, options, name);
    keep(name, exchange.body.signing_secret, randomPart(exchange.body.signing_secret));
    return exchange;
  };
  const keyed = { token: admin, json: basic, headers: { 'idempotency-key': randomUUID() } };
  const { id } = (await signing('signing secret', keyed)).body;
  await done('POST', target, keyed, 'signing secret');
  const token = { ...at, host: 'http://127.0.0.1:10', auth_type: 'token', auth_token: bearer };
  await signing('second signing secret', { token: admin, json: token });

  const later = keep('later password of the webhook', random('later'));
  await done('PUT', target, { token: admin, json: { id, auth_basic_password: later } });

  await expectRefused('POST', target, { token: admin, json: basic });
  for (const change of [
    { auth_basic_password: { password } },
    { auth_basic_password: [password] },
    { auth_basic_password: password.repeat(100) },
    { auth_basic_username: `${user}:${password}` },
    { auth_token: bearer },
    { auth_type: bearer },
    { host: `https://${user}:${encodeURIComponent(password)}@shop.example` },
    { host: `https://shop.example/${bearer}` },
    { success_path: `//${bearer}` },
    { events: [bearer] },
    { wallet_id: bearer },
    { is_active: password },
    { signing_secret: password },
  ]) {
    await expectRefused('POST', target, { token: admin, json: { ...basic, ...change } });
    await expectRefused('PUT', target, { token: admin, json: { id, ...change } });
  }
  const switched = keep('later token of the webhook', random('switched'));
  await done('PUT', target, { token: admin, json: { id, auth_type: 'token', auth_token: switched } });
  for (const [path, credentials] of [
    ['/password', { auth_type: 'basic', auth_basic_username: user, auth_basic_password: password }],
    ['/token', { auth_type: 'token', auth_token: bearer }],
  ] as const) {
    const host = echo.origin.replace('127.0.0.1', path === '/token' ? 'localhost' : '127.0.0.1');
    const json = { ...base, host, success_path: path, error_path: path, ...credentials };
    const { body } = await signing(`signing secret of ${path}`, { token: admin, json });
    await done('POST', `${target}/${body.id}/test`, { token: admin });
    const deliveries = await eventually(async () => {
      const list = await call('GET', `${target}/${body.id}/deliveries`, { token: admin });
      return list.body.items[0].attempts > 0 ? list.body.items : null;
    });
    const shown = await done('GET', `${target}/${body.id}/deliveries/${deliveries[0].id}`, { token: admin });
    expect(shown.text).toContain('[hidden]');
  }
  const removed = await signing('signing secret that is gone', {
    token: admin,
    json: { ...basic, host: 'http://127.0.0.1:11' },
  });
  await done('DELETE', target, { token: admin, json: { id: removed.body.id } });
});

it('members, defaults and payments: one is paid, and its buyer reads the widget', async () => {
  const nodeId = product.dev.nodes.merchant;
  const networkId = product.dev.networks.alpha!.id;
  await done('POST', '/api/v1/members', { token: admin, json: { node_id: nodeId, external_id: 'm', name: 'Ada' } });
  const mapping = { node_id: nodeId, network_id: networkId, wallet_id: shop.wallet.id, type: 'node' };
  await done('POST', '/api/v1/node-network-wallet-defaults', { token: admin, json: mapping });

  payment = await shop.create('alpha', { wallet_id: undefined });
  keep('widget token', payment.access_token, randomPart(payment.access_token));
  const json = shop.request('alpha', { member: { external_id: 'n', name: 'Eve' } });
  const keyed = { token: admin, json, headers: { 'idempotency-key': randomUUID() } };
  const other = (await done('POST', '/api/v1/payments', keyed, 'second widget token')).body as Payment;
  keep('second widget token', other.access_token, randomPart(other.access_token));
  await done('POST', '/api/v1/payments', keyed, 'second widget token');
  await expectRefused('POST', '/api/v1/payments', { token: admin, json });
  await shop.pay('alpha', payment);
  await shop.reached(payment, 'completed');

  const widget = `/api/v1/widget/payments/${payment.id}`;
  await done('GET', widget, { token: payment.access_token, headers: { origin: 'https://shop.example' } });
  await expectRefused('GET', widget, { token: other.access_token });
  await expectRefused('GET', widget, { token: admin });
  await expectRefused('GET', `${widget}?access_token=${payment.access_token}`);
  await expectRefused('GET', `/api/v1/widget/payments/${payment.access_token}`, { token: payment.access_token });
  await expectRefused('GET', `/api/v1/payments/${payment.id}`, { token: payment.access_token });

  const transfer = { ...json, external_id: randomUUID(), member: undefined, wallet_id: undefined };
  const offchain = { ...transfer, payment_method: 'bank_transfer', payment_address: 'DE00 1234 5678' };
  const { body } = await done('POST', '/api/v1/payments', { token: admin, json: offchain }, 'third widget token');
  keep('third widget token', body.access_token, randomPart(body.access_token));
  const settlement = { outcome: 'completed', reference: 'transfer-1' };
  await done('POST', `/api/v1/payments/${body.id}/settle`, { token: admin, json: settlement }, 'third widget token');
  await done('GET', `/api/v1/payments/${payment.id}`, { token: admin }, 'widget token');
});

it('offers: one is read by a buyer, who does not pay', async () => {
  const deal_modes = [{ network_id: product.dev.networks.alpha!.id, mode: 'offered' }];
  await done('PUT', `/api/v1/wallets/${shop.wallet.id}`, { token: admin, json: { deal_modes } });
  const { body } = await done(
    'POST',
    '/api/v1/payments',
    { token: admin, json: shop.request('alpha') },
    'fourth widget token',
  );
  keep('fourth widget token', body.access_token, randomPart(body.access_token));
  await shop.reached(body, 'awaiting_payment');
  const widget = `/api/v1/widget/payments/${body.id}`;
  const shown = await done(
    'GET',
    widget,
    { token: body.access_token },
    'first half of an offer',
    'second half of an offer',
  );
  expect(shown.body).toMatchObject({ payable: true });
  const [r, vs] = (shown.body.contract.arguments as string[]).slice(2).map((half) => half.slice(2));
  keep('first half of an offer', r!, Buffer.from(r!, 'hex'));
  keep('second half of an offer', vs!, Buffer.from(vs!, 'hex'));
});

it('orders: chosen, chosen anew, repeated, canceled, with a webhook', async () => {
  const networkId = product.dev.networks.alpha!.id;
  const target = { wallet_id: shop.wallet.id, network_id: networkId, host: 'http://127.0.0.1:12' };
  const events = ['checkout.canceled', 'payment.created'];
  const webhook = {
    ...target,
    success_path: '/paid',
    error_path: '/unpaid',
    auth_type: 'token',
    auth_token: 'x',
    events,
  };
  const made = await done('POST', '/api/v1/webhooks', { token: admin, json: webhook }, 'signing secret of orders');
  keep('signing secret of orders', made.body.signing_secret, randomPart(made.body.signing_secret));

  const { external_id, node_id, currency_id, payment_group, payment_address, expires_at } = shop.request('alpha');
  const option = { network_id: networkId, currency_id, wallet_id: shop.wallet.id };
  const options = [1, 2].map((paid_price) => ({ ...option, paid_price }));
  const json = { external_id, node_id, payment_group, payment_address, expires_at, options };
  const keyed = { token: admin, json, headers: { 'idempotency-key': randomUUID() } };
  const { id, access_token: token } = (await done('POST', '/api/v1/checkouts', keyed, 'token of an order')).body;
  keep('token of an order', token, randomPart(token));
  await done('POST', '/api/v1/checkouts', keyed, 'token of an order');
  await expectRefused('POST', '/api/v1/checkouts', { token: admin, json });
  const page = `/api/v1/widget/checkouts/${id}`;
  for (const [index, name] of ['fifth widget token', 'sixth widget token'].entries()) {
    const { body } = await done('POST', `${page}/choose`, { token, json: { option: index } }, name);
    keep(name, body.payment.access_token, randomPart(body.payment.access_token));
  }
  await done('GET', page, { token }, 'sixth widget token');
  const shown = ['token of an order', 'sixth widget token'];
  await done('GET', `/api/v1/checkouts/${id}`, { token: admin }, ...shown);
  await done('GET', `/api/v1/checkouts?node_id=${node_id}`, { token: admin }, ...shown);
  await expectRefused('POST', `${page}/choose?token=${token}`, { json: { option: 0 } });
  await expectRefused('POST', `${page}/choose`, { token, json: { option: token } });
  await expectRefused('GET', `/api/v1/widget/checkouts/${token}`, { token });
  await expectRefused('GET', `/api/v1/widget/payments/${id}`, { token });
  await expectRefused('GET', `/api/v1/checkouts?node_id=${node_id}&external_id=${id}&token=${token}`, { token: admin });
  await done('POST', `/api/v1/checkouts/${id}/cancel`, { token: admin });
  await eventually(async () => (await product.knex('checkouts').where({ id, status: 'canceled' }).first()) ?? null);
});

it('secrets in wrong places: in URLs, headers, bodies that break', async () => {
  const { access_token: widget } = payment;
  const secret = product.dev.admin.secret;
  const nodeId = product.dev.nodes.merchant;
  for (const text of [admin, widget, secret]) {
    await expectRefused('GET', `/api/v1/payments?node_id=${nodeId}&token=${text}`, { token: admin });
    await expectRefused('GET', `/api/v1/payments?node_id=${text}`, { token: admin });
    await expectRefused('GET', `/api/v1/payments?node_id=${nodeId}&status=${text}`, { token: admin });
    await expectRefused('GET', `/api/v1/payments?node_id=${nodeId}&cursor=${text}`, { token: admin });
    await expectRefused('GET', `/api/v1/payments?access_token=${text}`);
    await expectRefused('GET', `/api/v1/payments/${text}`, { token: admin });
    await expectRefused('GET', `/api/v1/payments/%zz${text}`, { token: admin });
    await expectRefused('GET', `/${text}`, { token: admin });
    await expectRefused('PATCH', `/api/v1/payments?${text}`, { token: admin });
    await expectRefused('GET', '/api/v1/payments', { headers: { authorization: `Basic ${text}` } });
    await expectRefused('GET', '/api/v1/payments', { headers: { authorization: text } });
    await expectRefused('GET', '/api/v1/payments', { token: `${text}x` });
    await expectRefused('GET', '/api/v1/payments', {
      headers: { cookie: `session=${text}`, referer: `http://a/${text}` },
    });
    await expectRefused('POST', '/api/v1/payments', { token: admin, raw: `{"external_id":"${text}` });
    await expectRefused('POST', '/api/v1/payments', { token: admin, raw: text });
    await expectRefused('POST', '/api/v1/payments', {
      token: admin,
      raw: '{}',
      headers: { 'content-type': `a/${text}` },
    });
    const json = { ...shop.request('alpha'), payment_method: text, items: [{ name: 'x', price: text }] };
    await expectRefused('POST', '/api/v1/payments', { token: admin, json });
    const integrationBody = { node_id: nodeId, name: 'x', permissions: [text], expires_at: text };
    await expectRefused('POST', '/api/v1/integrations', { token: admin, json: integrationBody });
    await sendRaw(`${text} / HTTP/1.1\r\n\r\n`);
    await sendRaw(`GET /${text} HTTP/9.9\r\nHost: a\r\n\r\n`);
    await sendRaw(`GET / HTTP/1.1\r\nHost: a\r\nAuthorization Bearer ${text}\r\n\r\n`);
    await sendRaw(`GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${text.padEnd(40_000, 'x')}\r\n\r\n`);
  }
});

it('lists and single resources show their fields', async () => {
  const nodeId = product.dev.nodes.root!;
  const all = `node_id=${nodeId}&include_descendants=true&per_page=100`;
  const tokens = secrets.filter(({ name }) => name.endsWith('widget token')).map(({ name }) => name);
  expect(tokens).toHaveLength(6);
  await done('GET', `/api/v1/payments?${all}`, { token: admin }, ...tokens);
  for (const list of ['integrations', 'wallets', 'members', 'node-network-wallet-defaults', 'audit-log']) {
    const { body } = await done('GET', `/api/v1/${list}?${all}`, { token: admin });
    expect(body.total).toBeGreaterThan(0);
  }
  for (const list of ['webhooks', 'nodes', 'chains', 'networks', 'currencies']) {
    const { body } = await done('GET', `/api/v1/${list}?per_page=100`, { token: admin });
    expect(body.total).toBeGreaterThan(0);
  }
  await done('GET', `/api/v1/integrations/${integration.id}`, { token: admin });
  await done('GET', `/api/v1/payments/${payment.id}/logs`, { token: admin });
  await done('GET', '/.well-known/jwks.json');
  await done('GET', '/readyz');
  await done('DELETE', `/api/v1/integrations/${integration.id}`, { token: admin });
});

/** A text that a kind of place is known to contain, which proves that the search looks there. */
const control = (places: readonly Place[], name: string, text: string): void => {
  expect([name, findSecrets([{ name, text }], places).length > 0]).toEqual([name, true]);
};

it('no secret is in any table', async () => {
  const tables = await tablesOf(product.knex);
  expect(tables.length).toBeGreaterThan(25);
  control(tables, 'api_key', integration.api_key);
  control(tables, 'host of a webhook', 'http://127.0.0.1:9');
  control(tables, 'payment in the audit log', payment.id);
  expect(findSecrets(secrets, tables)).toEqual([]);
  // Every text with the shape of a secret, also secrets that this test does not know.
  const marks = /\b(?:cs|ct|wt|whsec)_[A-Za-z0-9+/_-]{30,}|\beyJ[A-Za-z0-9_-]{20,}\.|Basic [A-Za-z0-9+/=]{16,}/;
  expect([...tables, ...logsIn(product.logs)].filter(({ text }) => marks.test(text)).map(({ name }) => name)).toEqual(
    [],
  );
});

it('no secret is in any log', () => {
  const files = [...logsIn(product.logs), ...serviceLogs()];
  control(files, 'operation', '"operation":"createWebhook"');
  control(files, 'integration', integration.id);
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['log api.log', 'log worker.log', 'log postgres.log', 'log temporal.log']),
  );
  expect(findSecrets(secrets, files)).toEqual([]);
});

it('no secret is in any answer except the one that gives it', () => {
  const errors = exchanges.filter(({ status }) => status >= 400);
  expect(errors.length).toBeGreaterThan(100);
  control(exchanges, 'api_key', integration.api_key);
  const found = exchanges.flatMap((exchange) => {
    const known = meant.get(exchange) ?? [];
    return findSecrets(
      secrets.filter(({ name }) => !known.includes(name)),
      [exchange],
    );
  });
  expect(found).toEqual([]);
  const missing = [...meant].filter(([exchange, names]) => {
    const given = secrets.filter(({ name }) => names.includes(name));
    return findSecrets(given, [exchange]).length < names.length;
  });
  expect(missing.map(([{ name }]) => name)).toEqual([]);
});

it('no secret is in any history of a workflow', async () => {
  const kept = await historiesOf(product);
  expect(kept.length).toBeGreaterThanOrEqual(4);
  control(kept, 'payment', payment.id);
  control(kept, 'wallet', shop.wallet.id);
  expect(findSecrets(secrets, kept)).toEqual([]);
});

it('the search finds a secret in each form, wherever it begins', () => {
  const bytes = crypto.randomBytes(32);
  const secret: Secret = { name: 'it', text: `cs_${bytes.toString('base64url')} "ü\\`, bytes };
  const around = (text: string): Buffer[] => ['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${text}z`));
  const hidden = [
    ...around(secret.text).flatMap((text) => [
      text.toString('base64'),
      text.toString('base64url'),
      text.toString('hex'),
    ]),
    ...['', 'a', 'ab'].map((before) => Buffer.concat([Buffer.from(before), bytes]).toString('base64')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('latin1'),
    JSON.stringify({ secret: secret.text }),
    encodeURIComponent(secret.text),
    JSON.stringify(secret.text),
  ];
  for (const text of hidden) expect(findSecrets([secret], [{ name: 'here', text }])).toEqual(['it in here']);
  expect(findSecrets([secret], [{ name: 'here', text: hidden.join('').toLowerCase().slice(0, 20) }])).toEqual([]);
  expect(formsOf(secret).every((form) => form.length > 20)).toBe(true);
  expect(secrets.length).toBeGreaterThan(25);
  expect(new Set(secrets.map(({ name }) => name)).size).toBe(secrets.length);
});
