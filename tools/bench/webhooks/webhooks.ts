import { createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createCaratClient } from '../../../client/client.ts';
import { transition } from '../../../db/payments/transition.ts';
import type { World } from '../../../test/support/fixtures.ts';
import { atRate, untilDelivered } from '../buyers.ts';
import { interleave, printResults, quantile, ratioOf, spread, type Variant } from '../interleave.ts';
import { insertPayments } from '../payment-rows.ts';
import { startProductStack } from '../product-stack.ts';
import { startWebhookReceiver } from './start-receiver.ts';

/*
 * npm run bench:webhooks [-- ROUNDS [EVENTS]]
 *
 * Webhooks delivered and recorded per second, against a bare loop that signs and posts; latency from commit to receipt
 * at a constant rate; and the same beside receivers that misbehave. Method and figures: tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 8);
const perSlot = Number(process.argv[3] ?? 4_000);
const receivers = 4;
const openRate = 200;
/** A rate that a watcher reaches, which commits the events of a block together. */
const setsPerSecond = 100;
const eventsPerSet = 10;
const openSeconds = 15;
const hostile = ['/error', '/later', '/elsewhere', '/silence', '/drip', '/flood', '/reset'];

/** Each merchant is a separate node, because pace is per node. */
const merchants = Array.from({ length: receivers }, (_, index) => `merchant-${index}`);
const stack = await startProductStack({ merchants });
const { knex, catalogue } = stack;
const receiver = await startWebhookReceiver();
const { origin, arrivals } = receiver;

const carat = createCaratClient({
  url: stack.api,
  apiKey: stack.credentials.api_key,
  secret: stack.credentials.secret,
});

/** Creates a wallet whose events go to a path of the receiver. */
const merchant = async (path: string, name: string): Promise<World> => {
  const [nodeId = '', chainId = ''] = [catalogue.nodes[name], catalogue.chains.devnet];
  const networkId = catalogue.networks.bench ?? '';
  const wallet = await carat.createWallet({ node_id: nodeId, chain_id: chainId, name: path });
  await carat.createWebhook({
    wallet_id: wallet.id,
    network_id: networkId,
    host: origin,
    success_path: path,
    error_path: path,
    auth_type: 'token',
    auth_token: 'bench',
  });
  const [currencyId = ''] = Object.values(catalogue.currencies);
  const rest = { tokenAddress: wallet.address.toLowerCase(), operatorAccountId: '', upgraderAccountId: '' };
  return { nodeId, chainId, networkId, currencyId, walletId: wallet.id, diamondAddress: wallet.address, ...rest };
};

/** Expires payments, one event each. Returns the time of the commit. */
const expire = async (ids: readonly string[]): Promise<number> => {
  await knex.transaction((trx) =>
    transition(trx, {
      name: 'payment_expired',
      where: 'p.id = ANY(:ids)',
      bindings: { ids: [...ids] },
      actor: { type: 'system' },
    }),
  );
  return performance.timeOrigin + performance.now();
};

const countDelivered = async (): Promise<number> => {
  const [row] = await knex('webhook_deliveries').where({ state: 'delivered' }).count<{ count: string }[]>();
  return Number(row?.count);
};

// No workflow follows these payments, so their signals would pile up and be retried for ever.
await knex.raw(`
  CREATE FUNCTION nobody_hears() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER nobody_hears BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.topic = 'payment_signal')
    EXECUTE FUNCTION nobody_hears()`);

const worlds = await Promise.all(merchants.map((name, index) => merchant(`/take/${index}`, name)));
let prepared: string[] = [];
let before = 0;

const delivered: Variant = {
  name: 'Carat, delivered and recorded',
  unit: 'webhooks',
  prepare: async () => {
    const made = await Promise.all(worlds.map((world) => insertPayments(knex, world, perSlot / receivers)));
    prepared = made.flat();
    before = await countDelivered();
  },
  slot: async () => {
    const began = await expire(prepared);
    await untilDelivered(knex, 20);
    const ms = performance.timeOrigin + performance.now() - began;
    const count = (await countDelivered()) - before;
    if (count !== perSlot) throw new RangeError(`${count} of ${perSlot} webhooks were delivered and recorded`);
    return { count, ms };
  },
};

