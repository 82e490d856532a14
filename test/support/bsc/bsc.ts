import fs from 'node:fs';
import path from 'node:path';
import { ethers } from 'ethers';
import { release } from '../../../chain/pure/releases.ts';
import type { Chain } from '../../../tools/stack/chain.ts';
import { startFork, type ForkOptions, type Genesis } from '../../../tools/stack/geth.ts';
import { deployerCode } from '../hardhat/hardhat.ts';

/*
 * bsc, the client of BNB Smart Chain, on a chain of its own under today's rules of that chain: a block each 450 ms, several of one
 * second, and a base fee of zero.
 */

const bsc = {
  name: 'bsc',
  folder: 'test/support/bsc',
  module: 'github.com/bnb-chain/bsc',
  package: 'github.com/ethereum/go-ethereum/cmd/geth',
  seconds: 750,
};

/** The one validator. */
const validator = new ethers.Wallet(ethers.id('the one validator of a chain for tests'));
/** The form of a key that it votes by; it never votes. */
const VOTE_KEY = ethers.zeroPadBytes('0x', 48);
const PASSWORD = 'a password of tests';
const VALIDATOR_SET = '0000000000000000000000000000000000001000';

/** Code that answers each call with the list of validators; the contract of the real chain has that chain's own list built in. */
const listOfValidators = (): string => {
  const list = ethers.AbiCoder.defaultAbiCoder().encode(['address[]', 'bytes[]'], [[validator.address], [VOTE_KEY]]);
  const length = ethers.toBeHex(ethers.dataLength(list), 2);
  // PUSH2 length, PUSH1 14, PUSH1 0, CODECOPY, PUSH2 length, PUSH1 0, RETURN; then the list.
  return ethers.concat(['0x61', length, '0x600e6000', '0x39', '0x61', length, '0x6000', '0xf3', list]);
};

/** All rules of BNB Smart Chain from the first block on, and one validator. */
const aloneFromTheStart = ({ config, alloc, ...genesis }: Genesis): Genesis => ({
  ...genesis,
  config: Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, /(Block|Time)$/.test(name) ? 0 : value]),
  ),
  // 32 bytes to choose, the number of validators, the validator, the blocks of its turn, and no signature.
  extraData: ethers.concat([ethers.ZeroHash, '0x01', validator.address, VOTE_KEY, '0x01', new Uint8Array(65)]),
  alloc: {
    ...alloc,
    [VALIDATOR_SET]: { balance: '0x0', code: listOfValidators() },
    [release.deployer.slice(2)]: { balance: '0x0', code: deployerCode },
  },
});

/** Starts bsc on a chain whose one validator it is, and waits until it answers. */
export const startBsc = (options: ForkOptions): Promise<Chain> => {
  const { folder } = options;
  const keys = path.join(folder, 'keys');
  const passwordFile = path.join(folder, 'password');
  fs.mkdirSync(keys, { recursive: true });
  fs.writeFileSync(passwordFile, PASSWORD);
  const { address, privateKey } = validator;
  // One round of the derivation: the key is no secret.
  const key = ethers.encryptKeystoreJsonSync({ address, privateKey }, PASSWORD, { scrypt: { N: 2 } });
  fs.writeFileSync(path.join(keys, 'validator.json'), key);
  const flags = [
    '--keystore',
    keys,
    '--unlock',
    address,
    '--password',
    passwordFile,
    '--allow-insecure-unlock',
    '--mine',
    '--miner.etherbase',
    address,
    '--syncmode',
    'full',
    // One block a turn.
    '--override.fixedturnlength',
    '1',
    // No election at midnight, which asks contracts of the real chain.
    '--override.breatheblockinterval',
    '1000000000000',
  ];
  return startFork({ module: bsc, dump: ['--mainnet', 'dumpgenesis'], change: aloneFromTheStart, flags }, options);
};
