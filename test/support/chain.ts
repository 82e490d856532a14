import crypto from 'node:crypto';
import path from 'node:path';
import { startChain, type Chain, type ChainOptions } from '../../dev/stack/chain.ts';
import { startGeth, type ChainRules } from '../../dev/stack/geth.ts';
import { freePorts } from '../../dev/process/ports.ts';
import { forgetProcess, recordProcess } from '../../dev/process/records.ts';
import { recordsOf, testStack } from './stack.ts';

/** What a chain of a test is started with, whatever client it is. */
interface TestPlace {
  readonly name: string;
  readonly port: number;
  readonly logFile: string;
  /** Of its own; removed after the run. */
  readonly folder: string;
  readonly onSpawn: (pid: number) => void;
}

const started = async (client: string, start: (place: TestPlace) => Promise<Chain>): Promise<Chain> => {
  const { dir } = testStack();
  const records = recordsOf(dir, process.pid);
  const id = crypto.randomBytes(4).toString('hex');
  const [port = 0] = await freePorts(1);
  const chain = await start({
    name: `test chain ${id}`,
    port,
    logFile: path.join(dir, 'logs', `chain-${id}.log`),
    folder: path.join(dir, `chain-${id}`),
    onSpawn: (pid) => recordProcess(records, client, pid),
  });
  const stop = async (): Promise<void> => {
    await chain.stop();
    forgetProcess(records, chain.pid);
  };
  return { ...chain, stop };
};

/**
 * Starts an anvil of its own for a test: chain 31337 with blocks of 0.2 s unless told, in memory. Stop it in
 * `afterAll`; one that is left behind is ended before the next test file.
 */
export const startTestChain = (options: Partial<ChainOptions> = {}): Promise<Chain> =>
  started('anvil', ({ folder, ...place }) =>
    startChain({ ...place, chainId: 31337, blockTime: 0.2, cacheDir: folder, ...options }),
  );

/** Starts a geth of its own for a test, with blocks of a second; it is stopped as an anvil is. */
export const startTestGeth = (chainId: number, rules: ChainRules): Promise<Chain> =>
  started('geth', (place) =>
    startGeth({ ...place, chainId, rules, report: (line) => process.stderr.write(`${line}\n`) }),
  );
