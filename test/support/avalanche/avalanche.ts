import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ethers } from 'ethers';
import { release } from '../../../chain/pure/releases.ts';
import { startProcess } from '../../../tools/process/process.ts';
import { devMnemonic, rpc, type Chain } from '../../../tools/stack/chain.ts';
import { clientBinary, fundedAccounts, type ForkOptions } from '../../../tools/stack/geth.ts';
import { freePorts } from '../../../tools/process/ports.ts';
import { root } from '../../../tools/paths.ts';
import { deployerCode } from '../hardhat/hardhat.ts';

const run = promisify(execFile);

/*
 * avalanchego with its C-Chain, as a network of one node that needs no stake. The C-Chain has a block only when somebody sends a
 * transaction, so a passer-by sends one each second.
 */

const avalanche = {
  name: 'avalanchego',
  folder: 'test/support/avalanche',
  module: 'github.com/ava-labs/avalanchego',
  package: 'github.com/ava-labs/avalanchego/main',
  proof: ['--version'],
  seconds: 370,
};

/** The id of a network that is nobody's. */
const NETWORK = 88_888;

/** The genesis of a local network as the module has it, with another C-Chain. */
const genesisOf = async (chainId: number): Promise<unknown> => {
  const { stdout } = await run('go', ['mod', 'download', '-json', avalanche.module], {
    cwd: path.join(root, avalanche.folder),
    env: { ...process.env, GOFLAGS: '' },
  });
  const { Dir: folder } = JSON.parse(stdout) as { Dir: string };
  const file = path.join(folder, 'genesis/genesis_local.json');
  const usual = JSON.parse(fs.readFileSync(file, 'utf8')) as { cChainGenesis: string };
  const chain = JSON.parse(usual.cChainGenesis) as { config: object };
  return {
    ...usual,
    networkID: NETWORK,
    startTime: Math.floor(Date.now() / 1_000) - 3_600,
    cChainGenesis: JSON.stringify({
      ...chain,
      config: { ...chain.config, chainId },
      alloc: { ...fundedAccounts(), [release.deployer.slice(2)]: { balance: '0x0', code: deployerCode } },
    }),
  };
};

/** Starts a network of one node, and waits until its C-Chain answers. */
export const startAvalanche = async (options: ForkOptions): Promise<Chain> => {
  const { name, port, chainId, folder, report = () => {} } = options;
  const program = await clientBinary(avalanche, report);
  fs.mkdirSync(folder, { recursive: true });
  const genesis = path.join(folder, 'genesis.json');
  fs.writeFileSync(genesis, JSON.stringify(await genesisOf(chainId)));
  const [staking = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/ext/bc/C/rpc`;
  const running = await startProcess({
    name,
    command: program,
    args: [
      `--network-id=${NETWORK}`,
      `--genesis-file=${genesis}`,
      `--data-dir=${path.join(folder, 'data')}`,
      `--http-port=${port}`,
      `--staking-port=${staking}`,
      '--public-ip=127.0.0.1',
      '--bootstrap-ips=',
      '--bootstrap-ids=',
      '--sybil-protection-enabled=false',
      '--fd-limit=8192',
      '--log-level=warn',
    ],
    logFile: options.logFile,
    isReady: async () => (await rpc(url, 'eth_chainId')) === `0x${chainId.toString(16)}`,
    onSpawn: options.onSpawn,
  });
  const phrase = ethers.Mnemonic.fromPhrase(devMnemonic);
  const passerBy = ethers.HDNodeWallet.fromMnemonic(phrase, "m/44'/60'/0'/0/19");
  let isStopped = false;
  const walk = (async () => {
    for (let nonce = 0; !isStopped; nonce++) {
      const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n };
      const raw = await passerBy.signTransaction({
        chainId,
        nonce,
        to: passerBy.address,
        gasLimit: 21_000,
        type: 2,
        ...fees,
      });
      await rpc(url, 'eth_sendRawTransaction', [raw]);
      await delay(1_000);
    }
  })().catch((error: Error) => {
    if (!isStopped) fs.appendFileSync(options.logFile, `no blocks any more: ${error.message}\n`);
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    await walk;
    await running.stop();
  };
  return { ...running, url, chainId, stop };
};
