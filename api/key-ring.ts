import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import type { Knex } from 'knex';
import { ensureTokenKeys, listTokenKeys, type KeyPurpose, type NewTokenKey } from '../db/token-keys.ts';
import type { Keys } from './openapi-types.ts';
import { seal, unseal } from './seal.ts';

interface AccessKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Keys['keys'][number];
}

interface WidgetKey {
  readonly kid: string;
  readonly secret: Buffer;
}

/** The keys that sign tokens, opened once and kept in memory. */
export interface KeyRing {
  /** Newest first; the first one signs. */
  access(): readonly AccessKey[];
  widget(): readonly WidgetKey[];
  /** Looks for keys that another process has made or retired since; at most once a second. */
  refresh(): Promise<void>;
}

export interface KeyRingDeps {
  readonly knex: Knex;
  readonly masterKey: Uint8Array;
  readonly now?: () => number;
}

const REFRESH_MS = 1_000;
const contextOf = (purpose: KeyPurpose, kid: string): string => `token key ${purpose} ${kid}`;

const makeKey =
  (masterKey: Uint8Array) =>
  (purpose: KeyPurpose): NewTokenKey => {
    const kid = randomBytes(6).toString('base64url').replaceAll('_', '-');
    const sealed = (secret: Uint8Array) => seal(masterKey, contextOf(purpose, kid), secret);
    if (purpose === 'widget') return { kid, purpose, public_jwk: null, sealed_secret: sealed(randomBytes(32)) };
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return {
      kid,
      purpose,
      public_jwk: { ...publicKey.export({ format: 'jwk' }) },
      sealed_secret: sealed(privateKey.export({ format: 'der', type: 'pkcs8' })),
    };
  };

/**
 * Opens the stored keys with the master key; the first process makes them.
 * @throws SealError when the stored keys were sealed with another master key
 */
export const createKeyRing = async ({ knex, masterKey, now = Date.now }: KeyRingDeps): Promise<KeyRing> => {
  await ensureTokenKeys(knex, makeKey(masterKey));
  let access: AccessKey[] = [];
  let widget: WidgetKey[] = [];
  let loadedAt = 0;
  let loading: Promise<void> | null = null;

  const load = async (): Promise<void> => {
    const rows = await listTokenKeys(knex);
    const open = (row: (typeof rows)[number]) => unseal(masterKey, contextOf(row.purpose, row.kid), row.sealed_secret);
    access = rows
      .filter((row) => row.purpose === 'access')
      .map((row) => {
        const privateKey = createPrivateKey({ key: open(row), format: 'der', type: 'pkcs8' });
        const publicKey = createPublicKey(privateKey);
        const x = publicKey.export({ format: 'jwk' }).x ?? '';
        return {
          kid: row.kid,
          privateKey,
          publicKey,
          jwk: { kty: 'OKP', crv: 'Ed25519', x, kid: row.kid, alg: 'EdDSA', use: 'sig' },
        };
      });
    widget = rows.filter((row) => row.purpose === 'widget').map((row) => ({ kid: row.kid, secret: open(row) }));
    loadedAt = now();
  };
  await load();

  return {
    access: () => access,
    widget: () => widget,
    refresh: async () => {
      if (now() - loadedAt < REFRESH_MS) return;
      // Whoever asks meanwhile waits for the same keys.
      loading ??= load().finally(() => {
        loading = null;
      });
      await loading;
    },
  };
};
