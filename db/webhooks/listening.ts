import type { Knex } from 'knex';
import { recordChange } from '../audit/audited-transaction.ts';
import { closePending } from './deliveries.ts';
import { deleteWebhook, insertWebhook, WebhookModel, type NewWebhook } from './webhooks.ts';

/** Where a relay on this machine listens. */
export interface Relay {
  readonly origin: string;
  /** Of all its configurations, so that they are known by it. */
  readonly path: string;
  /** Null: of every wallet. */
  readonly walletId: string | null;
}

/** A wallet on a network, and the node of the wallet. */
interface Place {
  readonly wallet_id: string;
  readonly network_id: string;
  readonly node_id: string;
}

const placesWithout = async (knex: Knex, { origin, walletId }: Relay): Promise<Place[]> => {
  const { rows } = await knex.raw<{ rows: Place[] }>(
    `SELECT w.id AS wallet_id, n.id AS network_id, w.node_id FROM wallets w JOIN networks n ON n.chain_id = w.chain_id
     WHERE w.deleted_at IS NULL AND (:walletId::uuid IS NULL OR w.id = :walletId)
       AND NOT EXISTS (SELECT 1 FROM webhook_configurations c WHERE c.wallet_id = w.id AND c.network_id = n.id
         AND c.host = :origin AND c.deleted_at IS NULL) ORDER BY w.id, n.id`,
    { origin, walletId },
  );
  return rows;
};

const entry = (id: string, host: string) => ({ id, host, node_id: null });

/**
 * Gives every wallet on every network that has none a configuration that leads to the relay.
 * @param make makes one, with secrets that are encrypted for it
 * @returns how many are new
 */
export const listenEverywhere = async (
  knex: Knex,
  relay: Relay,
  make: (place: Pick<Place, 'wallet_id' | 'network_id'>) => NewWebhook,
): Promise<number> => {
  const places = await placesWithout(knex, relay);
  for (const { node_id: nodeId, ...place } of places) {
    await knex.transaction(async (trx) => {
      const { id, host } = await insertWebhook(trx, make(place));
      await recordChange(trx, null, {
        action: 'webhook.created',
        nodeId,
        resourceId: id,
        before: null,
        after: entry(id, host),
      });
    });
  }
  return places.length;
};

/** Origins of relays that have configurations, by the path that all of them have. */
export const relayOrigins = async (knex: Knex, path: string): Promise<string[]> => {
  const rows = await WebhookModel.query(knex).live().where({ success_path: path }).distinct('host');
  return rows.map(({ host }) => host);
};

/** Deletes the configurations of a relay, and cancels what they were not told. */
export const endListening = async (knex: Knex, { origin, path }: Pick<Relay, 'origin' | 'path'>): Promise<void> => {
  const own = await WebhookModel.query(knex).live().where({ host: origin, success_path: path }).orderBy('id');
  for (const { id, wallet_id: walletId } of own) {
    await knex.transaction(async (trx) => {
      await WebhookModel.query(trx).findById(id).forUpdate();
      await deleteWebhook(trx, id);
      await closePending(trx, id, 'canceled');
      const { node_id: nodeId } = await trx('wallets').where({ id: walletId }).first<{ node_id: string }>('node_id');
      await recordChange(trx, null, {
        action: 'webhook.deleted',
        nodeId,
        resourceId: id,
        before: entry(id, origin),
        after: null,
      });
    });
  }
};
