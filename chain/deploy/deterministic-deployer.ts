import { steadyClock } from '../../domain/tools/clock.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { formatEther, Transaction } from 'ethers';
import { dataFeeOf, dataFeeRequests, learnDataFee, type DataFee } from '../signing/data-fee.ts';
import { agreedCodes } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { classifySend, type SendClass } from '../rpc/send-errors.ts';
import type { Signer } from '../signing/signer.ts';
import { feesNow, sendCalls, type PlannedCall } from './send-calls.ts';

/**
 * The transaction that puts the deterministic CREATE2 deployer onto a network, as it was published
 * (https://github.com/Arachnid/deterministic-deployment-proxy). Its signature was made up, so nobody has the sender's
 * key. It can run only once on each network, with 100,000 gas at 100 gwei. If it fails, its address stays empty.
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
  readonly network: { readonly name: string; readonly eip155: number; readonly quorum: number };
  readonly deployer: string;
}

const otherwise =
  'Ask the operators of the network to put it there, as many networks do at genesis; without it no contract of Carat can be deployed at its address';

/** Most wei that are ever sent to this account without a key: 0.01 coins for the gas, and as much for the data. */
const MOST = 2n * 10n ** 16n;

/** The report of an endpoint about the published transaction and its sender. */
interface Told {
  /** Gas that the transaction needs. */
  readonly gas: bigint;
  /** Nonces that the sender has used. */
  readonly nonce: number;
  /** The sender's balance in wei, including pending transfers. */
  readonly balance: bigint;
}

/** @throws Error when any endpoint does not respond completely: the transaction can be sent only once */
const askEverybody = async (rpc: Rpc, missing: string): Promise<Told[]> => {
  await rpc.compare(0);
  const account = (method: string, tag: string) => ({ method, params: [sender, tag] });
  const responses = await rpc.everyone(
    [
      { method: 'eth_estimateGas', params: [{ from: sender, data: published.data }] },
      account('eth_getTransactionCount', 'latest'),
      account('eth_getBalance', 'latest'),
      account('eth_getBalance', 'pending'),
    ],
    { fewest: rpc.endpoints },
  );
  const told = responses.flatMap(({ outcomes: [gas, nonce, balance, pending] }): Told[] =>
    gas?.ok && nonce?.ok && balance?.ok
      ? [
          {
            gas: BigInt(gas.result as string),
            nonce: Number(nonce.result),
            balance: BigInt((pending?.ok ? pending.result : balance.result) as string),
          },
        ]
      : [],
  );
  if (told.length === rpc.endpoints) return told;
  throw new Error(
    `${missing}, and not every endpoint says whether the published transaction that creates it has enough gas. ${otherwise}`,
  );
};

/**
 * The transfer that must precede the published transaction.
 * @returns a call with the coins that the transaction's sender lacks; null when it lacks none
 * @throws Error with the remedy when the transaction would fail or cannot be sent; it is never tried then
 */
export const fundDeployerCall = async ({ rpc, network, deployer }: Place): Promise<PlannedCall | null> => {
  const { name, quorum } = network;
  const missing = `${name} lacks the deterministic deployer ${deployer}`;
  const told = await askEverybody(rpc, missing);
  if (told.some(({ nonce }) => nonce > 0)) {
    const [code] = await agreedCodes(rpc, quorum, [deployer]);
    if (code !== '0x') return null;
    throw new Error(
      `${missing}, and the published transaction that creates it has failed there and cannot run again. ${otherwise}`,
    );
  }
  const most = told.reduce((high, { gas }) => (gas > high ? gas : high), 0n);
  if (most > published.gasLimit)
    throw new Error(
      `${missing}. The published transaction that creates it has ${published.gasLimit} gas and would need ${most} there, so it would fail ` +
        `and could never be sent again. ${otherwise}`,
    );
  const { price } = await feesNow(rpc);
  if (price > gasPrice)
    throw new Error(
      `${missing}. The published transaction that creates it pays 100 gwei per gas, and the network charges ${price} wei now: run this again later`,
    );
  const memory: DataFee = { dataFee: 0n };
  learnDataFee(memory, [raw], [(await rpc.batch(dataFeeRequests(memory, [raw]))).outcomes]);
  const needed = published.gasLimit * gasPrice + dataFeeOf(memory, () => raw);
  if (needed > MOST)
    throw new Error(
      `${missing}, and an endpoint says that the published transaction that creates it costs ${needed} wei, which is more than Carat pays for it`,
    );
  const balance = told.reduce((low, own) => (own.balance < low ? own.balance : low), needed);
  const what = `give ${sender}, which puts the deterministic deployer there, ${formatEther(needed - balance)} coins`;
  return balance >= needed ? null : { what, to: sender, data: '0x', value: needed - balance };
};

const POLL_MS = 1_000;
/** Timeout for the deployer's code, in milliseconds. */
const DEADLINE_MS = 120_000;

/** Sends the published transaction. Returns the endpoints' rejection, or null when they accept or know it. */
const offer = async (rpc: Rpc): Promise<{ readonly sendClass: SendClass; readonly message: string } | null> => {
  const [outcome] = await rpc.send([raw]);
  if (outcome === undefined || outcome.ok) return null;
  const sendClass = classifySend(outcome);
  return sendClass === 'known' ? null : { sendClass, message: outcome.error.message };
};

/**
 * Puts the deterministic deployer onto a network that lacks it.
 * @param signer pays the coins that the transaction's sender lacks
 * @throws Error as `fundDeployerCall`; nothing is paid when the endpoints refuse such transactions
 */
export const placeDeployer = async (
  place: Place,
  signer: Signer,
  onProgress: (message: string) => void,
): Promise<string[]> => {
  const { rpc, network, deployer } = place;
  const { name, eip155, quorum } = network;
  const fund = await fundDeployerCall(place);
  // Without coins the transaction is rejected, but any other reason for a rejection shows before anything is paid.
  const refusal = await offer(rpc);
  if (refusal !== null && !['insufficient_funds', 'nonce_too_low'].includes(refusal.sendClass))
    throw new Error(
      `${name} lacks the deterministic deployer ${deployer}, and its endpoints refuse the published transaction that creates it: ` +
        `${refusal.message}. It names no chain (EIP-155), and some endpoints refuse that: use one that does not (geth: --rpc.allow-unprotected-txs)`,
    );
  if (fund) onProgress(fund.what);
  const transactions = fund ? await sendCalls(rpc, signer, eip155, [fund], { quorum }) : [];
  onProgress(`put the deterministic deployer at ${deployer}`);
  const deadline = steadyClock.now() + DEADLINE_MS;
  for (;;) {
    const last = await offer(rpc);
    const [code] = await agreedCodes(rpc, quorum, [deployer]);
    if (code !== '0x') return transactions;
    if (steadyClock.now() > deadline)
      throw new Error(
        `${name}: the deterministic deployer is not there after ${DEADLINE_MS / 1000} s${last === null ? '' : ` (${last.message})`}`,
      );
    await delay(POLL_MS);
  }
};
