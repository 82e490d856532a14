import type { Slot } from '../../domain/ports/lane.ts';
import { fewestOf, nonceRequest, quantity, receiptRequest } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/endpoint.ts';
import type { RpcBatch } from '../rpc/rpc.ts';
import type { LaneRun, LaneState, UsedNonce } from './context.ts';
import { pause } from './foreign.ts';
import { borneOut, toMined, type WireReceipt } from './receipts.ts';

/*
 * Nonces that are used on the chain while no receipt tells by what. Mostly it is one of the slot's own attempts, and the
 * endpoint is late with the receipt. Else a stranger has the key, or the database was set back and has lost an attempt.
 */

/** Blocks that must pass as well, unless the chain stands still. */
const PATIENCE_BLOCKS = 3;
/** Milliseconds between questions to every endpoint. */
const AGAIN_MS = 1_000;

interface WireTransaction {
  readonly blockHash?: string | null;
  readonly blockNumber?: string | null;
}

/** Where an endpoint has one of a slot's own attempts; in its pool where there is no block. */
interface Sighting {
  readonly endpoint: number;
  readonly txHash: string;
  readonly block: { readonly number: number; readonly hash: string } | null;
  readonly receipt: WireReceipt | null;
}

/** What all endpoints say of one slot. */
interface Hearing {
  readonly slot: Slot;
  readonly used: UsedNonce;
  /** The newest block of an endpoint in the middle of those that count the nonce as used; null where most do not. */
  readonly usedBy: number | null;
  readonly sightings: readonly Sighting[];
}

/**
 * Finds out whose transactions have used the nonces of slots without a receipt. A nonce that one of the slot's own attempts has
 * used is ours, however late the receipt is. One that most endpoints count as used, and of which nobody shows an attempt of
 * ours, is a stranger's: the lane is paused once for it, and the slot is closed. What became of its intents is judged by
 * the words of their deals.
 * @returns true when the lane is paused
 */
export const settleUsedNonces = async (run: LaneRun, state: LaneState): Promise<boolean> => {
  const due = dueSlots(run, state);
  let isPaused = state.account.status === 'paused';
  for (const hearing of due.length === 0 ? [] : await hear(run, due)) {
    if (!(await isForeign(run, hearing))) continue;
    const { slot, used, usedBy } = hearing;
    if (!used.isTold && !isPaused) await pause(run, slot.nonce, state.view.nonce);
    isPaused ||= !used.isTold;
    used.isTold = true;
    used.block = Math.min(used.block, usedBy ?? used.block);
    await run.store.closeForeign(run.lease, slot.id, used.block);
  }
  return isPaused;
};

/** Slots whose nonce is used for long enough that every endpoint should know by what. */
const dueSlots = ({ memory, timing }: LaneRun, { slots, view }: LaneState): { slot: Slot; used: UsedNonce }[] => {
  const now = Date.now();
  const open = new Set(slots.map(({ id }) => id));
  for (const id of memory.used.keys()) if (!open.has(id)) memory.used.delete(id);
  return slots.flatMap((slot) => {
    if (slot.state === 'signed' && slot.nonce < view.nonce && !memory.used.has(slot.id)) {
      memory.used.set(slot.id, { since: now, block: view.tip, askedAt: 0, isTold: false, isOurs: false });
    }
    const used = memory.used.get(slot.id);
    if (used === undefined || now - used.askedAt < AGAIN_MS) return [];
    const age = now - used.since;
    const isOld = age >= timing.foreign && (view.tip - used.block >= PATIENCE_BLOCKS || age >= timing.foreign * 2);
    return isOld ? [{ slot, used: Object.assign(used, { askedAt: now }) }] : [];
  });
};

const transactionRequest = (hash: string): RpcRequest => ({ method: 'eth_getTransactionByHash', params: [hash] });

/** Asks every endpoint for its newest block, the next nonce, and the slots' own attempts. */
const hear = async (
  { rpc, signer, network, signal }: LaneRun,
  due: readonly { readonly slot: Slot; readonly used: UsedNonce }[],
): Promise<Hearing[]> => {
  const attempts = due.flatMap(({ slot }) => slot.attempts.map(({ txHash }) => txHash));
  const requests: RpcRequest[] = [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    nonceRequest(signer.address, 'latest'),
    ...attempts.flatMap((hash) => [receiptRequest(hash), transactionRequest(hash)]),
  ];
  const fewest = fewestOf(rpc, network.quorum);
  const isAnswer = ({ ok }: RpcOutcome, index: number): boolean =>
    ok || requests[index]?.method === 'eth_getTransactionByHash';
  const answers = (await rpc.everyone(requests, { fewest, signal })).filter(({ outcomes }) => outcomes.every(isAnswer));
  return due.map(({ slot, used }) => {
    const counting = answers.filter(({ outcomes: [, nonce] }) => Number(resultOf(nonce)) > slot.nonce);
    const tips = counting.map(({ outcomes: [tip] }) => Number((resultOf(tip) as { number: string }).number));
    const middle = tips.sort((a, b) => a - b)[Math.floor(tips.length / 2)];
    return {
      ...{ slot, used },
      usedBy: isMost(counting.length, answers.length, fewest) ? middle! : null,
      sightings: answers.flatMap((answer) => sightingsOf(slot, attempts, answer)),
    };
  });
};

