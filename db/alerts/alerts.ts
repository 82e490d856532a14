import type { Knex } from 'knex';
import type { Alert } from '../../domain/ports/alert.ts';

/** Writes what an operator must look at on a network; once per key. */
export const raiseAlert = async (knex: Knex, networkId: string, alert: Alert): Promise<void> => {
  await knex.raw(
    `INSERT INTO alerts (dedupe_key, kind, network_id, message, data)
     VALUES (:key, :kind, :network_id, :message, :data) ON CONFLICT (dedupe_key) DO NOTHING`,
    {
      key: alert.key,
      kind: alert.kind,
      network_id: networkId,
      message: alert.message,
      data: JSON.stringify(alert.data ?? {}),
    },
  );
};
