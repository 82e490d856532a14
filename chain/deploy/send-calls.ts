import { steadyClock } from '../../domain/tools/clock.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { dataFeeOf, dataFeeRequests, learnDataFee, type DataFee } from '../signing/data-fee.ts';
import { marketFees, USUAL_TIP, type Fees } from '../signing/fees.ts';
import { decodeRevert } from '../pure/revert-reason.ts';
import { agreedNonce, fewestOf, isMost, latestRequest, middle, quantity, receiptRequest } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/requests.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { classifySend } from '../rpc/send-errors.ts';
import type { Signer } from '../signing/signer.ts';

/** One transaction of a preparation. */
export interface PlannedCall {
  /** Description for the operator. */
  readonly what: string;
  readonly to: string;
  readonly data: string;
  readonly value?: bigint;
  /** Given when the gas cannot be estimated, because the call depends on an earlier one of the list. */
  readonly gasLimit?: bigint;
}

interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
}

/** No ceiling, because a person starts this and watches it. */
const NO_CEILING = 2n ** 128n;
const POLL_MS = 50;
/** Timeout for the receipts, in milliseconds. */
const DEADLINE_MS = 120_000;

/**
 * Sends transactions of one account together, in this order, and waits until `latest` includes them all. It serves operators'
 * commands, which inspect the chain first and can be repeated; only a lane sends exactly once.
 * @param options its quorum is the number of endpoints that must report a receipt, default one; fees: default those of now
 * @throws Error when an endpoint refuses a transaction, a transaction reverts, or the timeout expires
 */
export const sendCalls = async (
  rpc: Rpc,
  signer: Signer,
  eip155: number,
  calls: readonly PlannedCall[],
  { quorum = 1, ...more }: { readonly quorum?: number; readonly fees?: Fees } = {},
): Promise<string[]> => {
  if (calls.length === 0) return [];
  const fees = more.fees ?? (await feesNow(rpc)).fees;
  const limits = await gasLimits(rpc, quorum, signer, calls);
  const first = await agreedNonce(rpc, quorum, signer.address, quorum);
  const signed = await Promise.all(
    calls.map(({ to, data, value = 0n }, index) =>
      signer.sign({ eip155, nonce: first + index, to, data, value, gasLimit: limits[index] ?? 0n, ...fees }),
    ),
  );
  const outcomes = await rpc.send(signed.map(({ raw }) => raw));
  outcomes.forEach((outcome, index) => {
    const sendClass = classifySend(outcome);
    if (sendClass === 'sent' || sendClass === 'known' || outcome.ok || outcome.error.kind !== 'rejected') return;
    throw new Error(`${calls[index]?.what}: ${outcome.error.message}`);
  });
  const hashes = signed.map(({ hash }) => hash);
  await awaitReceipts(rpc, quorum, calls, hashes);
  return hashes;
};

/** As long as a signed transfer, for chains that charge for a transaction's data. */
const TRANSFER = `0x${'ff'.repeat(120)}`;

/**
 * Sends all coins of an account, except the highest cost of the transfer at the current fees. Endpoints that lie cannot hide
 * coins or raise the cost while they are fewer than half: the highest balance counts, and the median of gas and fees.
 * @returns the sent amount and the rest for the cost in wei, and the transaction's hash: null when the balance does not exceed
 *   that cost
 * @throws Error as `sendCalls`, or when fewer endpoints than the quorum respond
 */
export const sendRest = async (
  rpc: Rpc,
  signer: Signer,
  { eip155, quorum, maxFeePerGas }: { readonly eip155: number; readonly quorum: number; readonly maxFeePerGas: bigint },
  to: string,
): Promise<{ readonly value: bigint; readonly left: bigint; readonly transaction: string | null }> => {
  const transfer = { what: `send coins from ${signer.address} to ${to}`, to, data: '0x', value: 1n };
  const oracle = dataFeeRequests({ dataFee: 0n }, [TRANSFER]);
  const requests: RpcRequest[] = [
    { method: 'eth_getBalance', params: [signer.address, 'latest'] },
    { method: 'eth_estimateGas', params: [{ from: signer.address, to, data: '0x', value: quantity(1n) }] },
    ...oracle,
  ];
  const fewest = fewestOf(rpc, quorum);
  const responses = await rpc.everyone(requests, { fewest });
  const balances = responses.flatMap(({ outcomes: [own] }) => (own?.ok ? [BigInt(own.result as string)] : []));
  if (balances.length < fewest)
    throw new Error(`${balances.length} endpoints report the balance, ${fewest} are needed`);
  const balance = balances.reduce((a, b) => (a > b ? a : b));
  if (balance === 0n) return { value: 0n, left: 0n, transaction: null };
  const estimate = middle(
    responses.flatMap(({ outcomes: [, own] }) => (own?.ok ? [BigInt(own.result as string)] : [])),
  );
  if (estimate === undefined) throw new Error(`${transfer.what}: no endpoint estimates its gas`);
  const memory: DataFee = { dataFee: 0n };
  const prices = responses.map(({ outcomes }) => outcomes.slice(2));
  learnDataFee(memory, [TRANSFER], prices);
  const dataFee = dataFeeOf(memory, () => TRANSFER);
  const { fees } = await feesNow(rpc, maxFeePerGas);
  const gasLimit = withRoom(estimate);
  // Fees may rise until the transfer is signed.
  const left = withRoom(gasLimit * fees.maxFeePerGas) + dataFee;
  if (balance <= left) return { value: 0n, left: balance, transaction: null };
  const value = balance - left;
  const [transaction = null] = await sendCalls(rpc, signer, eip155, [{ ...transfer, value, gasLimit }], {
    quorum,
    fees,
  });
  return { value, left, transaction };
};

