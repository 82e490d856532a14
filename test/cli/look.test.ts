import { execFile } from 'node:child_process';
import net, { type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { createCaratClient } from '../../client/client.ts';
import { raiseAlerts } from '../../db/alerts/alerts.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { temporalBinary } from '../../tools/stack/temporal.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { carat as asProcess, caratHere, type Outcome } from '../support/carat.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { read } from '../support/samples.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * An operator looks at a running stack: it is healthy at first, then its node swallows transactions, then its worker ends.
 */

let product: Product;
let shop: Shop;
let node: Proxy;
let worker: RunningProcess;
let receiver: Receiver;
let isSwallowing = false;
/** Takes connections and says nothing. */
const dead = net.createServer();
const KEY = 'a-key-of-the-provider';

beforeAll(async () => {
  [node, receiver] = await Promise.all([startProxy(''), startReceiver()]);
  node.rewrite = (request) =>
    isSwallowing && request.method === 'eth_sendRawTransaction' ? { error: { code: -1, message: 'busy' } } : request;
  product = await createProduct({
    urlOf: (_, url) => {
      node.target = url;
      return node.url;
    },
  });
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  dead.close();
  shop?.close();
  await product?.stop();
  await Promise.all([node?.close(), receiver?.close()]);
});

const secrets = (): string[] => {
  const { masterKey, keystorePassphrase } = product.secrets;
  return [new URL(product.dev.database).password, masterKey, keystorePassphrase, KEY];
};

const environment = () => ({
  CARAT_DATABASE_URL: product.dev.database,
  CARAT_MASTER_KEY: product.secrets.masterKey,
  CARAT_TEMPORAL_UI: 'http://ui.example.com:8080/',
});

/** Runs a command against the stack. None may show a secret. */
const carat = async (...args: string[]): Promise<Outcome> => {
  const outcome = await caratHere(args, environment());
  for (const secret of secrets()) expect(outcome.out + outcome.err).not.toContain(secret);
  return outcome;
};

const json = async (...args: string[]) => JSON.parse((await carat(...args, '--json')).out);

/** When this test began: the namespace has the workflows of other tests, too. */
const began = new Date().toISOString();

/** Ids of the workflows since then that Temporal's own command finds by a filter of the documents, by its question. */
const found = async (question: string): Promise<string[]> => {
  const row = read('docs/operations/follow-a-payment.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${question} |`));
  const filter = /`(.+)`/
    .exec(row!)![1]!
    .replace('<today>', new Date().toISOString().slice(0, 10))
    .replace('<external_id>', 'order_17')
    .replace('<node>', product.dev.nodes.merchant!);
  const { address, namespace } = product.dev.temporal;
  const place = ['--address', address, '--namespace', namespace, '--output', 'json', '--limit', '1000'];
  const query = `(${filter}) AND StartTime >= "${began}"`;
  const args = ['workflow', 'list', '--query', query, ...place];
  const { stdout } = await promisify(execFile)(await temporalBinary(), args, { maxBuffer: 2 ** 26 });
  const listed = JSON.parse(stdout || '[]') as { execution: { workflowId: string } }[];
  return listed.map(({ execution }) => execution.workflowId);
};

it('carat status shows a healthy stack as GET /status does', async () => {
  const { code, out } = await eventually(async () => {
    const outcome = await carat('status');
    return outcome.code === 0 && outcome;
  });
  expect(code).toBe(0);
  expect(out).toMatch(/^Carat is ok \(\d{4}-/);
  for (const part of [
    'database',
    'temporal',
    'workers',
    'commands',
    'intents',
    'offers',
    'webhook_retries',
    'network alpha',
    'worker',
  ]) {
    expect(out).toMatch(new RegExp(`^${part} .*\\bok\\b`, 'm'));
  }
  expect(out).toContain('No alert is open');
  const shown = await json('status');
  const { api, admin } = product.dev;
  const answered = await createCaratClient({ url: api, apiKey: admin.api_key, secret: admin.secret }).getStatus();
  expect(Object.keys(shown)).toEqual(Object.keys(answered));
  expect(shown.worker_list[0].id).toBe(answered.worker_list[0]!.id);
});

it('carat lane lists lanes, and shows one with its funds and endpoints', async () => {
  const { code, out } = await carat('lane', 'list');
  expect(code).toBe(0);
  expect(out).toMatch(/^NETWORK +ROLE +ADDRESS +STATE +QUEUED/);
  expect(out).toMatch(/^alpha +operator +0x[0-9a-f]{40} +active +0 +- +0 of 16/m);
  expect(out).toMatch(/^alpha +upgrader +0x[0-9a-f]{40} +active/m);
  const { lanes } = await json('lane', 'list');
  const [{ address }] = lanes;
  const one = await carat('lane', 'show', 'alpha', address);
  expect(one.out).toMatch(new RegExp(`^operator ${address} on alpha\n`));
  expect(one.out).toMatch(/balance +\d+(\.\d+)? ETH/);
  expect(one.out).toMatch(/endpoint 1 +block \d+, next nonce \d+/);
  expect((await carat('lane', 'show', 'alpha', 'upgrader')).out).toMatch(/ETH, enough for \d+ transactions of/);
});

it('carat alerts lists alerts with their places, and keeps control characters off the terminal', async () => {
  const networkId = product.dev.networks.alpha!.id;
  const alert = { kind: 'facet_revoked', subject: '1', message: 'Fees are \u001b[31mred' } as const;
  await raiseAlerts(product.knex, networkId, [alert, { ...alert, kind: 'deal_unknown' }]);
  const { code, out } = await carat('alerts');
  expect(code).toBe(0);
  expect(out).toMatch(/^facet_revoked, alpha, (just now|\d+ s ago)\n {2}Fees are \uFFFD\[31mred\n {2}incident /m);
  expect(out).toContain('docs/operations/alerts.md');
  expect((await json('alerts', '--kind', 'deal_unknown')).alerts).toMatchObject([{ is_condition: false }]);
  expect((await carat('alerts', '--limit', '1')).out).toContain('1 of 2, newest first');
  expect((await carat('status')).out).toContain('Open alerts: 2');
  await product.knex('alerts').update({ closed_at: new Date() });
  expect((await carat('alerts')).out).toBe('No alert is open\n');
  expect((await carat('alerts', '--state', 'closed')).out).toMatch(/closed (just now|\d+ s ago) by Carat/);
});

it('carat lane show names the transaction that blocks a lane, and bounds the wait for a dead endpoint', async () => {
  const url = `http://127.0.0.1:${(dead.address() as AddressInfo).port}/?key=${KEY}`;
  isSwallowing = true;
  const payment = await shop.create('alpha');
  await eventually(async () => (await json('lane', 'show', 'alpha', 'operator')).lanes[0].slots[0]?.attempts > 0);
  const [{ rpc_urls: urls }] = await product.knex('networks').select('rpc_urls');
  await product.knex('networks').update({ rpc_urls: [...urls, url] });
  const began = Date.now();
  const { out } = await carat('lane', 'show', 'alpha', 'operator');
  // Ten times the promise. A client without a bound waits for five minutes.
  expect(Date.now() - began).toBeLessThan(120_000);
  await product.knex('networks').update({ rpc_urls: urls });
  expect(out).toMatch(/in flight +1 of 16, nonce \d+ for/);
  expect(out).toMatch(/endpoint 2 +does not respond: no response in time/);
  expect(out).toMatch(/^\d+ +signed +.* 1 create_deal +\d+ .*0x[0-9a-f]{64} +possibly_sent/m);
  isSwallowing = false;
  await shop.reached(payment, 'awaiting_payment');
});

it('carat lane show says what to do about a paused lane', async () => {
  await product
    .knex('signer_accounts')
    .where({ role: 'operator' })
    .update({ status: 'paused', status_detail: 'nonce' });
  const { out } = await carat('lane', 'show', 'alpha', 'operator');
  const { address } = (await product.knex('signer_accounts').where({ role: 'operator' }).first('address')) as {
    address: string;
  };
  expect(out).toMatch(/state +paused: nonce/);
  expect(out).toContain(`then carat lane resume alpha ${address}`);
  await product.knex('signer_accounts').update({ status: 'active', status_detail: null });
});

describe('payment show', () => {
  let payment: Payment;
  let buyersHash = '';

  it('shows the whole life of a payment, by id, order and transaction', async () => {
    await shop.merchant.createWebhook(shop.wallet.id, product.dev.networks.alpha!.id, receiver.origin);
    payment = await shop.create('alpha', { external_id: 'order 17' });
    buyersHash = await shop.pay('alpha', payment);
    await shop.reached(payment, 'completed');
    await eventually(async () => (await json('payment', 'show', payment.id)).payments[0].deliveries.length === 4);
    const { code, out } = await carat('payment', 'show', payment.id);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^order 17 \\(payment ${payment.id}\\)\n {2}status +completed\n {2}waits for +nothing`),
    );
    expect(out).toMatch(/amount +0\.1 ETH to 0x/);
    const told = [...out.matchAll(/^ {2}\d{4}-\d\d-\d\d [\d:]+ +.*? {2}(\w+) {2}/gm)].map(([, type]) => type);
    expect(told.filter((type) => !type!.startsWith('transaction_'))).toEqual([
      'payment_created',
      'deal_confirmed',
      'payment_detected',
      'payment_confirmed',
    ]);
    expect(told).toContain('transaction_sent');
    expect(out).toMatch(/^ {2}create_deal +settled, effective .* confirmed +1 +\d+ +0x[0-9a-f]{64}$/m);
    expect(out).toMatch(new RegExp(`paid in +${buyersHash}, block \\d+`));
    const filter = encodeURIComponent(`PaymentIds = "${payment.id}"`);
    expect(out).toContain(`http://ui.example.com:8080/namespaces/default/workflows?query=${filter}`);
    const { deal_transaction_hash: dealHash } = await shop.merchant.payment(payment.id);
    for (const name of ['order 17', buyersHash, dealHash!]) {
      expect((await carat('payment', 'show', name)).out.split('\n')[0]).toBe(out.split('\n')[0]);
    }
  });

  it('shows each delivery with its last result', async () => {
    const { out } = await carat('payment', 'show', payment.id);
    expect(out).toMatch(/payment\.created +delivered +1 .* HTTP 204, /);
    const { webhooks } = await json('webhook', 'deliveries');
    expect(webhooks).toMatchObject([{ host: receiver.origin, is_active: true, failing_since: null, pending: 0 }]);
    expect((await carat('webhook', 'deliveries')).out).toMatch(/ works +0 +-/);
    const one = await carat('webhook', 'deliveries', webhooks[0].id, '--state', 'delivered', '--limit', '2');
    expect(one.out.match(/ delivered /g)).toHaveLength(2);
    expect((await carat('webhook', 'deliveries', webhooks[0].id, '--state', 'failed')).out).toContain('no such');
    receiver.answer((_request, response) => response.writeHead(503).end());
    const next = await shop.create('alpha');
    const line = / payment\.created +pending +\d+ .* HTTP 503, /;
    await eventually(async () => line.test((await carat('payment', 'show', next.id)).out), 15_000, 500);
    expect((await carat('webhook', 'deliveries')).out).toMatch(/ fails since .* [1-4] +/);
  });

  it('shows the waiting reason of an open payment, and what to do', async () => {
    const open = await shop.create('alpha', { external_id: 'order 18' });
    await shop.reached(open, 'awaiting_payment');
    expect((await carat('payment', 'show', 'order 18')).out).toMatch(/waits for +its buyer, until 20.* UTC, in 59 min/);
    const account = product.knex('signer_accounts').where({ role: 'operator' });
    await account.clone().update({ status: 'paused', status_detail: 'nonce' });
    const held = await shop.create('alpha', { external_id: 'order 19' });
    await eventually(async () => (await shop.merchant.payment(held.id)).status_detail === 'lane_paused');
    const { out } = await carat('payment', 'show', 'order 19');
    expect(out).toMatch(/status +pending \(lane_paused\)\n {2}waits for +lane_paused, for \d+ s/);
    expect(out).toMatch(/To do: Stop the other user of the key, then carat lane resume alpha 0x[0-9a-f]{40}\.$/m);
    expect(out).toMatch(/waiting_started +reason lane_paused/);
    const { workflow_id: workflow } = await product.knex('payments').where({ id: held.id }).first('workflow_id');
    await eventually(async () => (await found('What waits, and why?')).includes(workflow));
    await account.clone().update({ status: 'active', status_detail: null });
    await shop.reached(held, 'awaiting_payment');
  });

  it('in the Temporal UI: the documented filters find payments', async () => {
    const { wallet_id: _, ...request } = shop.request('alpha', { external_id: 'order 20' });
    const declined = await shop.merchant.createPayment({
      ...request,
      payment_method: 'bank_transfer',
      payment_address: 'DE89 3704 0044',
    });
    const { api, admin } = product.dev;
    const client = createCaratClient({ url: api, apiKey: admin.api_key, secret: admin.secret });
    await client.settlePayment(declined.id, { outcome: 'failed', reference: 'declined' });
    const workflowOf = async ({ id }: Payment): Promise<string> =>
      (await eventually(() => product.knex('payments').where({ id }).whereNotNull('workflow_id').first('workflow_id')))
        .workflow_id;
    const failed = await workflowOf(declined);
    await eventually(async () => (await found('What failed today?')).includes(failed));
    expect(await found('What about this order?')).toEqual([await workflowOf(payment)]);
    const open = await shop.create('alpha');
    const opened = await workflowOf(open);
    await eventually(async () => (await found('What about this merchant?')).includes(opened));
  });

  it('lists all payments with the same name', async () => {
    const [first] = await product.knex('payments').where({ external_id: 'order 18' }).select('*');
    const { wallet_id: _, ...request } = shop.request('alpha', { external_id: 'order 18' });
    const elsewhere = { node_id: product.dev.nodes.root!, payment_method: 'bank_transfer' } as const;
    const other = await shop.merchant.createPayment({ ...request, ...elsewhere, payment_address: 'DE89 3704 0044' });
    const { code, out } = await carat('payment', 'show', 'order 18');
    expect([code, out.includes(first.id), out.includes(other.id)]).toEqual([0, true, true]);
    expect(out).toContain('2 payments have this name: show one by its id');
  });

  it('says that there is no such payment', async () => {
    expect(await carat('payment', 'show', `0x${'1'.repeat(64)}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no payment has the id, order or transaction 0x1'),
    });
  });
});

it('wrong use exits with 2, and a missing object with 1', async () => {
  for (const args of [
    ['status', 'now'],
    ['alerts', '--kind', 'trouble'],
    ['alerts', '--state', 'new'],
    ['alerts', '--limit', '0'],
    ['payment', 'show'],
    ['webhook', 'deliveries', 'x'],
    ['webhook', 'deliveries', '--state', 'failed'],
    ['lane', 'show', 'alpha'],
    ['lane', 'show', 'alpha', 'signer'],
  ]) {
    expect([args, await carat(...args)]).toEqual([args, expect.objectContaining({ code: 2, out: '' })]);
  }
  expect(await carat('lane', 'show', 'gamma', 'operator')).toMatchObject({
    code: 1,
    err: expect.stringContaining('the catalogue has no network gamma; it has alpha'),
  });
  expect(await carat('lane', 'show', 'alpha', `0x${'1'.repeat(40)}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('carat lane list shows the lanes'),
  });
});

it('carat status exits with 1 when a part is late or down', async () => {
  await worker.stop();
  const { code, out, err } = await carat('status');
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(/^Carat is down/);
  expect(out).toMatch(/^workers +down +- /m);
  expect(out).toContain('carat doctor looks for the cause');
  expect((await asProcess(['status', '--json'], environment())).code).toBe(1);
  expect((await carat('lane', 'list')).out).toContain('key not held');
});
