import knexFactory, { type Knex } from 'knex';
import { CheckoutModel, listCheckouts } from '../../../db/checkouts/read.ts';
import { connect } from '../../../db/connection.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { listPayments, type PaymentFilter } from '../../../db/payments/lists.ts';
import { PaymentModel } from '../../../db/payments/read.ts';
import { createCounter } from '../../../db/query/counter.ts';
import { readPage } from '../../support/pages.ts';
import { forgetDelivered, createOutboxStore } from '../../../db/outbox/outbox.ts';
import { readAges, readNetworkLooks } from '../../../db/processes/processes.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import type { BlockHeader } from '../../../domain/ports/watcher.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

/*
 * Recurring statements must not read closed rows: PostgreSQL counts the rows that it looked at.
 */

const MANY = 20_000;
const FEW = 1_000;
let knex: Knex;
let world: World;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  // One connection, whose counters are written out when asked for.
  knex = knexFactory({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
  world = await createWorld(knex);
  const payment = await createPaymentRow(knex, world);
  await copies(
    'payments',
    'id = :id',
    { id: payment.id },
    `
    'id', gen_random_uuid(), 'external_id', g::text, 'deal_id', g, 'deal_block_number', g / 10, 'deal_tx_hash', 'x', 'sequence', 4,
    'status', CASE WHEN g % 2 = 0 THEN 'completed' ELSE 'awaiting_payment' END,
    'terminal_at', CASE WHEN g % 2 = 0 THEN now() END, 'workflow_id', 'payment/' || g,
    'paid_tx_hash', CASE WHEN g % 2 = 0 THEN 'x' END, 'paid_block_number', CASE WHEN g % 2 = 0 THEN g / 10 END`,
  );
  await knex.raw(
    `INSERT INTO tx_slots (account_id, nonce, to_address, data, gas_limit, state, tx_hash, block_number, block_hash, receipt_status)
     SELECT :account, g, :address, '', 1, 'confirmed', '0x' || lpad(to_hex(g), 64, '0'), g, '0x' || lpad(to_hex(g), 64, '0'), 1
     FROM generate_series(1, :many) g`,
    { account: world.operatorAccountId, address: hex(20), many: MANY },
  );
  await knex.raw(
    `INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id)
     SELECT 'queued:' || id, :account, 'create_deal', id FROM payments WHERE status = 'awaiting_payment'`,
    { account: world.operatorAccountId },
  );
  await knex.raw(
    `INSERT INTO outbox (topic, group_key, payment_id, payload, delivered_at)
     SELECT 'payment_signal', network_id, id, '{}', CASE WHEN status = 'completed' THEN now() END FROM payments
     WHERE workflow_id IS NOT NULL`,
  );
  await knex.raw('ANALYZE');
});

afterAll(() => knex.destroy());

/** Inserts copies of one row with other values; `changes` are the arguments of jsonb_build_object over number `g`. */
const copies = (table: string, where: string, bindings: Record<string, unknown>, changes: string, database = knex) =>
  database.raw(
    `INSERT INTO ${table} SELECT c.* FROM (SELECT * FROM ${table} WHERE ${where}) one
     CROSS JOIN generate_series(1, ${MANY}) g
     CROSS JOIN LATERAL jsonb_populate_record(one::text::${table}, jsonb_build_object(${changes})) c`,
    bindings,
  );

const rowsRead = async (database: Knex): Promise<Record<string, number>> => {
  await database.raw('SELECT pg_stat_force_next_flush()');
  const { rows } = await database.raw<{ rows: { relname: string; read: string }[] }>(
    `SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables
     WHERE relname IN ('payments', 'tx_slots', 'tx_intents', 'outbox', 'checkouts')`,
  );
  return Object.fromEntries(rows.map((row) => [row.relname, Number(row.read)]));
};

/** The most rows of one table that `work` made the database look at. */
const costOf = async (work: () => Promise<unknown>, database = knex): Promise<number> => {
  const before = await rowsRead(database);
  await work();
  const after = await rowsRead(database);
  return Math.max(...Object.entries(after).map(([table, read]) => read - (before[table] ?? 0)));
};

/** PostgreSQL plans a statement for its values five times, and from then on perhaps for any values. */
const oftenEnough = async (work: () => Promise<unknown>): Promise<void> => {
  for (let times = 0; times < 6; times += 1) await work();
};

