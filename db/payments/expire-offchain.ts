import type { Knex } from 'knex';
import { transition } from './transition.ts';

/**
 * Expires those of the payments that are not on a chain, still `pending` and past their time by the database's clock.
 * @returns ids of the payments that expired now
 */
export const expireOffchain = (knex: Knex, paymentIds: readonly string[]): Promise<string[]> =>
  knex.transaction((trx) =>
    transition(trx, {
      name: 'payment_expired',
      where: `p.id = ANY(:payment_ids) AND p.payment_method <> 'web3' AND p.expires_unix <= extract(epoch FROM clock_timestamp())`,
      bindings: { payment_ids: paymentIds },
      actor: { type: 'system' },
    }),
  );
