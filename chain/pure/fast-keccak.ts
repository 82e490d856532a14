import { keccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';

/**
 * Replaces the Keccak-256 of ethers by WebAssembly in this process: the original is plain JavaScript and takes more
 * time than the rest of planning a payment.
 */
export const useFastKeccak = async (): Promise<void> => {
  const hasher = await createKeccak(256);
  keccak256.register((data) => hasher.init().update(data).digest('binary'));
};
