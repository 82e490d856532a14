import type { MinedSlot, Slot } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { raiseAlert } from '../alert.ts';
import { latestRequest, nonceRequest, receiptRequest } from '../rpc/calls.ts';
import { asRefusal } from '../network-trouble.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import type { LaneRun } from './context.ts';
import { firstGuess } from './planning/gas.ts';
import { noticeBlock } from './planning/measure.ts';
import type { FeeMarket } from '../signing/fees.ts';
import { marketOf, tipRequest } from './market.ts';
import { agreedReceipts, toMined, type WireReceipt } from './receipts.ts';
import type { ChainView } from './state.ts';
import { measure } from '../../runtime/measures.ts';

interface WireBlock {
  readonly number: string;
  readonly gasLimit: string;
}

/** Highest margin, in percent of an estimate. */
const MOST_MARGIN = 400n;
/** Milliseconds for which a raised margin lasts. */
const MARGIN_MS = 600_000;

/** The view of the chain, and the slots that are in no block yet. */
interface Observed {
  readonly view: ChainView;
  readonly slots: readonly Slot[];
  /** Why an endpoint does not give the receipt of a nonce that is used; undefined where there is no such. */
  readonly refused: unknown;
}

/**
 * Reads the receipts of everything in flight and records them. An error in place of one receipt concerns that one only.
 * @throws RpcError when no endpoint responds
 */
export const recordOutcomes = async (run: LaneRun, slots: readonly Slot[]): Promise<Observed> => {
  const { view, mined, refused } = await observe(run, slots);
  if (mined.length > 0) {
    run.failpoint('runLane:before_mined');
    await run.store.recordMined(run.lease, mined);
    run.failpoint('runLane:after_mined');
    const { network, role, signer } = run;
    measure('mined', {
      network: network.name,
      role,
      address: signer.address,
      transactions: mined.map((slot) => ({
        fee: slot.gasUsed * slot.effectiveGasPrice,
        succeeded: slot.receiptStatus === 1,
      })),
    });
    await learnFromReceipts(run, mined);
  }
  const minedIds = new Set(mined.map(({ slotId }) => slotId));
  return { view, slots: slots.filter((slot) => !minedIds.has(slot.id)), refused };
};

/**
 * Raises the gas margin after a transaction failed as a whole although its key has its role: it ran out of gas. Estimates
 * may stay too low, so the raise lasts.
 */
const learnFromReceipts = async (run: LaneRun, mined: readonly MinedSlot[]): Promise<void> => {
  const { memory, lease, signer, network } = run;
  const failed = mined.filter(({ receiptStatus, allWait }) => receiptStatus === 0 && allWait === null);
  const now = steadyClock.now();
  if (failed.length > 0) {
    const { margin } = memory.gas.measure;
    memory.gas.measure = { ...memory.gas.measure, margin: margin < MOST_MARGIN ? (margin * 3n) / 2n : margin };
    memory.gas.marginUntil = now + MARGIN_MS;
  } else if (now >= memory.gas.marginUntil) memory.gas.measure = { ...memory.gas.measure, margin: firstGuess.margin };
  for (const { txHash } of failed.slice(0, 1)) {
    await raiseAlert(run, {
      kind: 'transaction_failed',
      subject: `${lease.id}:${txHash}`,
      message: `A transaction of ${signer.address} on ${network.name} failed as a whole; the next try gets more gas`,
      data: { address: signer.address, transaction_hash: txHash },
    });
  }
};

/** Reads tip, base fee, nonces and funds, and the receipts of signed slots. */
const observe = async (run: LaneRun, slots: readonly Slot[]) => {
  const { signer } = run;
  const attempts = slots
    .filter((slot) => slot.state === 'signed')
    .flatMap(({ id, nonce, attempts: own }) => own.map(({ txHash }) => ({ slotId: id, nonce, txHash })));
  const account: RpcRequest[] = [
    latestRequest,
    nonceRequest(signer.address, 'latest'),
    nonceRequest(signer.address, 'pending'),
    { method: 'eth_getBalance', params: [signer.address, 'latest'] },
    tipRequest,
  ];
  const outcomes = await ask(run, [...account, ...attempts.map(({ txHash }) => receiptRequest(txHash))]);
  const rest = outcomes.slice(account.length);
  const view = viewOf(outcomes, await marketOf(run, [outcomes[0], outcomes[4]]));
  noticeBlock(run, view.blockGasLimit);

  // With an unused nonce, the receipt is from a lost block; a geth that was killed returns such receipts for long.
  const told = attempts.flatMap(({ slotId, nonce }, index) => {
    const outcome = rest[index];
    const receipt = outcome?.ok ? (outcome.result as WireReceipt | null) : null;
    return receipt === null || nonce >= view.nonce ? [] : [{ slotId, receipt }];
  });
  const shown = new Set(told.map(({ slotId }) => slotId));
  const refused = attempts.flatMap(({ slotId, nonce }, index) => {
    const outcome = rest[index];
    return outcome?.ok === false && nonce < view.nonce && !shown.has(slotId)
      ? [asRefusal(outcome.error, 'eth_getTransactionReceipt')]
      : [];
  })[0];
  const mined = new Map((await agreedReceipts(run, told)).map(({ slotId, receipt }) => [slotId, receipt]));
  return {
    view,
    refused,
    mined: await Promise.all([...mined].map(([slotId, receipt]) => toMined(run, slotId, receipt))),
  };
};

/**
 * Asks one endpoint.
 * @throws RpcError when none responds; a refusal of these requests when they respond to another one
 */
const ask = async ({ rpc, turn, signal }: LaneRun, requests: readonly RpcRequest[]): Promise<readonly RpcOutcome[]> => {
  try {
    return (await rpc.batch(requests, { turn: turn.now, signal })).outcomes;
  } catch (error) {
    const others = new Set(requests.flatMap(({ method }) => (method === latestRequest.method ? [] : [method])));
    const refusal = asRefusal(error, [...others].join(' or '));
    if (refusal !== error) await rpc.batch([latestRequest], { signal });
    throw refusal;
  }
};

/** @throws RpcError; the endpoint has responded to another request, so a failure counts as a refusal */
const grantedOf = (outcome: RpcOutcome | undefined, method: string): unknown => {
  if (outcome?.ok === false) throw asRefusal(outcome.error, method);
  return resultOf(outcome);
};

const viewOf = ([tip, nonce, pending, balance]: readonly RpcOutcome[], market: FeeMarket): ChainView => {
  const header = resultOf(tip) as WireBlock;
  return {
    tip: Number(header.number),
    ...market,
    blockGasLimit: BigInt(header.gasLimit),
    nonce: Number(grantedOf(nonce, 'eth_getTransactionCount')),
    // Some endpoints do not know their pool.
    pendingNonce: pending?.ok ? Number(pending.result) : null,
    balance: BigInt(grantedOf(balance, 'eth_getBalance') as string),
  };
};
