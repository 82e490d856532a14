import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createKeySigner, type Signer } from './signer.ts';

/** Signers of an opened keystore. */
export interface Keystore {
  /** Lower-case, in the order in which the keys were stored. */
  readonly addresses: readonly string[];
  /** @throws Error when the keystore has no key of this address */
  signer(address: string): Signer;
}

/** A keystore that cannot be read, opened or written. The message contains neither passphrase nor keys. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
}

/** The file. One key derivation for all keys: opening takes as long for fifty keys as for one (docs/decisions/0016). */
interface KeystoreFile {
  readonly version: 1;
  /** Not secret: the keys' addresses, so that they can be registered without the passphrase. */
  readonly addresses: readonly string[];
  readonly kdf: {
    readonly name: 'scrypt';
    readonly n: number;
    readonly r: number;
    readonly p: number;
    readonly salt: string;
  };
  readonly cipher: { readonly name: 'aes-256-gcm'; readonly iv: string; readonly tag: string };
  /** The private keys, 32 bytes each. */
  readonly ciphertext: string;
}

/** The parameters of the Web3 Secret Storage definition: about 0.3 s and 128 MiB. */
const KDF = { name: 'scrypt', n: 2 ** 17, r: 8, p: 1 } as const;

/** Cost of a keystore whose keys are public anyway, such as those of development: a millisecond, 1 MiB. */
export const PUBLIC_KEYS_COST = 2 ** 10;

const derive = (passphrase: string, { n, r, p, salt }: KeystoreFile['kdf']): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: 256 * n * r };
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, options, (error, key) => {
      if (error) reject(new KeystoreError('the key derivation of the keystore failed'));
      else resolve(key);
    });
  });

/** The plain part of the file, authenticated with the ciphertext so that no part can be exchanged. */
const bound = ({ version, addresses, kdf }: Pick<KeystoreFile, 'version' | 'addresses' | 'kdf'>): Buffer =>
  Buffer.from(JSON.stringify([version, addresses, kdf.name, kdf.n, kdf.r, kdf.p, kdf.salt]));

/**
 * Writes keys encrypted into a new file (scrypt, AES-256-GCM; mode 0600).
 * @param privateKeys 32 bytes each as 0x-prefixed hex
 * @param n cost of the key derivation, a power of 2
 * @returns the addresses, lower-case
 * @throws KeystoreError when the passphrase is empty, or the file exists or cannot be written
 */
export const createKeystore = async (
  path: string,
  passphrase: string,
  privateKeys: readonly string[],
  n: number = KDF.n,
): Promise<readonly string[]> => {
  if (passphrase === '') throw new KeystoreError('a keystore needs a passphrase');
  const addresses = privateKeys.map((key) => createKeySigner(key).address);
  const kdf = { ...KDF, n, salt: randomBytes(32).toString('base64') };
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, kdf), iv);
  cipher.setAAD(bound({ version: 1, addresses, kdf }));
  const plain = Buffer.concat(privateKeys.map((key) => Buffer.from(key.slice(2), 'hex')));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]).toString('base64');
  plain.fill(0);
  const file: KeystoreFile = {
    version: 1,
    addresses,
    kdf,
    cipher: { name: 'aes-256-gcm', iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64') },
    ciphertext,
  };
  try {
    await writeFile(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new KeystoreError(`${path} exists, and a keystore is never overwritten`);
    throw new KeystoreError(`${path} cannot be written (${code})`);
  }
  return addresses;
};

const read = async (path: string): Promise<KeystoreFile> => {
  let file: Partial<KeystoreFile>;
  try {
    file = JSON.parse(await readFile(path, 'utf8')) as Partial<KeystoreFile>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeystoreError(code ? `the keystore ${path} cannot be read (${code})` : `${path} is not a keystore`);
  }
  const { kdf, cipher } = file;
  if (file.version !== 1 || kdf?.name !== 'scrypt' || cipher?.name !== 'aes-256-gcm') {
    throw new KeystoreError(`${path} is not a keystore of a known version`);
  }
  // A foreign file must not make this process allocate all memory.
  if (!(kdf.n <= 2 ** 20 && kdf.r <= 32 && kdf.p <= 16)) throw new KeystoreError(`${path} asks for too much memory`);
  return file as KeystoreFile;
};

/**
 * The private keys of a keystore file, for another keystore.
 * @returns 32 bytes each as 0x-prefixed hex, in the order in which they were stored
 * @throws KeystoreError for a missing or damaged file or a wrong passphrase
 */
export const readPrivateKeys = async (path: string, passphrase: string): Promise<readonly string[]> => {
  const file = await read(path);
  const decipher = createDecipheriv(
    'aes-256-gcm',
    await derive(passphrase, file.kdf),
    Buffer.from(file.cipher.iv, 'base64'),
    { authTagLength: 16 },
  );
  decipher.setAAD(bound(file));
  decipher.setAuthTag(Buffer.from(file.cipher.tag, 'base64'));
  let plain: Buffer;
  try {
    plain = Buffer.concat([decipher.update(Buffer.from(file.ciphertext, 'base64')), decipher.final()]);
  } catch {
    throw new KeystoreError(`the keystore ${path} does not open: wrong passphrase, or the file was changed`);
  }
  const keys = file.addresses.map((_, index) => `0x${plain.subarray(index * 32, index * 32 + 32).toString('hex')}`);
  plain.fill(0);
  return keys;
};

/**
 * Opens a keystore file.
 * @throws KeystoreError for a missing or damaged file or a wrong passphrase
 */
export const openKeystore = async (path: string, passphrase: string): Promise<Keystore> => {
  const signers = (await readPrivateKeys(path, passphrase)).map((key) => createKeySigner(key));
  return {
    addresses: signers.map((signer) => signer.address),
    signer(address) {
      const found = signers.find((signer) => signer.address === address.toLowerCase());
      if (!found) throw new KeystoreError(`the keystore has no key of ${address}`);
      return found;
    },
  };
};
