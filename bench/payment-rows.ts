import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { World } from '../test/support/fixtures.ts';

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
