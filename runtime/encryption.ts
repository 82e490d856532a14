import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The bytes cannot be decrypted: they were encrypted with another master key or for another context, or were changed.
 */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

/** Encrypts bytes with AES-256-GCM under the master key, bound to a context that decryption must repeat. */
export const encryptBytes = (masterKey: Uint8Array | KeyObject, context: string, secret: Uint8Array): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  );
  const body = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
};

/**
 * Decrypts the result of `encryptBytes` with the same key and context.
 * @throws DecryptionError
 */
export const decryptBytes = (masterKey: Uint8Array | KeyObject, context: string, encrypted: Uint8Array): Buffer => {
  const bytes = Buffer.from(encrypted);
  try {
    if (bytes[0] !== VERSION) throw new RangeError('unknown version');
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
    const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new DecryptionError(`The master key cannot decrypt ${context}`, { cause });
  }
};

/** Encrypts secrets that must be read again, bound to their owner. */
export interface Encryption {
  /** @param context the secret's owner; decryption needs the same */
  encrypt(context: string, secret: string): Buffer;
  /** @throws DecryptionError when the bytes were encrypted for something else or with another master key */
  decrypt(context: string, encrypted: Uint8Array): string;
}

/** Makes a key object once, because Node 24 takes twice as long with the bytes of a key. */
export const createEncryption = (masterKey: Uint8Array): Encryption => {
  const key = createSecretKey(masterKey);
  return {
    encrypt: (context, secret) => encryptBytes(key, context, Buffer.from(secret)),
    decrypt: (context, encrypted) => decryptBytes(key, context, encrypted).toString('utf8'),
  };
};
