import type { Slot } from '../../../domain/ports/lane.ts';
import { steadyClock } from '../../../domain/tools/clock.ts';
import {
  byNumber,
  endpointsBut,
  fewestOf,
  isMost,
  latestRequest,
  nonceRequest,
  receiptRequest,
} from '../../rpc/calls.ts';
import { resultOf, type RpcBatch, type RpcOutcome, type RpcRequest } from '../../rpc/requests.ts';
import type { LaneRun } from '../context.ts';
import type { MinedAttempt, UnknownOutcome, UsedNonce } from '../memory.ts';
import { pauseLane } from './foreign.ts';
import { agreedReceipts, toMined, type WireReceipt } from '../receipts.ts';
import { actionOf, type OpenTransaction, type WorkState } from '../state.ts';

/*
 * Used nonces without a receipt. Usually one of the slot's own attempts used the nonce, and the endpoint is late with
 * the receipt. Otherwise a stranger has the key, or the database was set back and lost an attempt.
 */

/** Number of blocks that must pass besides the time, unless the chain stands still. */
const PATIENCE_BLOCKS = 3;
/** Shortest and longest interval between requests to every endpoint, in milliseconds; it grows with time. */
const AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 30_000;

interface WireTransaction {
  readonly blockHash?: string | null;
  readonly blockNumber?: string | null;
}

/** An endpoint that has one of a slot's own attempts, in a block or, without one, in its pool. */
interface Sighting {
  readonly endpoint: number;
  readonly txHash: string;
  readonly block: { readonly number: number; readonly hash: string } | null;
  readonly receipt: WireReceipt | null;
}

/** The responses of all endpoints about one slot. */
interface NoncePoll {
  readonly slot: Slot;
  readonly used: UsedNonce;
  /** The median tip of the endpoints that count the nonce as used; null unless most do. */
  readonly usedBy: number | null;
  /** Endpoints that count it as used, and those that do not. The others have not responded. */
  readonly counting: readonly number[];
  readonly denying: readonly number[];
  readonly sightings: readonly Sighting[];
}

/**
 * `foreign`: a stranger used the nonce. `settled`: nothing to do now. Otherwise the reason why the outcome is unknown.
 */
type Verdict = 'foreign' | 'settled' | UnknownOutcome;

/**
 * Finds out whose transactions used the nonces of slots without a receipt. A nonce that one of the slot's own attempts
 * used is Carat's, however late the receipt is. A nonce that most endpoints count as used, while none shows an attempt
 * of the slot, is a stranger's: the lane is paused once for it, and the slot is closed. The words of the deals decide
 * the outcome of its intents.
 * @returns true when the lane is paused
 */
export const settleUsedNonces = async (run: LaneRun, state: WorkState): Promise<boolean> => {
  // Another endpoint may have the receipt, or not count the nonce as used.
  if (state.transactions.some(isUsed)) run.turn.askAnother();
  const due = dueSlots(run, state);
  const polls = due.length === 0 ? [] : await pollEndpoints(run, due);
  const refuted = polls.flatMap((poll) => (isRefuted(poll) ? poll.counting : []));
  for (const endpoint of new Set(refuted))
    run.rpc.demoteBriefly(endpoint, 'counts a nonce as used that most others do not');
  let isPaused = state.account.status === 'paused';
  for (const poll of polls) {
    const { slot, used, usedBy } = poll;
    const verdict = await examineSlot(run, poll);
    used.unknown = typeof verdict === 'string' ? null : verdict;
    if (verdict !== 'foreign') continue;
    if (!used.hasPaused && !isPaused) await pauseLane(run, slot.nonce, state.view.nonce);
    isPaused ||= !used.hasPaused;
    used.hasPaused = true;
    used.block = Math.min(used.block, usedBy ?? used.block);
    await run.store.closeForeign(run.lease, slot.id, used.block);
  }
  return isPaused;
};

const isUsed = ({ state }: OpenTransaction): boolean => actionOf[state.is] === 'settle';

