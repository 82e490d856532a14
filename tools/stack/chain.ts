import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { startProcess, type RunningProcess } from '../process/process.ts';

/** The public development phrase of anvil; its accounts hold coins of development chains only. */
export const devMnemonic = 'test test test test test test test test test test test junk';

export interface ChainOptions {
  /** Name in messages and logs. */
  readonly name: string;
  /** Listen address. Default 127.0.0.1. */
  readonly host?: string;
  readonly port: number;
  /** EIP-155 chain id. */
  readonly chainId: number;
  /** Seconds between blocks; fractions are allowed. */
  readonly blockTime: number;
  readonly logFile: string;
  /** File of the saved chain, written every second. Without it the chain is lost when it stops. */
  readonly stateFile?: string;
  /** Folder for anvil's disk cache. */
  readonly cacheDir: string;
  /** Gas limit of a block. Default 30,000,000. */
  readonly gasLimit?: number;
  /** Number of funded accounts. Default 20. */
  readonly accounts?: number;
  /** BIP-39 phrase of the funded accounts. Default {@link devMnemonic}. */
  readonly mnemonic?: string;
  /** `finalized` is twice this many blocks behind the tip. Default 4. */
  readonly slotsInEpoch?: number;
  readonly onSpawn?: (pid: number) => void;
}

export interface Chain extends RunningProcess {
  /** JSON-RPC over HTTP; the same port serves WebSocket. */
  readonly url: string;
  readonly chainId: number;
}

/** Starts an anvil with interval mining and waits until it answers. */
export const startChain = async (options: ChainOptions): Promise<Chain> => {
  const { name, port, chainId, stateFile } = options;
  const url = `http://127.0.0.1:${port}`;
  fs.mkdirSync(options.cacheDir, { recursive: true });
  if (stateFile) {
    usableState(stateFile);
    keepFirstGenesis(stateFile);
  }
  const running = await startProcess({
    name,
    command: binaryPath('anvil'),
    args: [
      '--host',
      options.host ?? '127.0.0.1',
      '--port',
      String(port),
      '--chain-id',
      String(chainId),
      '--block-time',
      String(options.blockTime),
      '--gas-limit',
      String(options.gasLimit ?? 30_000_000),
      '--accounts',
      String(options.accounts ?? 20),
      '--mnemonic',
      options.mnemonic ?? devMnemonic,
      '--slots-in-an-epoch',
      String(options.slotsInEpoch ?? 4),
      '--cache-path',
      options.cacheDir,
      ...(stateFile ? ['--state', stateFile, '--state-interval', '1'] : []),
      // Batches of signed transactions exceed anvil's default limit of 2 MB.
      '--no-request-size-limit',
      '--quiet',
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
};

const copyOf = (file: string): string => `${file}.copy`;

/** anvil writes this field last, so a file that ends with it is complete. */
const lastField = /"historical_states":.*\}\s*$/s;

/** True when the saved chain is complete. */
const isWhole = (file: string): boolean => {
  let handle: number;
  try {
    handle = fs.openSync(file, 'r');
  } catch {
    return false;
  }
  try {
    const { size } = fs.fstatSync(handle);
    const end = Buffer.alloc(Math.min(size, 256));
    fs.readSync(handle, end, 0, end.length, size - end.length);
    return lastField.test(end.toString('latin1'));
  } finally {
    fs.closeSync(handle);
  }
};

/**
 * Prepares the file of a saved chain for the next start. anvil overwrites it in place, so a kill can leave a partial
 * file; then the last complete copy replaces it.
 * @throws Error when the file exists but neither it nor its copy is complete
 */
const usableState = (file: string): void => {
  if (!fs.existsSync(file) || isWhole(file)) return;
  const copy = copyOf(file);
  if (!isWhole(copy)) throw new Error(`the saved chain ${file} is broken; run: npm run reset`);
  fs.copyFileSync(copy, file);
};

interface SavedChain {
  readonly blocks: readonly { readonly header: { readonly number: string; readonly timestamp: string } }[];
}

/**
 * Keeps only the first block 0 in the file of a saved chain. anvil makes a new one at each start, saves it beside the
 * others, and later serves any of them.
 */
const keepFirstGenesis = (file: string): void => {
  if (!fs.existsSync(file)) return;
  const saved = JSON.parse(fs.readFileSync(file, 'utf8')) as SavedChain;
  const timeOf = ({ header }: SavedChain['blocks'][number]): number => Number(header.timestamp);
  const all = saved.blocks.filter(({ header }) => Number(header.number) === 0).sort((a, b) => timeOf(a) - timeOf(b));
  if (all.length < 2) return;
  const blocks = saved.blocks.filter((block) => block === all[0] || !all.includes(block));
  fs.writeFileSync(`${file}.new`, JSON.stringify({ ...saved, blocks }));
  fs.renameSync(`${file}.new`, file);
};

/** Copies the file of a running chain soon after each change; returns the function that stops this. */
const keepCopy = (file: string): (() => void) => {
  const copy = copyOf(file);
  const next = `${copy}.new`;
  let copied = 0;
  const timer = setInterval(() => {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    // Large files are copied less often: 1 s for each 8 MiB.
    if (!stat || stat.mtimeMs === copied || stat.mtimeMs - copied < stat.size / 8_000) return;
    fs.copyFileSync(file, next);
    if (!isWhole(next)) return;
    fs.renameSync(next, copy);
    copied = stat.mtimeMs;
  }, 200);
  timer.unref();
  return () => clearInterval(timer);
};

/**
 * Makes one JSON-RPC call.
 * @throws Error with the chain's message when it returns an error, or when it does not respond within 50 s
 */
export const rpc = async (url: string, method: string, params: unknown[] = []): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(50_000),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
};

/**
 * Path of a Foundry program in this platform's package. It runs without the package's wrapper script, so that its
 * process id is known and signals reach it.
 */
export const binaryPath = (tool: 'anvil' | 'forge'): string => {
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
};
