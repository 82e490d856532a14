import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { release } from '../../../chain/pure/releases.ts';
import { startProcess } from '../../../tools/process/process.ts';
import { devMnemonic, rpc, type Chain, type ChainOptions } from '../../../tools/stack/chain.ts';
import type { ChainRules } from '../../../tools/stack/geth.ts';
import { cached } from '../../../tools/process/cache.mjs';
import type { Report } from '../../../tools/stack/program.ts';

const run = promisify(execFile);

/** Folder that pins the versions of Hardhat and its native part. */
const pinned = import.meta.dirname;

/**
 * Folder of Hardhat's packages in the user's cache. They are not among Carat's packages, because only the tests of
 * clients need their hundred megabytes.
 * @throws Error when npm cannot install them
 */
const hardhatPackages = (report: Report): Promise<string> => {
  const lock = fs.readFileSync(path.join(pinned, 'package-lock.json'), 'utf8');
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  return cached(`hardhat-${digest}-${process.platform}-${process.arch}`, report, async (target) => {
    const { dependencies, optionalDependencies } = JSON.parse(
      fs.readFileSync(path.join(pinned, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>;
    // npm skips optional packages made for another Node than its own, so the native parts of this platform are
    // requested explicitly.
    const native = Object.entries(optionalDependencies).filter(([name]) =>
      name.includes(`${process.platform}-${process.arch}`),
    );
    fs.mkdirSync(target, { recursive: true });
    fs.writeFileSync(path.join(target, 'package-lock.json'), lock);
    fs.writeFileSync(
      path.join(target, 'package.json'),
      JSON.stringify({ private: true, dependencies: { ...dependencies, ...Object.fromEntries(native) } }),
    );
    // Not `npm ci`, which requires the native parts of all platforms in the lock file.
    await run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: target });
  });
};

export interface HardhatOptions extends Pick<ChainOptions, 'name' | 'port' | 'chainId' | 'logFile' | 'onSpawn'> {
  readonly rules: ChainRules;
  /**
   * Maximum gas limit of a transaction, or false for none. Default: by the rules. EIP-7825 introduced a cap of
   * 16,777,216. Hardhat applies it to the whole limit by Amsterdam's rules too, where it covers regular gas only
   * (EIP-8037).
   */
  readonly transactionGasCap?: number | false;
  /** Folder of its configuration; the chain itself is in memory. */
  readonly folder: string;
  readonly report?: Report;
}

/** Runtime code of the deterministic deployer (github.com/Arachnid), which this chain lacks at genesis. */
export const deployerCode =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** Starts a Hardhat node that mines a block each second, installs the deterministic deployer, and waits until the node answers. */
export const startHardhat = async (options: HardhatOptions): Promise<Chain> => {
  const { name, port, chainId, rules, transactionGasCap, folder, report = () => {} } = options;
  const packages = path.join(await hardhatPackages(report), 'node_modules');
  const config = {
    networks: {
      carat: {
        type: 'edr-simulated',
        chainType: 'l1',
        chainId,
        hardfork: rules,
        accounts: { mnemonic: devMnemonic },
        transactionGasCap,
        mining: { auto: false, interval: 1_000 },
      },
    },
  };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  fs.writeFileSync(path.join(folder, 'hardhat.config.js'), `export default ${JSON.stringify(config)};\n`);
  // Hardhat must be installed in its folder.
  fs.symlinkSync(packages, path.join(folder, 'node_modules'));
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    name,
    command: process.execPath,
    args: [
      path.join(packages, 'hardhat/dist/src/cli.js'),
      'node',
      '--network',
      'carat',
      '--hostname',
      '127.0.0.1',
      '--port',
      String(port),
    ],
    cwd: folder,
    // No flags of this process's Node, and no interactive prompts.
    env: { ...process.env, NODE_OPTIONS: '', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    logFile: options.logFile,
    isReady: async () => (await rpc(url, 'eth_chainId')) === `0x${chainId.toString(16)}`,
    onSpawn: options.onSpawn,
  });
  await rpc(url, 'hardhat_setCode', [release.deployer, deployerCode]);
  return { ...running, url, chainId };
};
