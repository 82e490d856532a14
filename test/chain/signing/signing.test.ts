import crypto from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { SigningKey, Transaction, Wallet, hexlify, randomBytes } from 'ethers';
import { isAboveCeiling, marketFees, raise, replacementFees } from '../../../chain/signing/fees.ts';
import { KeystoreError, createKeystore, openKeystore } from '../../../chain/signing/keystore.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';

const random = (bytes: number): bigint => BigInt(hexlify(randomBytes(bytes)));

describe('a signed transaction', () => {
  it('is equal to that of ethers, byte for byte', async () => {
    const key = hexlify(randomBytes(32));
    const signer = createKeySigner(key);
    const wallet = new Wallet(key);
    expect(signer.address).toBe(wallet.address.toLowerCase());
    for (const length of [0, 1, 31, 32, 55, 56, 57, 255, 256, 1_000]) {
      for (const nonce of length === 1_000 ? [0, 70_000] : [0, 1, 127, 128, 255, 256]) {
        const request = {
          nonce,
          to: hexlify(randomBytes(20)),
          data: length === 0 ? '0x' : hexlify(randomBytes(length)),
          value: nonce % 2 === 0 ? 0n : random(9),
          gasLimit: random(3),
          maxFeePerGas: random(5) + 1n,
          maxPriorityFeePerGas: nonce % 2 === 0 ? 0n : 1n,
        };
        const eip155 = 1 + nonce * 3;
        const { raw, hash } = await signer.sign({ eip155, ...request });
        expect(raw).toBe(await wallet.signTransaction({ type: 2, chainId: eip155, ...request }));
        expect(hash).toBe(Transaction.from(raw).hash);
      }
    }
  });

  it('may carry more than 64 KiB', async () => {
    const key = hexlify(randomBytes(32));
    const fees = { gasLimit: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    const request = { nonce: 1, to: hexlify(randomBytes(20)), data: hexlify(randomBytes(65_536)), value: 0n, ...fees };
    const { raw } = await createKeySigner(key).sign({ eip155: 1, ...request });
    expect(raw).toBe(await new Wallet(key).signTransaction({ type: 2, chainId: 1, ...request }));
  });

  it('and a signed digest are equal to those of ethers', async () => {
    for (let round = 0; round < 200; round += 1) {
      const [key, digest] = [hexlify(randomBytes(32)), hexlify(randomBytes(32))];
      expect(await createKeySigner(key).signDigest(digest)).toBe(new SigningKey(key).sign(digest).compactSerialized);
    }
  });

  it('is refused without a key, and the error does not quote it', () => {
    expect(() => createKeySigner('0xdeadbeef')).toThrow('not a private key');
    expect(() => createKeySigner('0xdeadbeef')).not.toThrow(/deadbeef/);
  });
});

describe('a keystore', () => {
  let folder: string;
  const keys = [1, 2, 3].map(() => hexlify(randomBytes(32)));
  const passphrase = 'correct horse battery staple';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'carat-keystore-'));
    await createKeystore(path.join(folder, 'keys.json'), passphrase, keys);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('opens by one key derivation, whatever the number of keys, and signs with each', async () => {
    const file = path.join(folder, 'keys.json');
    const derivations = mock.method(crypto, 'scrypt');
    syncBuiltinESMExports();
    const store = await openKeystore(file, passphrase).finally(() => {
      mock.restoreAll();
      syncBuiltinESMExports();
    });
    expect(derivations.mock.callCount()).toBe(1);
    // About 0.3 s on a usual machine.
    expect(derivations.mock.calls[0]!.arguments[3]).toMatchObject({ N: 2 ** 17 });
    expect(store.addresses).toEqual(keys.map((key) => new Wallet(key).address.toLowerCase()));
    for (const address of store.addresses) expect(store.signer(address).address).toBe(address);
    expect(() => store.signer(`0x${'11'.repeat(20)}`)).toThrow(KeystoreError);
  });

  it('holds nothing in plain text and belongs to its owner alone', async () => {
    const file = path.join(folder, 'keys.json');
    const text = await readFile(file, 'utf8');
    for (const key of keys) {
      expect(text).not.toContain(key.slice(2));
      expect(text).not.toContain(Buffer.from(key.slice(2), 'hex').toString('base64').slice(0, 20));
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(createKeystore(file, passphrase, keys)).rejects.toThrow('a keystore is never overwritten');
  });

  it('does not open with another passphrase, nor after any change', async () => {
    const file = path.join(folder, 'keys.json');
    await expect(openKeystore(file, 'wrong')).rejects.toThrow(KeystoreError);
    const stored = JSON.parse(await readFile(file, 'utf8')) as { addresses: string[]; ciphertext: string };
    const changed = path.join(folder, 'changed.json');
    await writeFile(changed, JSON.stringify({ ...stored, addresses: [...stored.addresses].reverse() }));
    await expect(openKeystore(changed, passphrase)).rejects.toThrow(KeystoreError);
    await writeFile(
      changed,
      JSON.stringify({ ...stored, ciphertext: stored.ciphertext.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) }),
    );
    await expect(openKeystore(changed, passphrase)).rejects.toThrow(/wrong passphrase|changed/);
    await writeFile(changed, '{}');
    await expect(openKeystore(changed, passphrase)).rejects.toThrow(/not a keystore/);
    await expect(openKeystore(path.join(folder, 'none.json'), passphrase)).rejects.toThrow(/ENOENT/);
    await expect(createKeystore(path.join(folder, 'open.json'), '', keys)).rejects.toThrow(KeystoreError);
  });
});

