import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ethers } from 'ethers';
import { rpc, type Chain } from './chain.ts';
import { gethBinary, usualAlloc, type GethOptions } from './geth.ts';
import { startProcess } from '../process/process.ts';

const run = promisify(execFile);

/** Forks of BNB Smart Chain by block and by time; all hold from the first block on. */
const byBlock =
  'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul muirGlacier ramanujan niels mirrorSync bruno euler gibbs nano moran planck luban plato berlin london hertz hertzfix';
const byTime =
  'shanghai kepler feynman feynmanFix cancun haber haberFix bohr pascal prague lorentz maxwell fermi osaka mendel pasteur';

const forksOf = (names: string, kind: 'Block' | 'Time'): Record<string, 0> =>
  Object.fromEntries(names.split(' ').map((name) => [name + kind, 0]));

const blobs = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 };

/** Of the only validator: its chain has no votes for finality. */
const VOTE_KEY = `0x${'00'.repeat(48)}`;
const ONE_TURN = '01';

const word = (value: number): string => value.toString(16).padStart(4, '0');

/**
 * Runtime code in place of the contract of validators, which Parlia asks at the end of each epoch: it answers `getMiningValidators` and
 * `getTurnLength`, and accepts every other call.
 */
const validatorCode = (validator: string): string => {
  const answer = ethers.AbiCoder.defaultAbiCoder()
    .encode(['address[]', 'bytes[]'], [[validator], [VOTE_KEY]])
    .slice(2);
  const selector = (signature: string): string => ethers.id(signature).slice(2, 10);
  const length = word(answer.length / 2);
  // Loads the selector, jumps to the answer of either function, and stops for others.
  const head = (first: number, second: number): string =>
    `60003560e01c8063${selector('getMiningValidators()')}1461${word(first)}578063${selector('getTurnLength()')}1461${word(second)}5700`;
  const turns = `5b600160005260206000f3`;
  const validators = (at: number): string => `5b61${length}61${word(at)}60003961${length}6000f3`;
  const [first] = [head(0, 0).length / 2];
  const second = first + validators(0).length / 2;
  return `0x${head(first, second)}${validators(second + turns.length / 2)}${turns}${answer}`;
};

const VALIDATORS = '0000000000000000000000000000000000001000';

const genesisOf = ({ chainId, gasLimit = 60_000_000 }: BscOptions, validator: string): unknown => ({
  config: {
    chainId,
    ...forksOf(byBlock, 'Block'),
    ...forksOf(byTime, 'Time'),
    parlia: {},
    blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
  },
  // Vanity, the number of validators, each one's address and vote key, blocks in a turn, seal.
  extraData: `0x${'00'.repeat(32)}01${validator.slice(2)}${VOTE_KEY.slice(2)}${ONE_TURN}${'00'.repeat(65)}`,
  nonce: '0x0',
  // Makes each chain's genesis block unique.
  timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}`,
  gasLimit: `0x${gasLimit.toString(16)}`,
  difficulty: '0x1',
  mixHash: ethers.ZeroHash,
  coinbase: ethers.ZeroAddress,
  alloc: { ...usualAlloc(), [VALIDATORS]: { balance: '0x0', code: validatorCode(validator) } },
});

export type BscOptions = Pick<
  GethOptions,
  'name' | 'port' | 'chainId' | 'logFile' | 'onSpawn' | 'folder' | 'gasLimit' | 'report'
>;

/**
 * Starts bsc, the client of BNB Smart Chain, as the only validator of a chain with the rules of its newest fork, and waits until it
 * answers. It makes a block each 450 ms, with a base fee of zero, so that several have the same date.
 */
export const startBsc = async (options: BscOptions): Promise<Chain> => {
  const { name, port, chainId, folder, report = () => {} } = options;
  const bsc = await gethBinary('bsc', report);
  // It signs transactions of the chain itself, so no other account may be the validator.
  const { address: validator, privateKey } = ethers.Wallet.createRandom();
  const at = (file: string): string => path.join(folder, file);
  fs.mkdirSync(at('keystore'), { recursive: true });
  fs.writeFileSync(at('genesis.json'), JSON.stringify(genesisOf(options, validator)));
  fs.writeFileSync(at('password'), 'password');
  fs.writeFileSync(
    at('keystore/validator'),
    await ethers.encryptKeystoreJson({ address: validator, privateKey }, 'password', { scrypt: { N: 2, r: 1, p: 1 } }),
  );
  await run(bsc, ['--datadir', at('data'), 'init', at('genesis.json')]);
  const files = ['--datadir', at('data'), '--keystore', at('keystore'), '--password', at('password')];
  const mining = ['--mine', '--unlock', validator, '--miner.etherbase', validator, '--allow-insecure-unlock'];
  const http = ['--http', '--http.port', String(port), '--http.api', 'eth,net,web3,txpool,debug'];
  // No connections beyond this machine.
  const alone = [
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
  ];
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    name,
    command: bsc,
    args: [...files, ...mining, ...http, ...alone],
    logFile: options.logFile,
    isReady: async () => (await rpc(url, 'eth_chainId')) === `0x${chainId.toString(16)}`,
    onSpawn: options.onSpawn,
  });
  return { ...running, url, chainId };
};
