import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { startProcess, type RunningProcess } from '../process/process.ts';
import { keepCopy, usableState } from './chain-state.ts';

/** The public development phrase of anvil; its accounts hold coins of development chains only. */
export const devMnemonic = 'test test test test test test test test test test test junk';

/** How a development chain is started. */
export interface ChainOptions {
  /** What it is called in messages and logs. */
  name: string;
  port: number;
  /** EIP-155 chain id. */
  chainId: number;
  /** Seconds between blocks; fractions are allowed. */
  blockTime: number;
  logFile: string;
  /** File that the whole chain is kept in, saved every second. Without it the chain is gone when it stops. */
  stateFile?: string;
  /** Folder for what anvil spills to disk. */
  cacheDir: string;
  /** Gas limit of a block. Default 30,000,000. */
  gasLimit?: number;
  /** Number of funded accounts. Default 20. */
  accounts?: number;
  /** BIP-39 phrase of the funded accounts. Default {@link devMnemonic}. */
  mnemonic?: string;
  /** `finalized` is twice this many blocks behind the tip. Default 4. */
  slotsInEpoch?: number;
  onSpawn?: (pid: number) => void;
}

/** A running development chain. */
export interface Chain extends RunningProcess {
  /** JSON-RPC over HTTP; the same port serves WebSocket. */
  url: string;
  chainId: number;
}

/** Starts an anvil on 127.0.0.1 with interval mining and waits until it answers. */
export async function startChain(options: ChainOptions): Promise<Chain> {
  const { name, port, chainId, stateFile } = options;
  const url = `http://127.0.0.1:${port}`;
  fs.mkdirSync(options.cacheDir, { recursive: true });
  if (stateFile) usableState(stateFile);
  const running = await startProcess({
    name,
    command: binaryPath('anvil'),
    args: [
      ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)],
      ...['--block-time', String(options.blockTime), '--gas-limit', String(options.gasLimit ?? 30_000_000)],
      ...['--accounts', String(options.accounts ?? 20), '--mnemonic', options.mnemonic ?? devMnemonic],
      ...['--slots-in-an-epoch', String(options.slotsInEpoch ?? 4), '--cache-path', options.cacheDir],
      ...(stateFile ? ['--state', stateFile, '--state-interval', '1'] : []),
      // Batches of signed transactions are larger than the 2 MB that anvil takes by default.
      ...['--no-request-size-limit', '--quiet'],
    ],
    logFile: options.logFile,
    isReady: async () => (await rpc(url, 'eth_chainId')) === `0x${chainId.toString(16)}`,
    onSpawn: options.onSpawn,
  });
  const endCopies = stateFile ? keepCopy(stateFile) : () => {};
  const stop = async (): Promise<void> => {
    endCopies();
    await running.stop();
  };
  return { ...running, stop, url, chainId };
}

/**
 * One JSON-RPC call.
 *
 * @throws Error with the node's message when it answers with an error, or when it does not answer within 5 s
 */
export async function rpc(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(5_000),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

/**
 * Path of a Foundry program in the package of this platform. It is started directly and not through the package's
 * wrapper script, so that its process id is known and a signal reaches it.
 */
export function binaryPath(tool: 'anvil' | 'forge'): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const pkg = `@foundry-rs/${tool}-${process.platform}-${arch}`;
  const wrapper = createRequire(import.meta.url).resolve(`@foundry-rs/${tool}/package.json`);
  try {
    const manifest = createRequire(wrapper).resolve(`${pkg}/package.json`);
    return path.join(path.dirname(manifest), 'bin', tool);
  } catch (error) {
    throw new Error(`${tool} is not available for ${process.platform} ${process.arch}: ${pkg} is not installed`, {
      cause: error,
    });
  }
}
