import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ethers } from 'ethers';
import { release } from '../../chain/pure/releases.ts';
import { startProcess } from '../process/process.ts';
import { devMnemonic, rpc, type Chain, type ChainOptions } from './chain.ts';
import { buildGo, cachedProgram, pinnedVersion, type GoModule, type Report } from './program.ts';

const run = promisify(execFile);

/** The Go module that `geth` is built from. */
const gethModule: GoModule = {
  name: 'geth',
  folder: 'tools/geth',
  module: 'github.com/ethereum/go-ethereum',
  package: 'github.com/ethereum/go-ethereum/cmd/geth',
  seconds: 100,
};

/**
 * Finds geth in the user's cache, or builds it from its pinned Go module. A geth on the PATH is not used, because its
 * version may have other rules.
 * @returns path of the program
 * @throws Error when Go is missing, or the build fails
 */
const gethBinary = (report: Report): Promise<string> => {
  const version = pinnedVersion(gethModule);
  return cachedProgram(
    {
      name: 'geth',
      version,
      proof: ['version'],
      ways: [(target) => buildGo(target, gethModule, process.env, report)],
      explain: ([build]) => `geth ${version} is not available; install Go (https://go.dev/dl); tried now: ${build}`,
    },
    process.env,
    report,
  );
};

/** Rules of Ethereum by fork: today's, and those after EIP-8037 and EIP-8038. */
export type ChainRules = 'osaka' | 'amsterdam';

export interface GethOptions extends Pick<ChainOptions, 'name' | 'port' | 'chainId' | 'logFile' | 'onSpawn'> {
  readonly rules: ChainRules;
  /** Seconds after genesis at which Amsterdam's rules begin, on a chain that begins with today's. */
  readonly amsterdamAfter?: number;
  /** Whole seconds between blocks. Default 1. */
  readonly blockTime?: number;
  /** Gas limit of a block. Default 60,000,000. */
  readonly gasLimit?: number;
  /** Omits the deterministic deployer, which the genesis of `geth --dev` has. */
  readonly withoutDeployer?: boolean;
  /** More flags, such as `--rpc.batch-request-limit`. */
  readonly flags?: readonly string[];
  /** Folder of the chain; an existing chain continues. */
  readonly folder: string;
  readonly report?: Report;
}

/** The genesis of `geth --dev`; it includes the deterministic deployer. */
interface Genesis {
  readonly config: Record<string, unknown> & { readonly blobSchedule: Record<string, unknown> };
  readonly alloc: Record<string, unknown>;
}

const COINS = `0x${(10n ** 22n).toString(16)}`;
const ACCOUNTS = 20;

/**
 * The genesis of `geth --dev` with one set of rules from the first block on, and coins for the development accounts.
 */
const genesisOf = async (
  geth: string,
  { chainId, rules, amsterdamAfter, withoutDeployer = false }: GethOptions,
  gasLimit: number,
): Promise<unknown> => {
  const { stdout } = await run(geth, ['--dev', 'dumpgenesis']);
  const usual = JSON.parse(stdout) as Genesis;
  // Without this it includes rules of a later fork.
  const { bogotaTime: _, ...config } = usual.config;
  const { prague } = usual.config.blobSchedule;
  const phrase = ethers.Mnemonic.fromPhrase(devMnemonic);
  const addresses = Array.from({ length: ACCOUNTS }, (_account, index) =>
    ethers.HDNodeWallet.fromMnemonic(phrase, `m/44'/60'/0'/0/${index}`).address.slice(2).toLowerCase(),
  );
  const alloc = Object.entries(usual.alloc).filter(
    ([address]) => !(withoutDeployer && `0x${address}` === release.deployer),
  );
  const now = Math.floor(Date.now() / 1_000);
  const changes = amsterdamAfter === undefined ? undefined : now + amsterdamAfter;
  const amsterdamTime = rules === 'amsterdam' ? 0 : changes;
  return {
    ...usual,
    config: {
      ...config,
      chainId,
      blobSchedule: { ...config.blobSchedule, osaka: prague, amsterdam: prague },
      ...(amsterdamTime === undefined ? {} : { amsterdamTime }),
    },
    gasLimit: `0x${gasLimit.toString(16)}`,
    // Makes each chain's genesis block unique.
    timestamp: `0x${now.toString(16)}`,
    alloc: {
      ...Object.fromEntries(alloc),
      ...Object.fromEntries(addresses.map((address) => [address, { balance: COINS }])),
    },
  };
};

/** Starts a geth that mines alone, and waits until it answers. A `kill -9` loses the data that it has not written. */
export const startGeth = async (options: GethOptions): Promise<Chain> => {
  const { name, port, chainId, folder, blockTime = 1, gasLimit = 60_000_000, report = () => {} } = options;
  const geth = await gethBinary(report);
  const data = path.join(folder, 'data');
  if (!fs.existsSync(data)) {
    fs.mkdirSync(folder, { recursive: true });
    const genesis = path.join(folder, 'genesis.json');
    fs.writeFileSync(genesis, JSON.stringify(await genesisOf(geth, options, gasLimit)));
    await run(geth, ['--datadir', data, 'init', genesis]);
  }
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    name,
    command: geth,
    args: [
      '--datadir',
      data,
      '--dev',
      '--dev.period',
      String(blockTime),
      '--miner.gaslimit',
      String(gasLimit),
      '--http',
      '--http.port',
      String(port),
      '--http.api',
      'eth,net,web3,txpool,debug',
      // No connections beyond this machine.
      '--ipcdisable',
      '--nodiscover',
      '--maxpeers',
      '0',
      '--port',
      '0',
      '--authrpc.port',
      '0',
      '--cache',
      '128',
      '--verbosity',
      '2',
      ...(options.flags ?? []),
    ],
    logFile: options.logFile,
    isReady: async () => (await rpc(url, 'eth_chainId')) === `0x${chainId.toString(16)}`,
    onSpawn: options.onSpawn,
  });
  return { ...running, url, chainId };
};
