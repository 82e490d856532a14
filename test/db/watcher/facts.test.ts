import knexFactory, { type Knex } from 'knex';
import { checksum } from '../../../chain/pure/address.ts';
import { findPayment } from '../../../db/payments/read.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import type { DealEvent, DealVerdict } from '../../../domain/deal.ts';
import { describePayment } from '../../../domain/payment-facts.ts';
import type { Lease } from '../../../domain/ports/lease.ts';
import type { BlockHeader } from '../../../domain/ports/watcher.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';

/*
 * The facts for a merchant's books, as blocks come and go; and `updated_at`, which advances whenever a shown value
 * changes.
 */

const knex: Knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url });
const store = createWatchStore(knex);
let world: World;
let lease: Lease;
let payment: PaymentRow;

afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex, { eip155: 8_453 + Math.floor(Math.random() * 1_000_000_000) });
  lease = await store.acquire(world.networkId);
  payment = await createPaymentRow(knex, world);
});

const FIRST = 1_700_000_000;
const BLOCK_SECONDS = 12;
const timeOf = ({ timestamp }: BlockHeader): string => new Date(timestamp * 1_000).toISOString();

/** @param drift seconds by which these blocks are later than others of their numbers */
const blocksOf = (from: number, count: number, parentHash = hex(32), drift = 0): BlockHeader[] => {
  const headers: BlockHeader[] = [];
  for (let number = from; number < from + count; number += 1) {
    const before = headers.at(-1)?.hash ?? parentHash;
    headers.push({ number, hash: hex(32), parentHash: before, timestamp: FIRST + number * BLOCK_SECONDS + drift });
  }
  return headers;
};

const eventOf = (
  kind: 'created' | 'paid',
  header: BlockHeader,
  transactionHash: string | null = hex(32),
): DealEvent => ({
  kind,
  transactionHash,
  diamond: world.diamondAddress,
  dealId: payment.dealId,
  termsHash: payment.termsHash,
  logIndex: 0,
  blockNumber: header.number,
  blockHash: header.hash,
  payer: kind === 'paid' ? hex(20) : null,
  token: null,
  payee: null,
  amount: null,
});

const commit = (headers: BlockHeader[], events: DealEvent[] = [], rewindTo: number | null = null) =>
  store.commit(lease, { rewindTo, headers, events, alerts: [], confirmedNumber: headers.at(-1)!.number - 2 });

const judge = async (judged: BlockHeader, verdict: DealVerdict, sought: DealEvent[] = []) => {
  const [candidate] = await store.candidates(lease, judged, { after: null, limit: 10, all: true });
  await store.judge(lease, { judged, sought, dates: [], decided: [{ candidate: candidate!, verdict }] });
};

const shown = async () => describePayment((await findPayment(knex, world.nodeId, payment.id))!, checksum);

/** Runs a part of the watcher's work, and checks that no shown value changes without `updated_at`. */
const watched = async (work: () => Promise<unknown>) => {
  const before = await shown();
  await knex('payments')
    .where({ id: payment.id })
    .update({ updated_at: new Date(0) });
  await work();
  const after = await shown();
  const [one, other] = [before, after].map((payment) => JSON.stringify({ ...payment, updated_at: null }));
  expect(after.updated_at !== new Date(0).toISOString()).toBe(one !== other);
  return after;
};

