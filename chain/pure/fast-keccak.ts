import { keccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';

/**
 * Lets ethers hash by WebAssembly from now on in this process: its own Keccak-256 is plain JavaScript and takes more time
 * than all else that planning a payment does.
 */
export const useFastKeccak = async (): Promise<void> => {
  const hasher = await createKeccak(256);
  keccak256.register((data) => hasher.init().update(data).digest('binary'));
};
