import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { CreatedWebhook, Payment } from '../../api/generated/openapi-types.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { carat } from '../support/carat.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { Webhook } from 'standardwebhooks';

/* The master key has leaked: the procedure of docs/operations/rotate-keys.md, walked. */

let product: Product;
let shop: Shop;
let receiver: Receiver;
let webhook: CreatedWebhook;
let running: RunningProcess[];

const start = async (): Promise<void> => {
  running = await Promise.all([product.startApi(), product.startWorker()]);
};

beforeAll(async () => {
  product = await createProduct();
  receiver = await startReceiver();
  await start();
  shop = await openShop(product);
  webhook = await shop.merchant.createWebhook(shop.wallet.id, product.dev.networks.alpha!.id, receiver.origin);
  await shop.deployed('alpha');
  await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await receiver?.close();
});

const env = () => ({ CARAT_DATABASE_URL: product.dev.database, CARAT_MASTER_KEY: product.secrets.masterKey });
const call = async (...args: string[]) => {
  const outcome = await carat(args, env());
  if (outcome.code !== 0) throw new Error(outcome.err);
  return outcome.out;
};

/** A token of the admin, and a request with it. */
const newToken = async (): Promise<string> => {
  const { api_key, secret } = product.dev.admin;
  const body = JSON.stringify({ grant_type: 'client_credentials', api_key, secret });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${product.dev.api}/api/v1/auth/token`, { method: 'POST', headers, body });
  return ((await response.json()) as { access_token: string }).access_token;
};

const post = async (token: string, body: object, key: string): Promise<{ status: number; payment: Payment }> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key };
  const response = await fetch(`${product.dev.api}/api/v1/payments`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, payment: (await response.json()) as Payment };
};

it('a leaked master key is replaced, and everything encrypted under it is read with the new one', async () => {
  const [key, body] = [randomUUID(), shop.request('alpha')];
  const token = await newToken();
  const { payment } = await post(token, body, key);
  await shop.reached(payment, 'awaiting_payment');

  const file = path.join(product.logs, 'new-master-key');
  fs.writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  await expect(call('master-key', 'rotate', file)).rejects.toThrow('stop every api and worker first');
  await Promise.all(running.map((one) => one.stop()));
  expect(await call('master-key', 'rotate', file)).toMatch(/\d+ secrets are encrypted with the new master key/);
  // The old key decrypts nothing.
  await expect(call('master-key', 'rotate', file)).rejects.toThrow('cannot decrypt');
  await expect(call('keys', 'rotate')).rejects.toThrow('cannot decrypt');
  (product.secrets as { masterKey: string }).masterKey = fs.readFileSync(file, 'utf8').trim();
  await start();

  // A stored answer, the offers, the tokens of pages, and the credentials and signing secret of the webhook.
  const again = await eventually(async () => {
    const answer = await post(token, body, key);
    if (answer.status !== 201) throw new Error(`status ${answer.status}`);
    return answer;
  });
  expect(again.payment.id).toBe(payment.id);
  await shop.pay('alpha', payment);
  await shop.reached(payment, 'completed');
  const verifier = new Webhook(webhook.signing_secret);
  await eventually(() => {
    const heard = receiver.received.find((one) => readEvent(one.body).type === 'payment.completed');
    if (heard === undefined) throw new Error('no payment.completed');
    verifier.verify(heard.body, heard.headers as Record<string, string>);
    return true;
  }, 45_000);

  // What the thief may have read is replaced: keys of tokens, and the secrets of webhooks.
  const before = (await call('keys', 'list')).split('\n').filter((line) => line.startsWith('access'));
  await call('keys', 'rotate', '--signs-in', '0');
  const [, old = ''] = /^access (\S+)/.exec(before[0]!) ?? [];
  await eventually(async () => (await call('keys', 'retire', old)).includes('is retired'), 20_000);
  await eventually(async () => (await post(token, body, key)).status === 401, 20_000);
  expect((await post(await newToken(), body, key)).status).toBe(201);
});
