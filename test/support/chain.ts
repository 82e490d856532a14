import crypto from 'node:crypto';
import path from 'node:path';
import { startChain, type Chain, type ChainOptions } from '../../dev/stack/chain.ts';
import { startGeth, type ChainRules, type GethOptions } from '../../dev/stack/geth.ts';
import { startHardhat, type HardhatOptions } from '../../dev/hardhat/hardhat.ts';
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

/** A geth that may be stopped, or killed, and go on with what it has written. */
export interface TestGeth extends Chain {
  /** Stops it by the signal and starts it again, once `meanwhile` is done. */
  restart(signal: 'SIGTERM' | 'SIGKILL', meanwhile?: () => Promise<unknown>): Promise<void>;
}

/** Starts a geth of its own for a test, with blocks of a second; it is stopped as an anvil is. */
export const startTestGeth = async (
  chainId: number,
  rules: ChainRules,
  more: Pick<GethOptions, 'flags' | 'withoutDeployer' | 'amsterdamAfter'> = {},
): Promise<TestGeth> => {
  let start: () => Promise<Chain>;
  let running: Chain;
  const first = await started('geth', async (place) => {
    const report = (line: string): void => void process.stderr.write(`${line}\n`);
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

/** Starts a node of Hardhat of its own for a test, with blocks of a second; it is stopped as an anvil is. */
export const startTestHardhat = (
  chainId: number,
  rules: ChainRules,
  more: Pick<HardhatOptions, 'transactionGasCap'> = {},
): Promise<Chain> =>
  started('hardhat', (place) =>
    startHardhat({ ...place, chainId, rules, ...more, report: (line) => process.stderr.write(`${line}\n`) }),
  );
