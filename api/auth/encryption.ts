import { seal, unseal } from './seal.ts';

/** Keeps secrets that must be read again, sealed with the master key and bound to what they belong to. */
export interface Vault {
  /** @param context what the secret belongs to; the same is needed to open it */
  seal(context: string, secret: string): Buffer;
  /** @throws SealError when the bytes were sealed for something else or with another master key */
  open(context: string, sealed: Uint8Array): string;
}

export const createVault = (masterKey: Uint8Array): Vault => ({
  seal: (context, secret) => seal(masterKey, context, Buffer.from(secret)),
  open: (context, sealed) => unseal(masterKey, context, sealed).toString('utf8'),
});