it("a payment has its block's time and its payer as soon as it is seen, and completes at a time of its own", async () => {
  const blocks = blocksOf(1, 6);
  const [created, paid] = [eventOf('created', blocks[0]!), eventOf('paid', blocks[2]!)];
  const eip155 = Number((await knex('networks').where({ id: world.networkId }).first('eip155')).eip155);
  const { symbol } = await knex('currencies').where({ id: world.currencyId }).first('symbol');
  const unknown = { paid_at: null, payer: null, completed_at: null };
  expect(await shown()).toMatchObject({ ...unknown, eip155, currency: symbol, deal_transaction_hash: null });

  const hash = created.transactionHash;
  const mined = await watched(() => commit(blocks.slice(0, 2), [created]));
  expect(mined).toMatchObject({ ...unknown, status: 'pending', transaction_hash: hash, deal_transaction_hash: hash });
  await watched(() => judge(blocks[0]!, 'open'));
  const seen = {
    transaction_hash: paid.transactionHash,
    deal_transaction_hash: hash,
    paid_at: timeOf(blocks[2]!),
    payer: checksum(paid.payer!),
  };
  const processing = await watched(() => commit(blocks.slice(2), [paid]));
  expect(processing).toMatchObject({ ...seen, status: 'processing', completed_at: null });
  const began = Date.now() - 1;
  const completed = await watched(() => judge(blocks[3]!, 'paid'));
  expect(completed).toMatchObject({ ...seen, status: 'completed' });
  expect(Date.parse(completed.completed_at!)).toBeGreaterThanOrEqual(began);
  expect(completed.updated_at >= completed.completed_at!).toBe(true);
});

it('a payment that is reorganised away loses both, and gets those of the other block afterwards', async () => {
  const blocks = blocksOf(1, 4);
  await commit(blocks.slice(0, 3), [eventOf('created', blocks[1]!)]);
  await judge(blocks[1]!, 'open');
  const first = eventOf('paid', blocks[3]!);
  expect(await watched(() => commit(blocks.slice(3), [first]))).toMatchObject({ paid_at: timeOf(blocks[3]!) });
  const others = blocksOf(4, 2, blocks[2]!.hash, 5);
  const gone = await watched(() => commit(others.slice(0, 1), [], 3));
  expect(gone).toMatchObject({ status: 'awaiting_payment', paid_at: null, payer: null });
  expect(gone.transaction_hash).toBe(gone.deal_transaction_hash);
  const second = eventOf('paid', others[1]!, first.transactionHash);
  expect(await watched(() => commit(others.slice(1), [second]))).toMatchObject({
    paid_at: timeOf(others[1]!),
    payer: checksum(second.payer!),
    transaction_hash: first.transactionHash,
  });
  // Deal and payment go together.
  const away = await watched(() => commit(blocksOf(2, 6, blocks[0]!.hash, 9), [], 1));
  expect(away).toMatchObject({ status: 'pending', transaction_hash: null, deal_transaction_hash: null, paid_at: null });
});

it("a payment first seen deep in the chain has its block's time, not the watcher's", async () => {
  const blocks = blocksOf(1, 10);
  await commit(blocks);
  const sought = [eventOf('created', blocks[0]!), eventOf('paid', blocks[1]!)];
  const completed = await watched(() => judge(blocks[7]!, 'paid', sought));
  expect(completed).toMatchObject({
    status: 'completed',
    paid_at: timeOf(blocks[1]!),
    payer: checksum(sought[1]!.payer!),
  });
});

it('a payment known by its word alone, or by too few endpoints, names no payer and no time', async () => {
  const blocks = blocksOf(1, 10);
  await commit(blocks, [eventOf('created', blocks[0]!)]);
  const nobody = { transaction_hash: null, paid_at: null, payer: null };
  const unproved = await watched(() => judge(blocks[7]!, 'paid', [eventOf('paid', blocks[2]!, null)]));
  expect(unproved).toMatchObject({ ...nobody, status: 'completed', completed_at: expect.any(String) });

  payment = await createPaymentRow(knex, world);
  const untold = await watched(() => judge(blocks[7]!, 'paid'));
  expect(untold).toMatchObject({ ...nobody, status: 'completed', completed_at: expect.any(String) });
});

it('a log that proves false leaves nothing behind', async () => {
  const blocks = blocksOf(1, 8);
  await commit(blocks.slice(0, 4), [eventOf('created', blocks[0]!)]);
  await judge(blocks[1]!, 'open');
  await commit(blocks.slice(4), [eventOf('paid', blocks[4]!)]);
  const back = await watched(() => judge(blocks[5]!, 'open'));
  expect(back).toMatchObject({ status: 'awaiting_payment', paid_at: null, payer: null, completed_at: null });
});
