import type { Knex } from 'knex';

export interface Alert {
  /** One cause, one row: a repeated alert with the same key is dropped. */
  readonly key: string;
  readonly kind: string;
  readonly message: string;
  readonly networkId?: string;
  readonly paymentId?: string;
  readonly data?: Record<string, unknown>;
}

/** Writes what an operator must look at; once per key. */
export const raiseAlert = async (knex: Knex, alert: Alert): Promise<void> => {
  await knex('alerts')
    .insert({
      dedupe_key: alert.key,
      kind: alert.kind,
      network_id: alert.networkId ?? null,
      payment_id: alert.paymentId ?? null,
      message: alert.message,
      data: JSON.stringify(alert.data ?? {}),
    })
    .onConflict('dedupe_key')
    .ignore();
};
