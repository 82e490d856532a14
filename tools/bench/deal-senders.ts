import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import { contracts } from '../../chain/pure/contracts.ts';
import { sendRaw } from './buyers.ts';
import type { Variant } from './interleave.ts';

interface Target {
  readonly url: string;
  readonly eip155: number;
  readonly diamond: string;
  readonly batcher: string;
}

const randomDeal = () => ({ dealId: randomInt(1, 2 ** 47), termsHash: ethers.hexlify(randomBytes(32)) });

const tunedProvider = ({ url, eip155 }: Target): ethers.JsonRpcProvider => {
  const provider = new ethers.JsonRpcProvider(url, eip155, {
    staticNetwork: true,
    cacheTimeout: -1,
    batchStallTime: 0,
  });
  provider.pollingInterval = 20;
  return provider;
};

const gasFor = (deals: number): number => 60_000 + deals * 30_000;

/** The call that creates deals: one on the diamond directly, more through the batcher. */
const callOf = (target: Target, count: number): { to: string; data: string } => {
  const deals = Array.from({ length: count }, randomDeal);
  if (count === 1) {
    return { to: target.diamond, data: contracts.deal.interface.encodeFunctionData('createDeals', [deals]) };
  }
  const batches = [[target.diamond, gasFor(count), deals]];
  return { to: target.batcher, data: contracts.batcher.interface.encodeFunctionData('createDeals', [batches]) };
};

/**
 * The limit of the chain: pre-signed transactions, sent in nonce order by JSON-RPC batches of 100, until the last one
 * is mined. Nothing is stored or read back.
 * @param perTransaction deals per transaction; one goes to the diamond directly, more through the batcher
 */
export const presigned = (
  name: string,
  target: Target,
  key: string,
  count: number,
  perTransaction: number,
): Variant => {
  const wallet = new ethers.Wallet(key);
  const provider = tunedProvider(target);
  let signed: string[] = [];
  let lastNonce = 0;
  return {
    name,
    unit: 'deals',
    prepare: async () => {
      const first = await provider.getTransactionCount(wallet.address);
      const transactions = count / perTransaction;
      lastNonce = first + transactions;
      signed = [];
      for (let nonce = first; nonce < lastNonce; nonce += 1) {
        signed.push(
          await wallet.signTransaction({
            ...callOf(target, perTransaction),
            nonce,
            type: 2,
            chainId: target.eip155,
            gasLimit: gasFor(perTransaction),
            maxFeePerGas: 100_000_000_000n,
            maxPriorityFeePerGas: 1_000_000_000n,
          }),
        );
      }
    },
    slot: async () => {
      const started = performance.now();
      for (let i = 0; i < signed.length; i += 100) await sendRaw(target.url, signed.slice(i, i + 100));
      while ((await provider.getTransactionCount(wallet.address)) < lastNonce) await delay(5);
      return { count, ms: performance.now() - started };
    },
  };
};