/**
 * Wei per gas: the price in the next block, and the fees that transactions offer. The median of the endpoints counts, since no
 * ceiling applies unless one is given.
 */
export const feesNow = async (
  rpc: Rpc,
  ceiling = NO_CEILING,
): Promise<{ readonly price: bigint; readonly fees: Fees }> => {
  const responses = await rpc.everyone([latestRequest, { method: 'eth_maxPriorityFeePerGas' }]);
  const baseFee = middle(
    responses.flatMap(({ outcomes: [block] }) =>
      block?.ok ? [BigInt((block.result as { baseFeePerGas: string }).baseFeePerGas)] : [],
    ),
  );
  if (baseFee === undefined) throw new Error('no endpoint reports its newest block');
  const tips = responses.flatMap(({ outcomes: [, tip] }) => (tip?.ok ? [BigInt(tip.result as string)] : []));
  const priorityFee = middle(tips) ?? USUAL_TIP;
  return { price: baseFee + priorityFee, fees: marketFees({ baseFee, priorityFee }, ceiling) };
};

/** The gas limit of a call with this estimate. */
export const withRoom = (estimate: bigint): bigint => (estimate * 6n) / 5n;

/**
 * The gas limits of calls. The median of the estimates counts, and a failure where most endpoints report one, so that a
 * false one neither stops a command nor makes its transaction run out of gas.
 */
const gasLimits = async (
  rpc: Rpc,
  quorum: number,
  signer: Signer,
  calls: readonly PlannedCall[],
): Promise<bigint[]> => {
  const open = calls.filter((call) => call.gasLimit === undefined);
  const requests = open.map(({ to, data, value = 0n }) => ({
    method: 'eth_estimateGas',
    params: [{ from: signer.address, to, data, value: quantity(value) }],
  }));
  const everyone = await rpc.everyone(requests, { fewest: quorum });
  // An endpoint that is asked alone has more time, and throws the reason.
  const responses = everyone.length > 0 ? everyone : [await rpc.batch(requests)];
  return calls.map((call) => {
    if (call.gasLimit !== undefined) return call.gasLimit;
    const outcomes = responses.flatMap((response) => response.outcomes[open.indexOf(call)] ?? []);
    const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
    const estimate = middle(outcomes.flatMap((outcome) => (outcome.ok ? [BigInt(outcome.result as string)] : [])));
    if (estimate !== undefined && !isMost(errors.length, outcomes.length, 1)) return withRoom(estimate);
    const data = errors[0]?.revertData;
    throw new Error(`${call.what}: ${data ? decodeRevert(data).text : errors[0]?.message}`);
  });
};

/**
 * The status in a transaction's receipt; undefined while it has none, or its block is after the endpoint's newest one: geth
 * shows a receipt an instant before `latest` includes it, and callers read the state at `latest` next.
 */
const statusOf = (receipt: RpcOutcome | undefined, newest: RpcOutcome | undefined): string | undefined => {
  if (!receipt?.ok || !newest?.ok || receipt.result === null) return undefined;
  const { status, blockNumber } = receipt.result as Receipt;
  return BigInt(blockNumber) > BigInt(newest.result as string) ? undefined : String(Number(status));
};

const awaitReceipts = async (
  rpc: Rpc,
  quorum: number,
  calls: readonly PlannedCall[],
  hashes: readonly string[],
): Promise<void> => {
  const deadline = steadyClock.now() + DEADLINE_MS;
  const requests = [...hashes.map(receiptRequest), { method: 'eth_blockNumber' }];
  for (;;) {
    const statuses = await rpc.agree(requests, quorum, (outcomes) =>
      hashes.map((_, index) => statusOf(outcomes[index], outcomes.at(-1))),
    );
    const reverted = statuses.indexOf('0');
    if (reverted >= 0) throw new Error(`${calls[reverted]?.what}: the transaction ${hashes[reverted]} reverted`);
    // No endpoint has responded: asking them one after another throws the reason.
    if (statuses.length === 0) await rpc.batch(requests);
    else if (!statuses.includes(undefined)) return;
    if (steadyClock.now() > deadline) throw new Error(`not mined after ${DEADLINE_MS / 1000} s`);
    await delay(POLL_MS);
  }
};