/** True when most endpoints do not count the nonce as used. */
const isRefuted = ({ usedBy, counting, denying }: NoncePoll): boolean =>
  usedBy === null && denying.length > counting.length;

/** Slots whose nonce has been used for so long that every endpoint should know the transaction. */
const dueSlots = (run: LaneRun, { slots, transactions, view }: WorkState): { slot: Slot; used: UsedNonce }[] => {
  const { timing } = run;
  const { used: seen } = run.memory.transactions;
  const now = steadyClock.now();
  const open = new Set(slots.map(({ id }) => id));
  for (const id of seen.keys()) if (!open.has(id)) seen.delete(id);
  return transactions.flatMap((transaction) => {
    const { slot } = transaction;
    if (isUsed(transaction) && !seen.has(slot.id)) {
      const { nonce } = slot;
      const fresh = {
        nonce,
        since: now,
        block: view.tip,
        askedAt: -Infinity,
        hasPaused: false,
        proof: null,
        unknown: null,
      };
      seen.set(slot.id, fresh);
    }
    const used = seen.get(slot.id);
    if (used === undefined) return [];
    const age = now - used.since;
    if (now - used.askedAt < Math.min(Math.max(AGAIN_MS, age / 10), LONGEST_AGAIN_MS)) return [];
    const isOld = age >= timing.foreign && (view.tip - used.block >= PATIENCE_BLOCKS || age >= timing.foreign * 2);
    return isOld ? [{ slot, used: Object.assign(used, { askedAt: now }) }] : [];
  });
};

const transactionRequest = (hash: string): RpcRequest => ({ method: 'eth_getTransactionByHash', params: [hash] });

/** Asks every endpoint for its newest block, the next nonce, and the slots' own attempts. */
const pollEndpoints = async (
  { rpc, signer, network, signal }: LaneRun,
  due: readonly { readonly slot: Slot; readonly used: UsedNonce }[],
): Promise<NoncePoll[]> => {
  const attempts = due.flatMap(({ slot }) => slot.attempts.map(({ txHash }) => txHash));
  const requests: RpcRequest[] = [
    latestRequest,
    nonceRequest(signer.address, 'latest'),
    ...attempts.flatMap((hash) => [receiptRequest(hash), transactionRequest(hash)]),
  ];
  const fewest = fewestOf(rpc, network.quorum);
  const isResponse = ({ ok }: RpcOutcome, index: number): boolean =>
    ok || requests[index]?.method === 'eth_getTransactionByHash';
  const responses = (await rpc.everyone(requests, { fewest, signal })).filter(({ outcomes }) =>
    outcomes.every(isResponse),
  );
  return due.map(({ slot, used }) => {
    const counting = responses.filter(({ outcomes: [, nonce] }) => Number(resultOf(nonce)) > slot.nonce);
    const tips = counting.map(({ outcomes: [tip] }) => Number((resultOf(tip) as { number: string }).number));
    const middle = tips.sort((a, b) => a - b)[Math.floor(tips.length / 2)];
    return {
      slot,
      used,
      usedBy: isMost(counting.length, responses.length, fewest) ? middle! : null,
      counting: counting.map(({ endpoint }) => endpoint),
      denying: responses.filter((response) => !counting.includes(response)).map(({ endpoint }) => endpoint),
      sightings: responses.flatMap((response) => sightingsOf(slot, attempts, response)),
    };
  });
};

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

