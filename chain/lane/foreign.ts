import type { Slot } from '../../domain/ports/lane.ts';
import { raiseAlert } from '../alert.ts';
import { quantity } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { LaneRun, LaneState } from './context.ts';
import { toMined, type WireReceipt } from './reasons.ts';

interface WireTransaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
}

/** Blocks that must pass before a nonce without a receipt counts as used elsewhere: endpoints may lag. */
const PATIENCE_BLOCKS = 3;

/**
 * Pauses an account whose key is used elsewhere, or whose database was set back: its nonces are not ours to give then. What
 * is under way goes on.
 */
export const pauseIfForeign = async (run: LaneRun, state: LaneState): Promise<boolean> => {
  const { account, view } = state;
  if (account.status === 'paused') return true;
  // A key that never sent anything for us may have sent something else before, if that is over.
  const expected = account.nextNonce === 0 ? view.nonce : account.nextNonce;
  if (view.pendingNonce <= expected && view.nonce <= expected) return false;
  await pause(run, account.nextNonce, view.pendingNonce);
  return true;
};

const pause = async (run: LaneRun, ours: number, theirs: number): Promise<void> => {
  const { store, lease, network, signer, log } = run;
  await store.setStatus(lease, 'paused', 'nonce_used_elsewhere');
  await raiseAlert(run, {
    key: `lane_paused:${lease.id}:${ours}:${theirs}`,
    kind: 'lane_paused',
    message: `The account ${signer.address} on ${network.name} has transactions that Carat does not know: its key is used elsewhere, or the database is older than the chain`,
    data: { address: signer.address, next_nonce: ours, chain_nonce: theirs },
  });
  log.error('Lane paused: the nonce is used elsewhere', {
    address: signer.address,
    network: network.name,
    ours,
    theirs,
  });
};

/**
 * Looks for the transaction that used a slot's nonce when none of its attempts has a receipt, on every endpoint. Only a
 * transaction in a block lets go of a slot; its intents are judged by their words on the chain like any other's.
 */
export const closeForeignSlots = async (run: LaneRun, state: LaneState): Promise<void> => {
  const { memory, network, store, lease } = run;
  const { view } = state;
  const used = state.slots.filter((slot) => slot.state === 'signed' && slot.nonce < view.nonce);
  for (const id of memory.usedSince.keys()) if (!used.some((slot) => slot.id === id)) memory.usedSince.delete(id);
  for (const slot of used) {
    const since = memory.usedSince.get(slot.id) ?? view.tip;
    memory.usedSince.set(slot.id, since);
    if (view.tip - since < Math.max(PATIENCE_BLOCKS, network.confirmations)) continue;
    const receipt = await receiptSomewhere(run, slot);
    if (receipt) {
      await store.recordMined(lease, [await toMined(run, slot.id, receipt)]);
      continue;
    }
    const foreign = await findByNonce(run.rpc, run.signer.address, slot.nonce, view.tip);
    // The state of old blocks may be gone; then an operator has to look.
    if (foreign) {
      // Nothing of ours was tried.
      const mined = await toMined(run, slot.id, foreign);
      await store.recordMined(lease, [{ ...mined, receiptStatus: 0, waiting: {}, allWait: 'lane_paused' }]);
    }
    if (state.account.status === 'active') await pause(run, slot.nonce, view.nonce);
    memory.usedSince.set(slot.id, view.tip);
  }
};

const receiptSomewhere = async ({ rpc, signal }: LaneRun, slot: Slot): Promise<WireReceipt | null> => {
  const requests = slot.attempts.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] }));
  for (let endpoint = 0; endpoint < rpc.endpoints; endpoint += 1) {
    try {
      const { outcomes } = await rpc.batch(requests, { endpoint, signal });
      const found = outcomes.find((outcome) => outcome.ok && outcome.result !== null);
      if (found?.ok) return found.result as WireReceipt;
    } catch {
      // An endpoint that does not answer has no receipt either.
    }
  }
  return null;
};

/**
 * Finds the transaction of an account by its nonce: bisects for the block in which the account's count passed it.
 * @returns null when the endpoint has not kept the state of those blocks
 */
const findByNonce = async (rpc: Rpc, address: string, nonce: number, tip: number): Promise<WireReceipt | null> => {
  let low = 0;
  let high = tip;
  try {
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const count = Number(await rpc.call('eth_getTransactionCount', [address, quantity(middle)]));
      if (count > nonce) high = middle;
      else low = middle + 1;
    }
    const block = (await rpc.call('eth_getBlockByNumber', [quantity(low), true])) as {
      transactions: readonly WireTransaction[];
    } | null;
    const found = block?.transactions.find((tx) => tx.from.toLowerCase() === address && Number(tx.nonce) === nonce);
    return found ? ((await rpc.call('eth_getTransactionReceipt', [found.hash])) as WireReceipt | null) : null;
  } catch {
    return null;
  }
};
