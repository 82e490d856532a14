import crypto from 'node:crypto';
import path from 'node:path';
import { startChain, type Chain, type ChainOptions } from '../../dev/stack/chain.ts';
import { freePorts } from '../../dev/process/ports.ts';
import { forgetProcess, recordProcess } from '../../dev/process/records.ts';
import { recordsOf, testStack } from './stack.ts';

/**
 * Starts an anvil of its own for a test: chain 31337 with blocks of 0.2 s unless told, in memory. Stop it in
 * `afterAll`; one that is left behind is ended before the next test file.
 */
export async function startTestChain(options: Partial<ChainOptions> = {}): Promise<Chain> {
  const { dir } = testStack();
  const records = recordsOf(dir, process.pid);
  const id = crypto.randomBytes(4).toString('hex');
  const [port = 0] = await freePorts(1);
  const chain = await startChain({
    name: `test chain ${id}`,
    port,
    chainId: 31337,
    blockTime: 0.2,
    logFile: path.join(dir, 'logs', `chain-${id}.log`),
    cacheDir: path.join(dir, `chain-${id}`),
    onSpawn: (pid) => recordProcess(records, 'anvil', pid),
    ...options,
  });
  const stop = async (): Promise<void> => {
    await chain.stop();
    forgetProcess(records, chain.pid);
  };
  return { ...chain, stop };
}