describe('fees', () => {
  const gwei = 10n ** 9n;

  it('leave room for a base fee that doubles, under the ceiling', () => {
    const market = { baseFee: 10n * gwei, priorityFee: gwei };
    expect(marketFees(market, 100n * gwei)).toEqual({ maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei });
    expect(marketFees(market, 15n * gwei).maxFeePerGas).toBe(15n * gwei);
    expect(marketFees({ baseFee: 0n, priorityFee: 5n }, 3n)).toEqual({ maxFeePerGas: 3n, maxPriorityFeePerGas: 3n });
    expect(isAboveCeiling(market, 11n * gwei)).toBe(false);
    expect(isAboveCeiling(market, 11n * gwei - 1n)).toBe(true);
  });

  it('rise by an eighth, rounded up, and always by something', () => {
    for (let i = 0; i < 2_000; i += 1) {
      const fee = i < 200 ? BigInt(i) : random(6);
      const raised = raise(fee);
      expect(raised * 8n).toBeGreaterThanOrEqual(fee * 9n);
      expect(raised).toBeGreaterThan(fee);
      expect(raised - 1n === fee || (raised - 1n) * 8n < fee * 9n).toBe(true);
    }
  });

  it('of a replacement are both higher, follow the market, and stop at the ceiling', () => {
    const old = { maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gwei };
    const calm = { baseFee: gwei, priorityFee: gwei };
    expect(replacementFees(old, calm, 100n * gwei)).toEqual({
      maxFeePerGas: raise(old.maxFeePerGas),
      maxPriorityFeePerGas: raise(old.maxPriorityFeePerGas),
    });
    const hot = { baseFee: 40n * gwei, priorityFee: 3n * gwei };
    expect(replacementFees(old, hot, 100n * gwei)).toEqual({
      maxFeePerGas: 83n * gwei,
      maxPriorityFeePerGas: 3n * gwei,
    });
    expect(replacementFees(old, hot, 60n * gwei)).toEqual({
      maxFeePerGas: 60n * gwei,
      maxPriorityFeePerGas: 3n * gwei,
    });
    expect(replacementFees(old, calm, 22n * gwei)).toBeNull();
  });
});
