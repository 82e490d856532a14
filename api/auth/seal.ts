import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text does not open: another master key, or the bytes were changed. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Seals bytes with AES-256-GCM under the master key, bound to a context that must be named again to open them. */
export const seal = (masterKey: Uint8Array, context: string, secret: Uint8Array): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  );
  const body = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
};

/**
 * Opens what `seal` made with the same key and context.
 * @throws SealError
 */
export const unseal = (masterKey: Uint8Array, context: string, sealed: Uint8Array): Buffer => {
  const bytes = Buffer.from(sealed);
  try {
    if (bytes[0] !== VERSION) throw new RangeError('unknown version');
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
    const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new SealError(`The master key does not open ${context}`, { cause });
  }
};
