import type { Knex } from 'knex';

export type KeyPurpose = 'access' | 'widget';

/** A stored key; the secret part is sealed. */
export interface TokenKeyRow {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  /** Null for keys of widget tokens, which are symmetric. */
  readonly public_jwk: { readonly [member: string]: unknown } | null;
  readonly sealed_secret: Buffer;
  readonly created_at: Date;
}

export type NewTokenKey = Omit<TokenKeyRow, 'created_at'>;

/** All keys that are not retired, newest first: the first of a purpose signs, all of them verify. */
export const listTokenKeys = (knex: Knex): Promise<TokenKeyRow[]> =>
  knex('token_keys')
    .whereNull('retired_at')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'kid', order: 'desc' },
    ])
    .select<TokenKeyRow[]>('kid', 'purpose', 'public_jwk', 'sealed_secret', 'created_at');

/** Makes the first key of each purpose, once, however many processes start at the same time. */
export const ensureTokenKeys = (knex: Knex, make: (purpose: KeyPurpose) => NewTokenKey): Promise<void> =>
  knex.transaction(async (trx) => {
    await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat token keys'))`);
    const stored = await listTokenKeys(trx);
    for (const purpose of ['access', 'widget'] as const) {
      if (stored.some((key) => key.purpose === purpose)) continue;
      const key = make(purpose);
      await trx('token_keys').insert({ ...key, public_jwk: key.public_jwk && JSON.stringify(key.public_jwk) });
    }
  });
