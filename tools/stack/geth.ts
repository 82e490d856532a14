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
 * Finds a client in the user's cache, or builds it from its pinned Go module. One on the PATH is not used, because its
 * version may have other rules.
 * @returns path of the program
 * @throws Error when Go is missing, or the build fails
 */
export const clientBinary = (module: GoModule, report: Report): Promise<string> => {
  const { name } = module;
  const version = pinnedVersion(module);
  return cachedProgram(
    {
      name,
      version,
      proof: module.proof ?? ['version'],
      ways: [(target) => buildGo(target, module, process.env, report)],
      explain: ([build]) => `${name} ${version} is not available; install Go (https://go.dev/dl); tried now: ${build}`,
    },
    process.env,
    report,
  );
};

/** Rules of Ethereum by fork: today's, and those after EIP-8037 and EIP-8038. */
export type ChainRules = 'osaka' | 'amsterdam';

/** Options of geth and of the clients that were made from it. */
export interface ForkOptions extends Pick<ChainOptions, 'name' | 'port' | 'chainId' | 'logFile' | 'onSpawn'> {
  /** Gas limit of a block. Default 60,000,000. */
  readonly gasLimit?: number;
  /** More flags, such as `--rpc.batch-request-limit`. */
  readonly flags?: readonly string[];
  /** Folder of the chain; an existing chain continues. */
  readonly folder: string;
  readonly report?: Report;
}

export interface GethOptions extends ForkOptions {
  readonly rules: ChainRules;
  /** Seconds after genesis at which Amsterdam's rules begin, on a chain that begins with today's. */
  readonly amsterdamAfter?: number;
  /** Whole seconds between blocks. Default 1. */
  readonly blockTime?: number;
  /** Omits the deterministic deployer, which the genesis of `geth --dev` has. */
  readonly withoutDeployer?: boolean;
}

/** A client whose genesis and flags are geth's, by its own rules. */
export interface GethFork {
  readonly module: GoModule;
  /** Arguments by which it prints the genesis that the chain's begins as. */
  readonly dump: readonly string[];
  /** Changes that genesis, which has the chain's id, gas limit, date and funded accounts already. */
  readonly change: (genesis: Genesis) => Genesis;
  /** Flags in addition to those of every chain here; a later one wins. */
  readonly flags: readonly string[];
}

/** A genesis as clients dump it. */
export interface Genesis {
  readonly config: Readonly<Record<string, unknown>>;
  readonly alloc: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

const COINS = `0x${(10n ** 22n).toString(16)}`;
const ACCOUNTS = 20;

/** Coins for the development accounts. */
export const fundedAccounts = (): Genesis['alloc'] => {
  const phrase = ethers.Mnemonic.fromPhrase(devMnemonic);
  const addresses = Array.from({ length: ACCOUNTS }, (_account, index) =>
    ethers.HDNodeWallet.fromMnemonic(phrase, `m/44'/60'/0'/0/${index}`).address.slice(2).toLowerCase(),
  );
  return Object.fromEntries(addresses.map((address) => [address, { balance: COINS }]));
};

/** The genesis of `geth --dev`, which has the deterministic deployer, with one set of rules from the first block on. */
const changedBy =
  ({ rules, amsterdamAfter, withoutDeployer = false }: GethOptions): GethFork['change'] =>
  ({ config: usual, alloc, ...genesis }) => {
    // Without this it includes rules of a later fork.
    const { bogotaTime: _, ...config } = usual;
    const blobSchedule = usual.blobSchedule as Record<string, unknown>;
    const { prague } = blobSchedule;
    const changes = amsterdamAfter === undefined ? undefined : Number(genesis.timestamp) + amsterdamAfter;
    const amsterdamTime = rules === 'amsterdam' ? 0 : changes;
    return {
      ...genesis,
      config: {
        ...config,
        blobSchedule: { ...blobSchedule, osaka: prague, amsterdam: prague },
        ...(amsterdamTime === undefined ? {} : { amsterdamTime }),
      },
      alloc: Object.fromEntries(
        Object.entries(alloc).filter(([address]) => !(withoutDeployer && `0x${address}` === release.deployer)),
      ),
    };
  };

/** Starts a geth that mines alone, and waits until it answers. A `kill -9` loses the data that it has not written. */
export const startGeth = (options: GethOptions): Promise<Chain> =>
  startFork(
    {
      module: gethModule,
      dump: ['--dev', 'dumpgenesis'],
      change: changedBy(options),
      flags: ['--dev', '--dev.period', String(options.blockTime ?? 1), '--authrpc.port', '0'],
    },
    options,
  );

/** Starts a client of geth's family on a chain of its own, and waits until it answers. */
export const startFork = async (fork: GethFork, options: ForkOptions): Promise<Chain> => {
  const { name, port, chainId, folder, gasLimit = 60_000_000, report = () => {} } = options;
  const program = await clientBinary(fork.module, report);
  const data = path.join(folder, 'data');
  if (!fs.existsSync(data)) {
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'genesis.json');
    const { stdout } = await run(program, fork.dump, { maxBuffer: 2 ** 25 });
    const { config, alloc, ...usual } = JSON.parse(stdout) as Genesis;
    const genesis = fork.change({
      ...usual,
      config: { ...config, chainId },
      gasLimit: `0x${gasLimit.toString(16)}`,
      // Makes each chain's genesis block unique.
      timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}`,
      alloc: { ...alloc, ...fundedAccounts() },
    });
    fs.writeFileSync(file, JSON.stringify(genesis));
    await run(program, ['--datadir', data, 'init', file]);
  }
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    name,
    command: program,
    args: [
      '--datadir',
      data,
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
      '--cache',
      '128',
      '--verbosity',
      '2',
      ...fork.flags,
      ...(options.flags ?? []),
    ],
    logFile: options.logFile,
    isReady: async () => (await rpc(url, 'eth_chainId')) === `0x${chainId.toString(16)}`,
    onSpawn: options.onSpawn,
  });
  return { ...running, url, chainId };
};
