import { setTimeout as delay } from 'node:timers/promises';
import { Transaction } from 'ethers';
import { dataFeeOf, dataFeeRequests, learnDataFee } from '../lane/data-fee.ts';
import type { LaneMemory } from '../lane/context.ts';
import { agreedCodes, agreedNonce } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { classifySend } from '../rpc/send-errors.ts';
import type { Signer } from '../signing/signer.ts';
import { feesNow, sendCalls, type PlannedCall } from './send-calls.ts';

/**
 * The transaction that puts the deterministic CREATE2 deployer onto a network, as it was published
 * (https://github.com/Arachnid/deterministic-deployment-proxy). Its signature was made up, so nobody holds the key of its sender: it
 * runs once for ever on each network, with 100,000 gas at 100 gwei, and where it fails the deployer's address stays empty.
 */
const raw =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff' +
  'e03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222' +
  '222222222222a02222222222222222222222222222222222222222222222222222222222222222';
const published = Transaction.from(raw);
const gasPrice = published.gasPrice!;
const sender = published.from!.toLowerCase();

/** A network without the deterministic deployer. */
interface Place {
  readonly rpc: Rpc;
  readonly network: { readonly name: string; readonly eip155: number; readonly quorum?: number };
  readonly deployer: string;
}

/** How endpoints refuse a transaction that names no chain, as the published one (EIP-155). */
const ofReplay = /replay.?protected|eip.?155|unprotected/i;

const otherwise =
  'Ask who runs the network to put it there, as it is in the genesis of many; without it nothing of Carat can be deployed at its address';

/**
 * What has to be sent before the published transaction puts the deterministic deployer onto a network.
 * @returns the coins that its sender lacks, as a call; null where it lacks none
 * @throws Error that says what to do where the transaction would fail, or can not be sent: it is never tried
 */
export const fundDeployerCall = async ({ rpc, network, deployer }: Place): Promise<PlannedCall | null> => {
  const { name, quorum = 1 } = network;
  const missing = `${name} lacks the deterministic deployer ${deployer}`;
  if ((await agreedNonce(rpc, quorum, sender)) > 0)
    throw new Error(
      `${missing}, and the published transaction that makes it has failed there once and for all. ${otherwise}`,
    );
  const estimates = await rpc.everyone(
    [{ method: 'eth_estimateGas', params: [{ from: sender, data: published.data }] }],
    { fewest: quorum },
  );
  const answered = estimates.flatMap(({ outcomes: [outcome] }) =>
    outcome?.ok ? [BigInt(outcome.result as string)] : [],
  );
  const most = answered.reduce((a, b) => (b > a ? b : a), 0n);
  if (answered.length < quorum || answered.length < estimates.length)
    throw new Error(
      `${missing}, and not every endpoint estimates the gas of the published transaction that makes it. ${otherwise}`,
    );
  if (most > published.gasLimit)
    throw new Error(
      `${missing}. The published transaction that makes it has ${published.gasLimit} gas and would need ${most} there, so it would fail ` +
        `and could never be sent again. ${otherwise}`,
    );
  const { price } = await feesNow(rpc);
  if (price > gasPrice)
    throw new Error(
      `${missing}. The published transaction that makes it pays 100 gwei for a gas, and the network takes ${price} wei now: run this again later`,
    );
  const memory: Pick<LaneMemory, 'dataFee'> = { dataFee: 0n };
  learnDataFee(memory, [raw], (await rpc.batch(dataFeeRequests(memory, [raw]))).outcomes);
  const needed = published.gasLimit * gasPrice + dataFeeOf(memory, () => raw);
  const balance = BigInt((await rpc.call('eth_getBalance', [sender, 'latest'])) as string);
  return balance >= needed
    ? null
    : {
        what: `fund ${sender}, which puts the deterministic deployer there`,
        to: sender,
        data: '0x',
        value: needed - balance,
      };
};

const POLL_MS = 200;
/** Milliseconds to wait for the deployer's code. */
const DEADLINE_MS = 120_000;

/**
 * Puts the deterministic deployer onto a network that lacks it.
 * @param signer pays what its sender lacks
 * @throws Error as `fundDeployerCall`; nothing is paid where the endpoints take no such transaction
 */
export const placeDeployer = async (
  place: Place,
  signer: Signer,
  onProgress: (message: string) => void,
): Promise<string[]> => {
  const { rpc, network, deployer } = place;
  const { name, eip155, quorum = 1 } = network;
  const fund = await fundDeployerCall(place);
  const send = async (): Promise<string | null> => {
    const [outcome] = await rpc.send([raw]);
    const isTaken = outcome?.ok === true || ['sent', 'known'].includes(classifySend(outcome!));
    return isTaken || outcome?.ok !== false ? null : outcome.error.message;
  };
  const refusal = fund === null ? null : await send();
  if (refusal !== null && ofReplay.test(refusal))
    throw new Error(
      `${name} lacks the deterministic deployer ${deployer}, and its endpoints refuse the published transaction that makes it, because that ` +
        `names no chain: ${refusal}. Use an endpoint that takes it (geth: --rpc.allow-unprotected-txs)`,
    );
  if (fund) onProgress(fund.what);
  const transactions = fund ? await sendCalls(rpc, signer, eip155, [fund], { quorum }) : [];
  onProgress(`put the deterministic deployer at ${deployer}`);
  const deadline = Date.now() + DEADLINE_MS;
  for (let last = await send(); ; last = await send()) {
    const [code] = await agreedCodes(rpc, quorum, [deployer]);
    if (code !== '0x') return transactions;
    if (Date.now() > deadline)
      throw new Error(
        `${name}: the deterministic deployer is not there after ${DEADLINE_MS / 1000} s${last === null ? '' : ` (${last})`}`,
      );
    await delay(POLL_MS);
  }
};
