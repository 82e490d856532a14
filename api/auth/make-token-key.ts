import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyPurpose, NewTokenKey } from '../../db/auth/token-keys.ts';
import { encryptBytes } from './encryption.ts';

/** What a sealed key is bound to, so that the bytes of one open as no other. */
export const tokenKeyContext = (purpose: KeyPurpose, kid: string): string => `token key ${purpose} ${kid}`;

/** A new random key, its secret part sealed with the master key: Ed25519 for access tokens, 256 bits for HMAC else. */
export const makeTokenKey = (masterKey: Uint8Array, purpose: KeyPurpose): NewTokenKey => {
  const kid = randomBytes(6).toString('base64url').replaceAll('_', '-');
  const sealed = (secret: Uint8Array) => encryptBytes(masterKey, tokenKeyContext(purpose, kid), secret);
  if (purpose === 'widget') return { kid, purpose, public_jwk: null, sealed_secret: sealed(randomBytes(32)) };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    kid,
    purpose,
    public_jwk: { ...publicKey.export({ format: 'jwk' }) },
    sealed_secret: sealed(privateKey.export({ format: 'der', type: 'pkcs8' })),
  };
};