it('a round of the watcher reads few rows, with events and with a reorganisation', async () => {
  const store = createWatchStore(knex);
  const lease = await store.acquire(world.networkId);
  const header = (number: number, parentHash: string): BlockHeader => ({
    number,
    hash: hex(32),
    parentHash,
    timestamp: 1,
  });
  const first = header(MANY + 100, hex(32));
  const [second, other] = [header(MANY + 101, first.hash), header(MANY + 101, first.hash)];
  const payment = await createPaymentRow(knex, world);
  const round = (headers: readonly BlockHeader[], rewindTo: number | null) =>
    store.commit(lease, {
      rewindTo,
      headers,
      alerts: [],
      confirmedNumber: first.number,
      events: headers.map((block) => ({
        kind: 'created' as const,
        diamond: world.diamondAddress,
        dealId: payment.dealId,
        termsHash: payment.termsHash,
        transactionHash: hex(32),
        logIndex: 0,
        blockNumber: block.number,
        blockHash: block.hash,
        payer: null,
        token: null,
        payee: null,
        amount: null,
      })),
    });
  // Confirmed payments move once, in this round.
  await round([first], null);
  await oftenEnough(() => round([header(MANY + 101, first.hash)], first.number));
  expect(await costOf(() => round([second], first.number))).toBeLessThan(FEW);
  expect(await costOf(() => round([other], first.number))).toBeLessThan(FEW);
  expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({ deal_block_hash: first.hash });
});

it("the watcher's query for due judgements, and a judgement of nothing, read few rows", async () => {
  const store = createWatchStore(knex);
  const lease = await store.acquire(world.networkId);
  const [judged] = await store.headers(lease, MANY + 100, MANY + 100);
  expect(judged).toBeDefined();
  let candidates: readonly unknown[] = [];
  const look = async (): Promise<void> => {
    candidates = await store.candidates(lease, judged!, { after: null, limit: 500 });
    await store.judge(lease, { judged: judged!, decided: [], sought: [], dates: [] });
  };
  await oftenEnough(look);
  const cost = await costOf(look);
  // The payment of the round above.
  expect(candidates).toHaveLength(1);
  expect(cost).toBeLessThan(FEW);
});

it("the lane's query of its queue reads few rows", async () => {
  const store = createLaneStore(knex);
  const lease = await store.acquire(world.operatorAccountId);
  let queued = 0;
  const look = async (): Promise<void> => {
    queued = (await store.queued(lease, 100)).length;
  };
  await oftenEnough(look);
  const cost = await costOf(look);
  expect(queued).toBe(100);
  expect(cost).toBeLessThan(FEW);
});

it('the status reads few of the closed and the waiting rows', async () => {
  expect(await costOf(() => readAges(knex, 30))).toBeLessThan(FEW);
  expect(await costOf(() => readNetworkLooks(knex))).toBeLessThan(FEW);
});

it("the lane's query of its queue reads few rows beside many payments that wait for a diamond", async () => {
  const { walletId, diamondAddress, operatorAccountId: accountId } = world;
  const store = createLaneStore(knex);
  const lease = await store.acquire(accountId);
  await knex('tx_intents').where({ account_id: accountId }).update({ state: 'withdrawn' });
  await knex('diamonds').where({ wallet_id: walletId }).update({ status: 'deploying' });
  // Others that wait for the lane are behind them.
  const other = await createWorld(knex);
  await knex('diamonds').where({ wallet_id: other.walletId }).update({ operator_account_id: accountId });
  const payment = await createPaymentRow(knex, other);
  await knex('tx_intents').where({ account_id: accountId }).delete();
  await knex('payments')
    .where({ diamond_address: diamondAddress, status: 'awaiting_payment' })
    .update({ status: 'pending' });
  const waiting: string[] = await knex('payments')
    .where({ diamond_address: diamondAddress, status: 'pending' })
    .pluck('id');
  expect(waiting.length).toBeGreaterThanOrEqual(MANY / 2);
  await insertDealIntents(knex, [...waiting, payment.id]);
  await knex.raw('ANALYZE');
  let queued: readonly { id: string }[] = [];
  const look = async (): Promise<void> => {
    queued = await store.queued(lease, 100);
  };
  await oftenEnough(look);
  expect(await costOf(look)).toBeLessThan(FEW);
  expect(queued).toHaveLength(1);
});

it('a judgement and a lane, planned while the tables were small, read few rows once PostgreSQL has analysed the tables', async () => {
  const { url } = await createTestDatabase();
  const small = connect(url, { pool: 1, role: 'worker' });
  try {
    const place = await createWorld(small);
    const lanes = createLaneStore(small);
    const lease = await lanes.acquire(place.operatorAccountId);
    const watchers = createWatchStore(small);
    const watch = await watchers.acquire(place.networkId);
    const judged = { number: 1, hash: hex(32), parentHash: hex(32), timestamp: 1 };
    await watchers.commit(watch, { rewindTo: null, headers: [judged], alerts: [], confirmedNumber: 1, events: [] });
    const payment = await createPaymentRow(small, place);
    const others: string[] = [];
    for (let count = 0; count < 60; count += 1) others.push((await createPaymentRow(small, place)).id);
    await insertDealIntents(small, [payment.id, ...others]);
    const look = async (): Promise<void> => {
      await insertDealIntents(small, [payment.id]);
      await lanes.queued(lease, 100);
      await watchers.candidates(watch, judged, { after: null, limit: 500 });
      await watchers.judge(watch, { judged, decided: [], sought: [], dates: [] });
    };
    await small.raw('VACUUM ANALYZE');
    await oftenEnough(look);
    await copies(
      'payments',
      'id = :id',
      { id: payment.id },
      `'id', gen_random_uuid(), 'external_id', g::text, 'deal_id', g, 'status', 'completed', 'terminal_at', now()`,
      small,
    );
    // As its autovacuum does within a minute.
    await small.raw('ANALYZE');
    expect(await costOf(look, small)).toBeLessThan(FEW);
  } finally {
    await small.destroy();
  }
});

