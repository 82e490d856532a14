import { steadyClock } from '../../domain/tools/clock.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { dataFeeOf, dataFeeRequests, learnDataFee, type DataFee } from '../signing/data-fee.ts';
import { marketFees, min, USUAL_TIP, type Fees } from '../signing/fees.ts';
import { decodeRevert } from '../pure/revert-reason.ts';
import { agreedNonce, fewestOf, isMost, latestRequest, middle, quantity, receiptRequest } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/requests.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { classifySend } from '../rpc/send-errors.ts';
import type { Signer } from '../signing/signer.ts';
import { baseFeeOf, blockGasOf, gasText } from './fitness.ts';

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
    throw new Error(`${calls[index]?.what}: ${refusedType(outcome.error.message)}${outcome.error.message}`);
  });
  const hashes = signed.map(({ hash }) => hash);
  await awaitReceipts(rpc, quorum, calls, hashes);
  return hashes;
};

/** Words by which pools refuse every transaction of type 2. Some older ones fail to decode it. */
const typeWords = /t(ransaction|x)[ _]?type|typed transaction|type ?not ?activated|eip-?1559|rlp: expected|legacy/i;

/** Names the need of EIP-1559 before the words of an endpoint that refuses the type of our transactions. */
const refusedType = (words: string): string =>
  typeWords.test(words) ? 'the chain takes no transactions of type 2 (EIP-1559), and Carat sends no others: ' : '';

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
  const balances = responses.flatMap(({ outcomes: [own] }) => amountOf(own));
  if (balances.length < fewest)
    throw new Error(`${balances.length} endpoints report the balance, ${fewest} are needed`);
  const balance = balances.reduce((a, b) => (a > b ? a : b));
  if (balance === 0n) return { value: 0n, left: 0n, transaction: null };
  const estimate = middle(responses.flatMap(({ outcomes: [, own] }) => amountOf(own)));
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
 * ceiling applies unless one is given. Where none suggests a tip, it is their gas price without the base fee.
 */
export const feesNow = async (
  rpc: Rpc,
  ceiling = NO_CEILING,
): Promise<{ readonly price: bigint; readonly fees: Fees }> => {
  const asked = [latestRequest, { method: 'eth_maxPriorityFeePerGas' }, { method: 'eth_gasPrice' }];
  const responses = (await rpc.everyone(asked)).map(({ outcomes: [block, tip, price] }) => ({
    base: block?.ok ? [baseFeeOf(block.result) ?? 0n] : [],
    tip: amountOf(tip),
    price: amountOf(price),
  }));
  const baseFee = middle(responses.flatMap(({ base }) => base));
  if (baseFee === undefined) throw new Error('no endpoint reports its newest block');
  const overBase = responses.flatMap(({ base, price }) => base.flatMap((own) => price.map((all) => all - own)));
  const priorityFee =
    middle(responses.flatMap(({ tip }) => tip)) ?? middle(overBase.filter((tip) => tip > 0n)) ?? USUAL_TIP;
  return { price: baseFee + priorityFee, fees: marketFees({ baseFee, priorityFee }, ceiling) };
};

const amountOf = (outcome: RpcOutcome | undefined): bigint[] => (outcome?.ok ? [BigInt(outcome.result as string)] : []);

/** The gas limit of a call with this estimate. */
export const withRoom = (estimate: bigint): bigint => (estimate * 6n) / 5n;

/**
 * The gas limits of calls, none above that of a block. The median of the estimates counts, and a failure where most endpoints
 * report one, so that a false one neither stops a command nor makes its transaction run out of gas.
 */
const gasLimits = async (
  rpc: Rpc,
  quorum: number,
  signer: Signer,
  calls: readonly PlannedCall[],
): Promise<bigint[]> => {
  const open = calls.filter((call) => call.gasLimit === undefined);
  const estimates = open.map(({ to, data, value = 0n }) => ({
    method: 'eth_estimateGas',
    params: [{ from: signer.address, to, data, value: quantity(value) }],
  }));
  const requests = [...estimates, latestRequest];
  const everyone = await rpc.everyone(requests, { fewest: quorum });
  // An endpoint that is asked alone has more time, and throws the reason.
  const responses = everyone.length > 0 ? everyone : [await rpc.batch(requests)];
  const room = middle(responses.flatMap(({ outcomes }) => blockGasOf(outcomes.at(-1)))) ?? NO_CEILING;
  return calls.map((call) => {
    if (call.gasLimit !== undefined) return min(call.gasLimit, room);
    const outcomes = responses.flatMap((response) => response.outcomes[open.indexOf(call)] ?? []);
    const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
    const estimate = middle(outcomes.flatMap(amountOf));
    const isKnown = estimate !== undefined && !isMost(errors.length, outcomes.length, 1);
    if (isKnown && estimate <= room) return min(withRoom(estimate), room);
    if (isKnown) throw new Error(`${call.what}: it needs ${gasText(estimate)} gas, and a block has ${gasText(room)}`);
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
