import crypto from 'node:crypto';
import path from 'node:path';
import { startChain, type Chain, type ChainOptions } from '../../tools/stack/chain.ts';
import { startGeth, type ChainRules, type GethOptions } from '../../tools/stack/geth.ts';
import { startAvalanche } from './avalanche/avalanche.ts';
import { startBsc } from './bsc/bsc.ts';
import { startOpGeth } from './op-geth/op-geth.ts';
import { startHardhat, type HardhatOptions } from './hardhat/hardhat.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { forgetProcess, recordProcess } from '../../tools/process/records.ts';
import { recordsOf, testStack } from './stack.ts';

/** Options of a test's chain, for every client. */
interface TestPlace {
  readonly name: string;
  readonly port: number;
  readonly logFile: string;
  /** Of its own; removed after the run. */
  readonly folder: string;
  readonly onSpawn: (pid: number) => void;
}

const report = (line: string): void => void process.stderr.write(`${line}\n`);

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
 * Starts a separate anvil in memory for a test: by default chain 31337 with blocks of 0.2 s. Stop it in
 * `afterAll`; otherwise it ends before the next test file.
 */
export const startTestChain = (options: Partial<ChainOptions> = {}): Promise<Chain> =>
  started('anvil', ({ folder, ...place }) =>
    startChain({ ...place, chainId: 31337, blockTime: 0.2, cacheDir: folder, ...options }),
  );

/** A geth that can be stopped or killed, and restarted on its data. */
export interface TestGeth extends Chain {
  /** Stops it by the signal and starts it again, once `meanwhile` is done. */
  restart(signal: 'SIGTERM' | 'SIGKILL', meanwhile?: () => Promise<unknown>): Promise<void>;
}

/** Starts a separate geth for a test, with a block per second. Stop it like an anvil. */
export const startTestGeth = async (
  chainId: number,
  rules: ChainRules,
  more: Pick<GethOptions, 'flags' | 'withoutDeployer' | 'amsterdamAfter'> = {},
): Promise<TestGeth> => {
  let start: () => Promise<Chain>;
  let running: Chain;
  const first = await started('geth', async (place) => {
    start = () => startGeth({ ...place, chainId, rules, ...more, report });
    running = await start();
    return { ...running, stop: () => running.stop() };
  });
  return {
    ...first,
    restart: async (signal, meanwhile) => {
      if (signal === 'SIGKILL') {
        process.kill(running.pid, signal);
        await running.exited;
      }
      await running.stop();
      await meanwhile?.();
      running = await start();
    },
  };
};

/** Starts a separate Hardhat node for a test, with a block per second. Stop it like an anvil. */
export const startTestHardhat = (
  chainId: number,
  rules: ChainRules,
  more: Pick<HardhatOptions, 'transactionGasCap'> = {},
): Promise<Chain> => started('hardhat', (place) => startHardhat({ ...place, chainId, rules, ...more, report }));

/** Starts a separate op-geth for a test, with a block per second. Stop it like an anvil. */
export const startTestOpGeth = (chainId: number, flags: readonly string[] = []): Promise<Chain> =>
  started('op-geth', (place) => startOpGeth({ ...place, chainId, flags, report }));

/** Starts a separate bsc for a test, with a block each 450 ms. Stop it like an anvil. */
export const startTestBsc = (chainId: number): Promise<Chain> =>
  started('bsc', (place) => startBsc({ ...place, chainId, report }));

/** Starts a separate avalanchego for a test, whose C-Chain has a block each two seconds. Stop it like an anvil. */
export const startTestAvalanche = (chainId: number): Promise<Chain> =>
  started('avalanchego', (place) => startAvalanche({ ...place, chainId, report }));
