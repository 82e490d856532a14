import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import { rpc, type Chain } from '../../../tools/stack/chain.ts';
import { startFork, type ForkOptions, type Genesis } from '../../../tools/stack/geth.ts';
import { freePorts } from '../../../tools/process/ports.ts';

/*
 * op-geth, the client of OP stack chains, on a chain of its own under their rules: with their contracts from the genesis on, their fees
 * for data and for the operator, and the deposit with the values of the first layer in each block. A real chain's blocks are ordered by
 * op-node; here this process does that, through the same interface of the client.
 */

/** Of the chains that op-geth knows, one that has all rules up to Isthmus, and their contracts, in its genesis. */
const MODEL = 'rehearsal-0-bn-0-rehearsal-0-bn';

const op = {
  name: 'op-geth',
  folder: 'test/support/op-geth',
  module: 'github.com/ethereum-optimism/op-geth',
  package: 'github.com/ethereum/go-ethereum/cmd/geth',
  seconds: 310,
};

/** Omits the rules after Isthmus, which the model has by date. */
const untilIsthmus = (genesis: Genesis): Genesis => {
  const { lagoonTime: _, ...config } = genesis.config;
  return { ...genesis, config };
};

/** What the first layer and the operator ask for; each is above zero, so that Carat's accounts must cover it. */
const prices = {
  baseFeeScalar: 1_368,
  blobBaseFeeScalar: 810_949,
  l1BaseFee: 20_000_000_000n,
  l1BlobBaseFee: 1_000_000_000n,
  /** Millionths of a wei for each gas. */
  operatorFeeScalar: 100_000_000,
  /** Wei for each transaction. */
  operatorFeeConstant: 1_000_000_000_000n,
};

const DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001';
const L1_BLOCK = '0x4200000000000000000000000000000000000015';

/** The deposit that begins each block: it stores the values of the first layer. */
const l1Attributes = (time: number): string => {
  const hash = ethers.toBeHex(time, 32);
  const data = ethers.solidityPacked(
    // The selector of setL1BlockValuesIsthmus, then its values without padding.
    ['bytes4', 'uint32', 'uint32', 'uint64', 'uint64', 'uint64', 'uint256', 'uint256', 'bytes32', 'bytes32', 'uint32', 'uint64'], // prettier-ignore
    [
      '0x098999be',
      prices.baseFeeScalar,
      prices.blobBaseFeeScalar,
      0,
      time,
      time,
      prices.l1BaseFee,
      prices.l1BlobBaseFee,
      hash,
      ethers.ZeroHash,
      prices.operatorFeeScalar,
      prices.operatorFeeConstant,
    ],
  );
  const fields = [ethers.keccak256(hash), DEPOSITOR, L1_BLOCK, '0x', '0x', ethers.toBeHex(1_000_000), '0x', data];
  return ethers.concat(['0x7e', ethers.encodeRlp(fields)]);
};

/** Calls the interface by which a client is told its chain. */
const engineAt =
  (port: number, secret: Buffer) =>
  async (method: string, ...params: unknown[]): Promise<unknown> => {
    const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claim = `${text({ alg: 'HS256', typ: 'JWT' })}.${text({ iat: Math.floor(Date.now() / 1_000) })}`;
    const signature = crypto.createHmac('sha256', secret).update(claim).digest('base64url');
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${claim}.${signature}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };

interface Head {
  readonly hash: string;
  readonly timestamp: string;
}

/** Adds one block, which takes a second to collect its transactions. */
const addBlock = async (engine: ReturnType<typeof engineAt>, url: string, gasLimit: number): Promise<void> => {
  const { hash, timestamp } = (await rpc(url, 'eth_getBlockByNumber', ['latest', false])) as Head;
  const time = Math.max(Number(timestamp) + 1, Math.floor(Date.now() / 1_000));
  const headIs = (head: string) => ({
    headBlockHash: head,
    safeBlockHash: head,
    finalizedBlockHash: ethers.ZeroHash,
  });
  const { payloadId } = (await engine('engine_forkchoiceUpdatedV3', headIs(hash), {
    timestamp: ethers.toQuantity(time),
    prevRandao: ethers.hexlify(crypto.randomBytes(32)),
    suggestedFeeRecipient: '0x4200000000000000000000000000000000000011',
    withdrawals: [],
    parentBeaconBlockRoot: ethers.ZeroHash,
    transactions: [l1Attributes(time)],
    gasLimit: ethers.toQuantity(gasLimit),
    // The denominator and elasticity of the genesis.
    eip1559Params: '0x0000000000000000',
  })) as { payloadId: string };
  await delay(1_000);
  const { executionPayload: block, parentBeaconBlockRoot: root } = (await engine('engine_getPayloadV4', payloadId)) as {
    executionPayload: { blockHash: string };
    parentBeaconBlockRoot: string;
  };
  const { status } = (await engine('engine_newPayloadV4', block, [], root, [])) as { status: string };
  if (status !== 'VALID') throw new Error(`op-geth calls its own block ${status}`);
  await engine('engine_forkchoiceUpdatedV3', headIs(block.blockHash), null);
};

/** Starts op-geth on a chain that grows by a block each second, and waits until it answers. */
export const startOpGeth = async (options: ForkOptions): Promise<Chain> => {
  const { folder, gasLimit = 60_000_000 } = options;
  const secret = crypto.randomBytes(32);
  const secretFile = path.join(folder, 'engine.hex');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(secretFile, secret.toString('hex'), { mode: 0o600 });
  const [port = 0] = await freePorts(1);
  const chain = await startFork(
    {
      module: op,
      dump: ['--op-network', MODEL, 'dumpgenesis'],
      change: untilIsthmus,
      flags: [
        '--authrpc.port',
        String(port),
        '--authrpc.jwtsecret',
        secretFile,
        '--syncmode',
        'full',
        '--rollup.disabletxpoolgossip',
        '--miner.recommit',
        '200ms',
      ],
    },
    { ...options, gasLimit },
  );
  const engine = engineAt(port, secret);
  let isStopped = false;
  const grown = (async () => {
    while (!isStopped) await addBlock(engine, chain.url, gasLimit);
  })().catch((error: Error) => {
    if (!isStopped) fs.appendFileSync(options.logFile, `the chain ends: ${error.message}\n`);
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    await grown;
    await chain.stop();
  };
  return { ...chain, stop };
};
