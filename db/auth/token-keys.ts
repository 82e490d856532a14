import type { Knex } from 'knex';

/** The use of a key: access tokens of integrations, or widget tokens of single payments. */
export type KeyPurpose = 'access' | 'widget';

/** A stored key. Its secret part is encrypted. */
export interface TokenKeyRow {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  /** Null for keys of widget tokens, which are symmetric. */
  readonly public_jwk: { readonly [member: string]: unknown } | null;
  readonly encrypted_secret: Buffer;
  readonly created_at: Date;
  /** Time from which it signs, unless a newer key does. Before, it only verifies. */
  readonly signs_from: Date;
  /** Time from which it no longer verifies; null while no end is set. */
  readonly retired_at: Date | null;
}

export type NewTokenKey = Pick<TokenKeyRow, 'kid' | 'purpose' | 'public_jwk' | 'encrypted_secret'>;

const columns = ['kid', 'purpose', 'public_jwk', 'encrypted_secret', 'created_at', 'signs_from', 'retired_at'] as const;

const allKeys = (knex: Knex) =>
  knex('token_keys')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'kid', order: 'desc' },
    ])
    .select<TokenKeyRow[]>(...columns);

/** Lists the keys that verify, newest first. The newest of a purpose whose `signs_from` has passed signs. */
export const listTokenKeys = (knex: Knex): Promise<TokenKeyRow[]> =>
  allKeys(knex).whereRaw('(retired_at IS NULL OR retired_at > clock_timestamp())');

/** Lists all keys, retired ones included, newest first. */
export const listAllTokenKeys = (knex: Knex): Promise<TokenKeyRow[]> => allKeys(knex);

/** Serialises changes of the keys until the transaction ends. */
const lockKeys = (trx: Knex.Transaction) => trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat token keys'))`);

const insertKey = (trx: Knex.Transaction, key: NewTokenKey, signsInSeconds: number) =>
  trx('token_keys')
    .insert({
      ...key,
      public_jwk: key.public_jwk && JSON.stringify(key.public_jwk),
      signs_from: trx.raw(`clock_timestamp() + ? * interval '1 second'`, [signsInSeconds]),
    })
    .returning<TokenKeyRow[]>([...columns]);

/** Stores the first key of each purpose, exactly once even when several processes start at the same time. */
export const ensureTokenKeys = (knex: Knex, make: (purpose: KeyPurpose) => NewTokenKey): Promise<void> =>
  knex.transaction(async (trx) => {
    await lockKeys(trx);
    const stored = await listTokenKeys(trx);
    for (const purpose of ['access', 'widget'] as const) {
      if (!stored.some((key) => key.purpose === purpose)) await insertKey(trx, make(purpose), 0);
    }
  });

/** The times at which a new key takes over and the previous ones end. */
export interface Rotation {
  /** Seconds until the new key signs. Every process must know it by then. */
  readonly signsInSeconds: number;
  /** Seconds after that until the previous keys end; null keeps them until they are retired by hand. */
  readonly retireAfterSeconds: number | null;
}

/** Adds a key that will sign, and sets the end of those that it replaces. Valid tokens stay valid during the rotation. */
export const rotateTokenKey = (knex: Knex, key: NewTokenKey, rotation: Rotation): Promise<TokenKeyRow> =>
  knex.transaction(async (trx) => {
    await lockKeys(trx);
    const [added] = await insertKey(trx, key, rotation.signsInSeconds);
    if (added === undefined) throw new Error('the key was not stored');
    if (rotation.retireAfterSeconds !== null) {
      const end = trx.raw(`?::timestamptz + ? * interval '1 second'`, [added.signs_from, rotation.retireAfterSeconds]);
      // Earlier ends stay.
      await trx('token_keys')
        .where({ purpose: key.purpose })
        .whereNot({ kid: key.kid })
        .where((query) => void query.whereNull('retired_at').orWhere('retired_at', '>', end))
        .update({ retired_at: end });
    }
    return added;
  });

/** The outcome of a retirement. `needed`: no other key signs now and has no end. */
export type KeyRetirement = 'retired' | 'unknown' | 'needed';

/** Ends a key now, which invalidates all tokens that it has signed. */
export const retireTokenKey = (knex: Knex, kid: string): Promise<KeyRetirement> =>
  knex.transaction(async (trx) => {
    await lockKeys(trx);
    const keys = await listTokenKeys(trx);
    const key = keys.find((candidate) => candidate.kid === kid);
    if (key === undefined) return 'unknown';
    const successor = await trx('token_keys')
      .where({ purpose: key.purpose })
      .whereNot({ kid })
      .whereNull('retired_at')
      .whereRaw('signs_from <= clock_timestamp()')
      .first('kid');
    if (successor === undefined) return 'needed';
    await trx('token_keys')
      .where({ kid })
      .update({ retired_at: trx.raw('clock_timestamp()') });
    return 'retired';
  });