const isMost = (count: number, of: number, fewest: number): boolean => count * 2 > of && count >= fewest;

const sightingsOf = (slot: Slot, attempts: readonly string[], { endpoint, outcomes }: RpcBatch): Sighting[] =>
  slot.attempts.flatMap(({ txHash }) => {
    const place = 2 + attempts.indexOf(txHash) * 2;
    const [receipt, transaction] = outcomes
      .slice(place, place + 2)
      .map((outcome) => (outcome.ok ? outcome.result : null)) as [WireReceipt | null, WireTransaction | null];
    const found = receipt ?? transaction;
    if (found === null) return [];
    const block = found.blockHash ? { number: Number(found.blockNumber), hash: found.blockHash.toLowerCase() } : null;
    return [{ endpoint, txHash, block, receipt }];
  });

/** What is ours by now is written down. */
const isForeign = async (run: LaneRun, { slot, used, usedBy, sightings }: Hearing): Promise<boolean> => {
  const { rpc, memory, store, lease, timing } = run;
  if (usedBy === null) {
    // Too few count it as used; the next endpoint may say otherwise.
    memory.used.delete(slot.id);
    memory.turn += 1;
    return false;
  }
  const { own, isHeard } = await provedOf(run, sightings);
  if (own !== null) {
    used.isOurs = true;
    const told = sightings.flatMap(({ txHash, receipt }) =>
      receipt && txHash === own ? [{ slotId: slot.id, receipt }] : [],
    );
    const [receipt] = await borneOut(run, told.slice(0, 1));
    if (receipt) await store.recordMined(lease, [await toMined(run, slot.id, receipt.receipt)]);
  }
  // An endpoint that fails for a moment takes no proof back, and its silence proves nothing.
  if (used.isOurs || !isHeard) return false;
  // What one endpoint shows early others may not have yet.
  if (sightings.length > 0 && Date.now() - used.since < timing.foreign * 2) return false;
  for (const { endpoint, block } of sightings) {
    if (block !== null) rpc.doubt(endpoint, 'tells of a transaction in a block that the others do not have');
  }
  return true;
};

/** Whether most endpoints have one of the attempts in a block. */
interface Proof {
  /** Hash of the attempt; null where most do not have it. */
  readonly own: string | null;
  /** Enough endpoints have answered. */
  readonly isHeard: boolean;
}

/**
 * Seeks the attempt that is in a block of most endpoints. It asks for the block itself, which no index has to follow. An
 * endpoint without a block at that height has no vote on it.
 */
const provedOf = async ({ rpc, network, signal }: LaneRun, sightings: readonly Sighting[]): Promise<Proof> => {
  const mined = sightings.flatMap(({ txHash, block }) => (block ? [{ txHash, ...block }] : []));
  if (mined.length === 0) return { own: null, isHeard: true };
  const fewest = fewestOf(rpc, network.quorum);
  const requests = mined.map(({ number }) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] }));
  const answers = await rpc.everyone(requests, { fewest, signal });
  const proved = mined.find((sighting, index) => {
    const votes = answers.flatMap(({ outcomes }) => voteOf(outcomes[index], sighting) ?? []);
    return isMost(votes.filter(Boolean).length, votes.length, fewest);
  });
  const heard = answers.filter(({ outcomes }) => outcomes.every(({ ok }) => ok));
  return { own: proved?.txHash ?? null, isHeard: heard.length >= fewest };
};

/** Whether an endpoint has an attempt in this very block; null where it tells of no block. */
const voteOf = (outcome: RpcOutcome | undefined, { txHash, hash }: MinedAttempt): boolean | null => {
  const block = outcome?.ok ? (outcome.result as { hash: string; transactions?: unknown } | null) : null;
  if (block === null) return null;
  const hashes = Array.isArray(block.transactions) ? block.transactions.map((own) => String(own).toLowerCase()) : [];
  return block.hash.toLowerCase() === hash && hashes.includes(txHash);
};

/** An attempt, and the hash of the block that is said to have it. */
interface MinedAttempt {
  readonly txHash: string;
  readonly hash: string;
}
