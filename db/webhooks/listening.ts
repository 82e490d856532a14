import type { Knex } from 'knex';
import { recordChange } from '../audit/audited-transaction.ts';
import { rowsOf } from '../query/statements.ts';
import { closePending } from './deliveries.ts';
import { deleteWebhook, insertWebhook, WebhookModel, type NewWebhook } from './webhooks.ts';

/** A relay on this machine that receives webhooks. */
export interface Relay {
  readonly origin: string;
  /** Path of all its configurations, which identifies them. */
  readonly path: string;
  /** Null for all wallets. */
  readonly walletId: string | null;
}

/** A wallet on a network, with the wallet's node. */
interface Place {
  readonly wallet_id: string;
  readonly network_id: string;
  readonly node_id: string;
}

const placesWithout = (knex: Knex, { origin, walletId }: Relay): Promise<Place[]> =>
  rowsOf<Place>(knex, { origin, walletId })(`
     SELECT w.id AS wallet_id, n.id AS network_id, w.node_id FROM wallets w JOIN networks n ON n.chain_id = w.chain_id
     WHERE w.deleted_at IS NULL AND (:walletId::uuid IS NULL OR w.id = :walletId)
       AND NOT EXISTS (SELECT 1 FROM webhook_configurations c WHERE c.wallet_id = w.id AND c.network_id = n.id
         AND c.host = :origin AND c.deleted_at IS NULL) ORDER BY w.id, n.id`);

const entry = (id: string, host: string) => ({ id, host, node_id: null });

/**
 * Creates a configuration with the relay as its target for every wallet and network that lacks one.
 * @param make builds a configuration, with its encrypted secrets
 * @returns the number of new configurations
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

/** Reads the origins of relays that have configurations, by their common path. */
export const relayOrigins = async (knex: Knex, path: string): Promise<string[]> => {
  const rows = await WebhookModel.query(knex).live().where({ success_path: path }).distinct('host');
  return rows.map(({ host }) => host);
};

/** Deletes the configurations of a relay, and cancels their pending deliveries. */
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
