import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypted bytes can not be read: another master key, or the bytes were changed. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

/** Encrypts bytes with AES-256-GCM under the master key, bound to a context that must be named again to open them. */
export const encryptBytes = (masterKey: Uint8Array, context: string, secret: Uint8Array): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  );
  const body = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
};

/**
 * Decrypts what `encryptBytes` made with the same key and context.
 * @throws DecryptionError
 */
export const decryptBytes = (masterKey: Uint8Array, context: string, encrypted: Uint8Array): Buffer => {
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
    throw new DecryptionError(`The master key does not open ${context}`, { cause });
  }
};

/** Keeps secrets that must be read again, encrypted with the master key and bound to what they belong to. */
export interface Encryption {
  /** @param context what the secret belongs to; the same is needed to decrypt it */
  encrypt(context: string, secret: string): Buffer;
  /** @throws DecryptionError when the bytes were encrypted for something else or with another master key */
  decrypt(context: string, encrypted: Uint8Array): string;
}

export const createEncryption = (masterKey: Uint8Array): Encryption => ({
  encrypt: (context, secret) => encryptBytes(masterKey, context, Buffer.from(secret)),
  decrypt: (context, encrypted) => decryptBytes(masterKey, context, encrypted).toString('utf8'),
});
