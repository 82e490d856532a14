import type { MinedSlot, Slot } from '../../domain/ports/lane.ts';
import { raiseAlert } from '../alert.ts';
import { nonceRequest, quantity, receiptRequest } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { LaneRun, LaneState } from './context.ts';
import { borneOut, toMined, type WireReceipt } from './receipts.ts';

interface WireBlock {
  readonly hash: string;
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly nonce: string }[];
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
  if (account.nextNonce === 0) await requireAgreed(run, view.nonce);
  // A key that never sent anything for us may have sent something else before, if that is over.
  const expected = account.nextNonce === 0 ? view.nonce : account.nextNonce;
  const theirs = Math.max(view.nonce, view.pendingNonce ?? 0);
  if (theirs <= expected) return false;
  await requireMost(run, expected, ['latest', 'pending']);
  await pause(run, account.nextNonce, theirs);
  return true;
};

/**
 * One endpoint alone is not believed when it stops a lane.
 * @throws RpcError when not the quorum, or no more than half of the endpoints that answer, count more transactions of the
 *   account than expected
 */
const requireMost = async (
  { rpc, signer, network, signal }: LaneRun,
  expected: number,
  tags: readonly string[],
): Promise<void> => {
  const requests = tags.map((tag) => nonceRequest(signer.address, tag));
  const answers = await rpc.everyone(requests, { signal });
  const more = answers.filter(({ outcomes }) => outcomes.some((own) => own.ok && Number(own.result) > expected));
  if (more.length * 2 > answers.length && more.length >= network.quorum) return;
  for (const { endpoint } of more) rpc.doubt(endpoint, 'counts more transactions than the others');
  throw new RpcError('inconsistent', 'endpoints count different numbers of transactions');
};

/**
 * The first nonce of a key is the chain's: a false one could never be used.
 * @throws RpcError when the quorum does not count so many transactions
 */
const requireAgreed = async ({ rpc, signer, network, signal }: LaneRun, nonce: number): Promise<void> => {
  const pick = ([count]: readonly RpcOutcome[]) => [count?.ok ? String(Number(count.result)) : undefined];
  const [agreed] = await rpc.agree([nonceRequest(signer.address, 'latest')], network.quorum, pick, signal);
  if (agreed !== String(nonce)) throw new RpcError('inconsistent', 'endpoints count different numbers of transactions');
};

const pause = async (run: LaneRun, ours: number, theirs: number): Promise<void> => {
  const { store, lease, network, signer, log } = run;
  await store.setStatus(lease, 'paused', 'nonce_used_elsewhere');
  await raiseAlert(run, {
    key: `lane_paused:${lease.id}`,
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
 * Closes slots whose nonce was used by other bytes than those that are stored, as a stranger with the key sends them, or as
 * the database had them before it was set back. No endpoint has a receipt of ours then. What became of the intents is
 * judged by the words of their deals, like any other's. The lane is paused once for it: nothing of it is left to find after.
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
    await requireMost(run, slot.nonce, ['latest']);
    const receipt = await receiptSomewhere(run, slot);
    const [told] = receipt ? await borneOut(run, [{ slotId: slot.id, receipt }]) : [];
    if (told) {
      await store.recordMined(lease, [await toMined(run, slot.id, told.receipt)]);
      continue;
    }
    if (receipt && !(await isMadeUp(run, receipt))) continue;
    const use = await findUse(run, slot.nonce, view.tip);
    // No endpoint tells of any block in which the nonce is used: later perhaps.
    if (use === null) continue;
    if (state.account.status === 'active') await pause(run, slot.nonce, view.nonce);
    const nothing = {
      receiptStatus: 0,
      gasUsed: 0n,
      effectiveGasPrice: 0n,
      waiting: {},
      allWait: 'lane_paused',
    } as const;
    await store.recordMined(lease, [{ slotId: slot.id, ...use, ...nothing }]);
  }
};

const receiptSomewhere = async ({ rpc, signal }: LaneRun, slot: Slot): Promise<WireReceipt | null> => {
  const requests = slot.attempts.map(({ txHash }) => receiptRequest(txHash));
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

/** True where the quorum says that there is no such receipt: by now nobody is behind. */
const isMadeUp = async ({ rpc, network, signal }: LaneRun, { transactionHash }: WireReceipt): Promise<boolean> => {
  const pick = ([own]: readonly RpcOutcome[]) => [own?.ok ? String(own.result === null) : undefined];
  const [isNone] = await rpc.agree([receiptRequest(transactionHash)], network.quorum, pick, signal);
  return isNone === 'true';
};

/**
 * The block in which a nonce was used: looks back from the tip, twice as far each time, until it was not used yet, then
 * between the last two. Where the state of older blocks is gone, the oldest one does that shows the nonce used: no later
 * transaction can have it, so the words at that block tell what became of the slot.
 * @returns null when the state of no block shows it
 */
const findUse = async (
  { rpc, signer, signal }: LaneRun,
  nonce: number,
  tip: number,
): Promise<Pick<MinedSlot, 'txHash' | 'blockNumber' | 'blockHash'> | null> => {
  const isUsedAt = async (block: number): Promise<boolean | null> => {
    const [count] = (await rpc.batch([nonceRequest(signer.address, quantity(block))], { signal })).outcomes;
    return count?.ok ? Number(count.result) > nonce : null;
  };
  let [unused, used]: [number | null, number | null] = [null, null];
  for (let distance = 0, step = 1; unused === null; distance = Math.min(distance + step, tip), step *= 2) {
    const isUsed = await isUsedAt(tip - distance);
    if (isUsed === false) unused = tip - distance;
    if (isUsed === true) used = tip - distance;
    if (isUsed === null || distance === tip) break;
  }
  if (used === null) return null;
  unused ??= used - 1;
  while (used - unused > 1) {
    const middle = Math.floor((used + unused) / 2);
    if (await isUsedAt(middle)) used = middle;
    else unused = middle;
  }
  const block = (await rpc.call('eth_getBlockByNumber', [quantity(used), true], { signal })) as WireBlock | null;
  if (block === null) return null;
  const found = block.transactions.find(
    ({ from, nonce: own }) => from.toLowerCase() === signer.address && Number(own) === nonce,
  );
  return {
    txHash: found?.hash.toLowerCase() ?? null,
    blockNumber: used,
    blockHash: block.hash.toLowerCase(),
  };
};
