import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { World } from '../../test/support/fixtures.ts';

/** Inserts pending payments in bulk, as the API would, but without commands in the outbox. Returns their ids. */
export const insertPayments = async (knex: Knex, world: World, count: number): Promise<string[]> => {
  const expires = Math.floor(Date.now() / 1000) + 86_400;
  const rows = Array.from({ length: count }, () => {
    const id = randomUUID();
    return {
      id,
      node_id: world.nodeId,
      external_id: id,
      chain_id: world.chainId,
      network_id: world.networkId,
      wallet_id: world.walletId,
      currency_id: world.currencyId,
      decimals: 6,
      price_units: '1500000',
      paid_price_units: '1500000',
      payment_method: 'web3',
      payment_group: 'product',
      payment_address: `0x${randomBytes(20).toString('hex')}`,
      expires_at: new Date(expires * 1000),
      expires_unix: expires,
      deal_id: randomInt(1, 2 ** 47),
      diamond_address: world.diamondAddress.toLowerCase(),
      token_address: world.tokenAddress,
      terms_hash: `0x${randomBytes(32).toString('hex')}`,
    };
  });
  await knex.batchInsert('payments', rows, 500);
  await knex.batchInsert(
    'payment_logs',
    rows.map(({ id }) => ({
      payment_id: id,
      sequence: 1,
      event_type: 'payment_created',
      status: 'pending',
      message: 'Payment created',
      actor_type: 'integration',
    })),
    500,
  );
  return rows.map(({ id }) => id);
};

/** Payments per statement of the filling. */
const PART = 100_000;
/** Days that the payments cover, the newest now. */
const DAYS = 300;

/** Nine of ten are completed, one of a hundred is open, the rest has expired. Triggers and foreign keys are off meanwhile. */
const insertPart = `
INSERT INTO payments (id, node_id, external_id, chain_id, network_id, wallet_id, currency_id, decimals, price_units, paid_price_units,
  payment_method, payment_group, payment_address, expires_at, expires_unix, status, sequence, deal_id, diamond_address,
  token_address, terms_hash, deal_tx_hash, deal_block_number, deal_block_hash, paid_tx_hash, paid_block_number,
  paid_block_hash, payer_address, paid_at, terminal_at, created_at, updated_at)
SELECT uuidv7(at - clock_timestamp()), (:nodes::uuid[])[CASE WHEN g % 5 = 0 THEN 2 + g / 5 % :branches ELSE 1 END], 'order-' || g, :chain, :network,
  :wallet, :currency, 6, 1500000, 1500000, 'web3', 'product', '0x' || repeat('ab', 20), at + interval '1 hour',
  extract(epoch FROM at)::bigint + 3600, status, 3, g, :diamond, :token, '0x' || md5('a' || g) || md5('b' || g),
  '0x' || md5('c' || g) || md5('d' || g), g, '0x' || md5('e' || g) || md5('f' || g),
  CASE WHEN status = 'completed' THEN '0x' || md5('g' || g) || md5('h' || g) END,
  CASE WHEN status = 'completed' THEN g END,
  CASE WHEN status = 'completed' THEN '0x' || md5('i' || g) || md5('j' || g) END,
  CASE WHEN status = 'completed' THEN '0x' || repeat('cd', 20) END,
  CASE WHEN status = 'completed' THEN at + interval '1 minute' END,
  CASE WHEN status <> 'awaiting_payment' THEN at + interval '2 minutes' END, at, at + interval '2 minutes'
FROM (SELECT g, now() - :days * interval '1 day' * (1 - g::float8 / :total) AS at,
    CASE WHEN g / 50 % 100 = 0 THEN 'awaiting_payment' WHEN g / 50 % 10 = 0 THEN 'expired' ELSE 'completed' END AS status
  FROM generate_series(:first::bigint, :last::bigint) g) made`;

/**
 * Replaces all payments by so many of this merchant, which cover 300 days.
 * @param nodes the node of four of five payments, and those that share the rest
 */
export const fillPayments = async (
  knex: Knex,
  world: World,
  { nodes, total }: { readonly nodes: readonly string[]; readonly total: number },
): Promise<void> => {
  await knex.raw('TRUNCATE payments CASCADE');
  for (let first = 1; first <= total; first += PART) {
    const last = Math.min(total, first + PART - 1);
    await knex.transaction(async (trx) => {
      await trx.raw(`SET LOCAL session_replication_role = replica; SET LOCAL synchronous_commit = off`);
      await trx.raw(insertPart, {
        nodes: [...nodes],
        branches: nodes.length - 1,
        chain: world.chainId,
        network: world.networkId,
        wallet: world.walletId,
        currency: world.currencyId,
        diamond: world.diamondAddress.toLowerCase(),
        token: world.tokenAddress.toLowerCase(),
        days: DAYS,
        total,
        first,
        last,
      });
    });
    console.log(`filled ${last} of ${total}`);
  }
  // VACUUM marks nothing as visible to all whose commit is not on the disk yet.
  await knex.raw('CHECKPOINT');
  await knex.raw('VACUUM ANALYZE payments');
};
