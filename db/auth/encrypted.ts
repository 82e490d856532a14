import type { Knex } from 'knex';
import { execute, rowsOf } from '../query/statements.ts';

/** A column of ciphertexts, with the columns that their contexts are made of. */
export interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  readonly of: readonly string[];
}

/** All columns that are encrypted with the master key. */
export const encryptedColumns = {
  tokenKeys: { table: 'token_keys', column: 'encrypted_secret', of: ['purpose', 'kid'] },
  credentials: { table: 'webhook_configurations', column: 'encrypted_credentials', of: ['id'] },
  signingSecrets: { table: 'webhook_configurations', column: 'encrypted_signing_secret', of: ['id'] },
  previousSecrets: { table: 'webhook_configurations', column: 'previous_encrypted_signing_secret', of: ['id'] },
  answers: { table: 'idempotency_keys', column: 'encrypted_answer', of: ['actor_id', 'target', 'key'] },
  offers: { table: 'offers', column: 'encrypted', of: ['payment_id', 'valid_until'] },
} as const satisfies Record<string, EncryptedColumn>;

/** Rows that are rewritten at once. */
const PART = 1_000;

/**
 * Rewrites every ciphertext of a column, in the caller's transaction, which keeps others from writing the table.
 * @param change the new ciphertext of an old one and its row's columns, as text
 * @returns the number of ciphertexts
 */
export const rewriteColumn = async (
  trx: Knex.Transaction,
  { table, column, of }: EncryptedColumn,
  change: (encrypted: Buffer, of: readonly string[]) => Buffer,
): Promise<number> => {
  await trx.raw('LOCK TABLE ?? IN SHARE ROW EXCLUSIVE MODE', [table]);
  // The cursor reads the rows as they are now, without later writes.
  const asText = trx.raw(of.map(() => '??::text').join(', '), [...of]).toQuery();
  await execute(trx, [column, table, column])(
    `DECLARE encrypted NO SCROLL CURSOR FOR SELECT ctid::text AS place, ?? AS bytes, ARRAY[${asText}] AS of FROM ?? WHERE ?? IS NOT NULL`,
  );
  let count = 0;
  for (;;) {
    const rows = await rowsOf<{ place: string; bytes: Buffer; of: string[] }>(trx)(`FETCH ${PART} FROM encrypted`);
    if (rows.length === 0) break;
    count += rows.length;
    await execute(trx, [table, column, rows.map(({ place }) => place), rows.map((row) => change(row.bytes, row.of))])(
      `UPDATE ?? t SET ?? = n.bytes FROM unnest(?::tid[], ?::bytea[]) AS n (place, bytes) WHERE t.ctid = n.place`,
    );
  }
  await trx.raw('CLOSE encrypted');
  return count;
};
