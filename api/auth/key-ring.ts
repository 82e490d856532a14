import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { Knex } from 'knex';
import {
  ensureTokenKeys,
  listTokenKeys,
  type KeyPurpose,
  type NewTokenKey,
  type TokenKeyRow,
} from '../../db/auth/token-keys.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createSingleFlight } from '../../domain/tools/single-flight.ts';
import { createEpisode } from '../../domain/tools/episode.ts';
import type { Keys } from '../generated/openapi-types.ts';
import { decryptBytes, DecryptionError, encryptBytes } from '../../runtime/encryption.ts';

interface Lifetime {
  readonly kid: string;
  /** In milliseconds since the epoch. */
  readonly signsFrom: number;
  /** Milliseconds since the epoch; Infinity when not retired. */
  readonly retiredAt: number;
}

interface AccessKey extends Lifetime {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Keys['keys'][number];
}

interface WidgetKey extends Lifetime {
  /** The key of the HMAC in widget tokens. */
  readonly secretKey: KeyObject;
}

/**
 * The keys that sign tokens, decrypted once and kept in memory. Each list holds all keys that verify now; the first one
 * signs.
 */
export interface KeyRing {
  access(): readonly AccessKey[];
  widget(): readonly WidgetKey[];
  /** Reads the keys again, at most once a second, to learn of keys that another process has made or retired. */
  refresh(): Promise<void>;
}

export interface KeyRingDeps {
  readonly knex: Knex;
  readonly masterKey: Uint8Array;
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The context that an encrypted key is bound to, so that one key's bytes cannot be read as another's. */
export const tokenKeyContext = (purpose: KeyPurpose, kid: string): string => `token key ${purpose} ${kid}`;

/**
 * Makes a random key with its secret part encrypted by the master key: Ed25519 for access tokens, 256 bits for HMAC
 * otherwise.
 */
export const makeTokenKey = (masterKey: Uint8Array, purpose: KeyPurpose): NewTokenKey => {
  const kid = randomBytes(6).toString('base64url').replaceAll('_', '-');
  const encrypted = (secret: Uint8Array) => encryptBytes(masterKey, tokenKeyContext(purpose, kid), secret);
  if (purpose === 'widget') return { kid, purpose, public_jwk: null, encrypted_secret: encrypted(randomBytes(32)) };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    kid,
    purpose,
    public_jwk: { ...publicKey.export({ format: 'jwk' }) },
    encrypted_secret: encrypted(privateKey.export({ format: 'der', type: 'pkcs8' })),
  };
};

const REFRESH_MS = 1_000;

const lifetimeOf = ({ kid, signs_from, retired_at }: TokenKeyRow): Lifetime => ({
  kid,
  signsFrom: signs_from.getTime(),
  retiredAt: retired_at?.getTime() ?? Infinity,
});

/**
 * The keys that verify at the given time, the signing key first. The newest key whose time has come signs, so that a
 * later rotation overrides the plan of an earlier one.
 */
const inUse = <Key extends Lifetime>(newestFirst: readonly Key[], now: number): Key[] => {
  const valid = newestFirst.filter((key) => key.retiredAt > now);
  const signing = valid.find((key) => key.signsFrom <= now);
  return signing === undefined ? valid : [signing, ...valid.filter((key) => key !== signing)];
};

/** Caches `inUse` between the few instants at which it changes. */
const timed = <Key extends Lifetime>(newestFirst: readonly Key[], now: () => number) => {
  const instants = newestFirst.flatMap((key) => [key.signsFrom, key.retiredAt]);
  let list: Key[] = [];
  let [from, until] = [Infinity, -Infinity];
  return (): readonly Key[] => {
    const time = now();
    if (time < from || time >= until) {
      list = inUse(newestFirst, time);
      from = Math.max(-Infinity, ...instants.filter((instant) => instant <= time));
      until = Math.min(Infinity, ...instants.filter((instant) => instant > time));
    }
    return list;
  };
};

/**
 * Decrypts the stored keys with the master key. The first process makes them.
 * @throws DecryptionError when the stored keys were encrypted with another master key
 */
export const createKeyRing = async ({ knex, masterKey, now = Date.now }: KeyRingDeps): Promise<KeyRing> => {
  await ensureTokenKeys(knex, (purpose) => makeTokenKey(masterKey, purpose));
  const open = (row: TokenKeyRow) =>
    decryptBytes(masterKey, tokenKeyContext(row.purpose, row.kid), row.encrypted_secret);
  const openAccess = (row: TokenKeyRow): AccessKey => {
    const privateKey = createPrivateKey({ key: open(row), format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(privateKey);
    const x = publicKey.export({ format: 'jwk' }).x ?? '';
    const jwk = { kty: 'OKP', crv: 'Ed25519', x, kid: row.kid, alg: 'EdDSA', use: 'sig' } as const;
    return { ...lifetimeOf(row), privateKey, publicKey, jwk };
  };
  const load = async () => {
    const rows = await listTokenKeys(knex);
    const of = (purpose: string) => rows.filter((row) => row.purpose === purpose);
    const access = timed(of('access').map(openAccess), now);
    const widget = timed(
      of('widget').map((row): WidgetKey => ({ ...lifetimeOf(row), secretKey: createSecretKey(open(row)) })),
      now,
    );
    return { access, widget, loadedAt: now() };
  };

  let current = await load();
  const reload = createSingleFlight(async () => void (current = await load()), { late: 'join' });
  return {
    access: () => current.access(),
    widget: () => current.widget(),
    refresh: async () => {
      // The keys may be old whether the clock has gone on or was set back.
      if (Math.abs(now() - current.loadedAt) >= REFRESH_MS) await reload();
    },
  };
};

/**
 * Verifies that the master key opens the stored keys, and writes nothing.
 * @returns the number of keys
 * @throws DecryptionError when they were encrypted with another master key
 */
export const tryMasterKey = async ({ knex, masterKey }: Pick<KeyRingDeps, 'knex' | 'masterKey'>): Promise<number> => {
  const rows = await listTokenKeys(knex);
  for (const row of rows) decryptBytes(masterKey, tokenKeyContext(row.purpose, row.kid), row.encrypted_secret);
  return rows.length;
};

export interface FreshKeysDeps {
  readonly keyRing: KeyRing;
  /** Milliseconds between two reads; well below the time that a new key waits before it signs. */
  readonly everyMs: number;
  readonly log: Log;
}

/**
 * Reads the keys periodically, so that every process knows a key before any process signs with it, and soon refuses a
 * retired one. A failed read is retried at the next interval; until then the current keys stay in use.
 */
export const keepKeysFresh = ({ keyRing, everyMs, log }: FreshKeysDeps): { readonly stop: () => void } => {
  const trouble = createEpisode();
  const look = (): void => {
    const over = (): void => trouble.ends(() => log.info('The token keys are refreshed again'));
    keyRing.refresh().then(over, (error: unknown) => {
      // Only the text of a failed decryption is Carat's own; a driver's text may hold data that a log must not.
      const reason = error instanceof DecryptionError && { reason: error.message };
      const fields = { error: (error as Error).name, ...reason };
      trouble.begins(() => log.warn('The token keys cannot be refreshed', fields));
    });
  };
  const timer = setInterval(look, everyMs).unref();
  return { stop: () => clearInterval(timer) };
};
