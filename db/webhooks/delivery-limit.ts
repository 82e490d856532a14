import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';
import { firsts, ofMerchants, ownerOf, retries } from './due.ts';

/** Most undelivered deliveries of a node for further replays. */
export const MAX_UNDELIVERED = 100_000;

/** SQL: number of undelivered deliveries of configuration `c`. Counts up to `:most` of each kind. */
export const undelivered = [firsts, retries]
  .map(
    (kind) =>
      `(SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d WHERE ${kind} AND d.webhook_id = c.id LIMIT :most) one)`,
  )
  .join(' + ');

/** SQL: the active configurations `c` of merchants, with their wallets `s`. */
export const activeOnes = `webhook_configurations c LEFT JOIN wallets s ON s.id = c.wallet_id
  WHERE c.is_active AND c.deleted_at IS NULL AND ${ofMerchants}`;

/**
 * Makes sure that so many more deliveries of a configuration can be replayed. The caller has locked the configuration.
 * @throws DomainError too_many_undelivered
 */
export const assertBelowDeliveryLimit = async (trx: Knex, webhookId: string, more: number): Promise<void> => {
  // Locked, so that concurrent requests count each other.
  const { rows: nodes } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT n.id FROM nodes n WHERE n.id = (SELECT ${ownerOf} FROM webhook_configurations c
       LEFT JOIN wallets s ON s.id = c.wallet_id WHERE c.id = ?) FOR NO KEY UPDATE`,
    [webhookId],
  );
  const { rows } = await trx.raw<{ rows: { waiting: number }[] }>(
    `SELECT coalesce(sum(${undelivered}), 0)::integer AS waiting FROM ${activeOnes} AND ${ownerOf} = :node`,
    { node: nodes[0]!.id, most: MAX_UNDELIVERED + 1 },
  );
  const { waiting } = rows[0]!;
  if (waiting + more <= MAX_UNDELIVERED) return;
  const message = `The node may have ${MAX_UNDELIVERED} undelivered deliveries and would have ${waiting + more}`;
  throw new DomainError('too_many_undelivered', message);
};