it('lists of completed and changed payments, and of a transaction, read few rows, whatever has happened before and since', async () => {
  const { nodeId } = world;
  // One a minute, those at the end have changed since; two thirds are unpaid payments.
  await knex.raw(
    `UPDATE payments SET created_at = timestamptz '2026-01-01Z' + deal_id * interval '1 minute', 
       paid_tx_hash = CASE WHEN status = 'completed' THEN 'paid ' || deal_id END,
       updated_at = timestamptz '2026-01-01Z' + deal_id * interval '1 minute', deal_tx_hash = 'deal ' || deal_id / 10,
       terminal_at = CASE WHEN status = 'completed' THEN timestamptz '2026-01-01Z' + (deal_id + 2) * interval '1 minute' END
     WHERE deal_id <= ${MANY}`,
  );
  await knex.raw('VACUUM ANALYZE payments');
  const day = { completedFrom: new Date('2026-01-03T00:00:00Z'), completedTo: new Date('2026-01-03T01:00:00Z') };
  const list = async (filter: Partial<PaymentFilter>, includeDescendants = false): Promise<number[]> => {
    const request = { page: 1, perPage: 100 };
    let found: number[] = [];
    const cost = await costOf(async () => {
      const { items } = await readPage(
        listPayments(knex, { nodeId, includeDescendants, ...filter }, request, createCounter(knex, PaymentModel)),
      );
      found = items.map((item) => Number(item.deal_id));
    });
    expect(cost).toBeLessThan(FEW);
    return found;
  };
  const completed = Array.from({ length: 30 }, (_, index) => 2_936 - 2 * index);
  expect(await list(day)).toEqual(completed);
  expect(await list(day, true)).toEqual(completed);
  expect(await list({ transactionHash: 'paid 4712' })).toEqual([4_712]);
  expect(await list({ transactionHash: 'deal 47' })).toEqual(Array.from({ length: 10 }, (_, index) => 479 - index));
  await knex('payments')
    .whereIn('deal_id', [3, 5_000, 19_000])
    .update({ updated_at: new Date('2026-11-01T00:00:00Z') });
  expect(await list({ updatedFrom: new Date('2026-10-31T00:00:00Z'), status: 'completed' })).toEqual([19_000, 5_000]);
});

it('lists of the orders of a status, and of all nodes, read few rows', async () => {
  const order = {
    node_id: world.nodeId,
    payment_group: 'product',
    payment_address: hex(20),
    expires_at: new Date(),
    expires_unix: 1,
    status: 'canceled',
    terminal_at: new Date(),
  };
  const insert = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...order, external_id: String(-1 - index) }));
  await knex('checkouts').insert(insert(3));
  await copies(
    'checkouts',
    "external_id = '-1'",
    {},
    `'id', gen_random_uuid(), 'external_id', g::text, 'status', 'expired', 'created_at', now() + g * interval '1 second'`,
  );
  await knex.raw('VACUUM ANALYZE checkouts');
  const countAll = createCounter(knex, CheckoutModel);
  const list = async (filter: { status?: 'canceled' | 'expired' }, includeDescendants: boolean): Promise<number[]> => {
    let found: number[] = [];
    const cost = await costOf(async () => {
      const request = { page: 1, perPage: 10 };
      const filtered = { nodeId: world.nodeId, includeDescendants, ...filter };
      const { items, total } = await readPage(listCheckouts(knex, filtered, request, countAll));
      found = [items.length, total];
    });
    // The count alone reads every row that it counts.
    expect(cost).toBeLessThan(found[1]! + FEW);
    return found;
  };
  for (const includeDescendants of [false, true]) {
    expect(await list({ status: 'canceled' }, includeDescendants)).toEqual([3, 3]);
    expect(await list({ status: 'expired' }, includeDescendants)).toEqual([10, MANY]);
    expect(await list({}, includeDescendants)).toEqual([10, MANY + 3]);
  }
});

it('a dispatcher behind a backlog of signals reads few rows, and so does its cleanup', async () => {
  const store = createOutboxStore(knex);
  const claim = () => store.claimSignals({ limit: 16, perWorkflow: 500, claimMs: 60_000, except: [] });
  expect(await claim()).toHaveLength(16);
  expect(await forgetDelivered(knex, 7)).toBe(false);
});