const agent = new http.Agent({ keepAlive: true });
/** A body that Carat sent. */
let body = '';
const key = Buffer.alloc(32, 1);

const post = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const id = randomUUID();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: 'Bearer bench',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    const request = http.request(`${origin}/take/0`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 204) reject(new RangeError(`The receiver answered ${response.statusCode}`));
      response.resume().on('end', resolve);
    });
    request.on('error', reject);
    request.end(body);
  });

const bare: Variant = {
  name: 'bare loop: sign, post, 32 at once',
  unit: 'webhooks',
  slot: async () => {
    const began = performance.now();
    let left = perSlot;
    const loop = async (): Promise<void> => {
      while (left-- > 0) await post();
    };
    await Promise.all(Array.from({ length: 32 }, loop));
    return { count: perSlot, ms: performance.now() - began };
  },
};

/**
 * Commits sets of events at a constant rate, independent of deliveries.
 * @returns milliseconds from commit to receipt
 */
const openModel = async (rate: number, beside: readonly World[] = [], size = 1): Promise<number[]> => {
  const count = rate * openSeconds * size;
  const ids = (await Promise.all(worlds.map((world) => insertPayments(knex, world, count / receivers)))).flat();
  const others = await Promise.all(beside.map((world) => insertPayments(knex, world, openSeconds)));
  const committed = new Map<string, number>();
  await atRate(rate, rate * openSeconds, async (index) => {
    const set = ids.slice(index * size, (index + 1) * size);
    // One event a second for each of the others.
    const more = index % rate === 0 ? others.map((own) => expire([own[index / rate]!])) : [];
    const [time] = await Promise.all([expire(set), ...more]);
    set.forEach((id) => committed.set(id, time));
  });
  const events = (await knex('webhook_events').whereIn('payment_id', ids).select('id', 'payment_id')) as {
    id: string;
    payment_id: string;
  }[];
  while (!events.every(({ id }) => arrivals.has(id))) await delay(100);
  return events.map(({ id, payment_id }) => Math.max(0, arrivals.get(id)! - committed.get(payment_id)!));
};

try {
  await openModel(openRate);
  ({ body } = (await knex('webhook_events').whereNotNull('body').first('body')) as { body: string });
  const rates = await interleave([delivered, bare], rounds);
  printResults([delivered, bare], rates, [[`${delivered.name} / bare`, ratioOf(rates, delivered.name, bare.name)]]);

  const tell = (round: number, rate: number, ms: readonly number[]): void =>
    console.log(
      `round ${round}/3  from commit to receipt at ${rate} events/s: p50 ${quantile(ms, 0.5).toFixed(0)} ms, ` +
        `p95 ${quantile(ms, 0.95).toFixed(0)} ms, p99 ${quantile(ms, 0.99).toFixed(0)} ms`,
    );
  for (let round = 1; round <= 3; round += 1) {
    tell(round, openRate, await openModel(openRate));
    tell(round, setsPerSecond * eventsPerSet, await openModel(setsPerSecond, [], eventsPerSet));
  }

  const bad = await Promise.all(hostile.map((path) => merchant(path, merchants[0]!)));
  const ratios: number[] = [];
  for (let round = 1; round <= 3; round += 1) {
    const without = quantile(await openModel(openRate / 2), 0.95);
    const beside = quantile(await openModel(openRate / 2, bad), 0.95);
    ratios.push(beside / without);
    console.log(
      `round ${round}/3  p95 alone ${without.toFixed(0)} ms, beside hostile receivers ${beside.toFixed(0)} ms`,
    );
  }
  console.log(`p95 beside hostile receivers / alone: ${spread(ratios).median.toFixed(2)}`);
} finally {
  receiver.stop();
  agent.destroy();
  await stack.stop();
}