/** Judges one slot, and records its attempt when the attempt is mined. */
const examineSlot = async (run: LaneRun, poll: NoncePoll): Promise<Verdict> => {
  const { rpc, memory, timing } = run;
  const { slot, used, usedBy, counting, sightings } = poll;
  if (usedBy === null) {
    const endpoints = endpointsBut(rpc, counting);
    if (!isRefuted(poll)) return { why: 'too few endpoints count its nonce as used', endpoints };
    memory.transactions.used.delete(slot.id);
    return 'settled';
  }
  const wasOurs = used.proof !== null;
  const { proof, responding } = await provedOf(run, used.proof, sightings);
  used.proof = proof;
  if (proof !== null) return recordProved(run, poll, proof);
  if (wasOurs) {
    // Its block was reorganised away, so the nonce is in question again.
    memory.transactions.used.delete(slot.id);
    return 'settled';
  }
  // The silence of an endpoint proves nothing.
  if (responding.length < fewestOf(rpc, run.network.quorum)) {
    return { why: 'too few endpoints report the blocks that may contain it', endpoints: endpointsBut(rpc, responding) };
  }
  // Other endpoints may not have the attempt yet.
  if (sightings.length > 0 && steadyClock.now() - used.since < timing.foreign * 2) return 'settled';
  for (const { endpoint, block } of sightings) {
    if (block !== null) rpc.demoteBriefly(endpoint, 'reports a transaction in a block that the others do not have');
  }
  return 'foreign';
};

/** Records a proved attempt with its receipt, without which the slot cannot go on. */
const recordProved = async (run: LaneRun, { slot, sightings }: NoncePoll, proof: MinedAttempt): Promise<Verdict> => {
  const showing = sightings.filter(
    ({ txHash, receipt }) => txHash === proof.txHash && receipt?.blockHash.toLowerCase() === proof.hash,
  );
  const told = showing.flatMap(({ receipt }) => (receipt ? [{ slotId: slot.id, receipt }] : []));
  const [agreed] = await agreedReceipts(run, told);
  if (agreed) {
    await run.store.recordMined(run.lease, [await toMined(run, slot.id, agreed.receipt)]);
    return 'settled';
  }
  const endpoints = endpointsBut(
    run.rpc,
    showing.map(({ endpoint }) => endpoint),
  );
  return { why: `its block contains ${proof.txHash}, and too few endpoints have the receipt`, endpoints };
};

/** The attempt that most endpoints have in a block. */
interface Proof {
  /** Null unless most have one. */
  readonly proof: MinedAttempt | null;
  /** Endpoints that have responded. */
  readonly responding: readonly number[];
}

/**
 * Finds the attempt that most endpoints have in a block. It requests the blocks themselves, because indexes of
 * transactions may lag. An endpoint without a block at that height has no vote. An earlier proof holds until enough
 * endpoints have another block there.
 */
const provedOf = async (
  { rpc, network, signal }: LaneRun,
  earlier: MinedAttempt | null,
  sightings: readonly Sighting[],
): Promise<Proof> => {
  const seen = sightings.flatMap(({ txHash, block }) => (block ? [{ txHash, ...block }] : []));
  const mined = earlier === null ? seen : [earlier, ...seen];
  if (mined.length === 0) return { proof: null, responding: endpointsBut(rpc, []) };
  const fewest = fewestOf(rpc, network.quorum);
  const responses = await rpc.everyone(
    mined.map(({ number }) => byNumber(number)),
    { fewest, signal },
  );
  const votesOn = (index: number): boolean[] =>
    responses.flatMap(({ outcomes }) => voteOf(outcomes[index], mined[index]!) ?? []);
  const proved = mined.find((_, index) => isMost(votesOn(index).filter(Boolean).length, votesOn(index).length, fewest));
  const against = earlier === null ? [] : votesOn(0).filter((vote) => !vote);
  const isKept = earlier !== null && !isMost(against.length, votesOn(0).length, fewest);
  const responding = responses.filter(({ outcomes }) => outcomes.every(({ ok }) => ok)).map(({ endpoint }) => endpoint);
  return { proof: proved ?? (isKept ? earlier : null), responding };
};

/** True when an endpoint has the attempt in this very block; null when it reports no block there. */
const voteOf = (outcome: RpcOutcome | undefined, { txHash, hash }: MinedAttempt): boolean | null => {
  const block = outcome?.ok ? (outcome.result as { hash: string; transactions?: unknown } | null) : null;
  if (block === null) return null;
  const hashes = Array.isArray(block.transactions) ? block.transactions.map((own) => String(own).toLowerCase()) : [];
  return block.hash.toLowerCase() === hash && hashes.includes(txHash);
};
