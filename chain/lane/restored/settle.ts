import { logAlerts } from '../../../domain/tools/observer.ts';
import type { FoundTransaction, RestoredLane, Slot } from '../../../domain/ports/lane.ts';
import { steadyClock } from '../../../domain/tools/clock.ts';
import { verdictOf } from '../../pure/deal-state.ts';
import { registryAddress } from '../../pure/platform.ts';
import { readDealWords } from '../../deal-words.ts';
import { receiptRequest } from '../../rpc/calls.ts';
import { resultOf } from '../../rpc/requests.ts';
import type { LaneRun } from '../context.ts';
import type { RestoredSearch } from '../memory.ts';
import type { LaneState } from '../state.ts';
import { pauseLane, requireMost } from '../nonces/foreign.ts';
import { agreedReceipts, type WireReceipt } from '../receipts.ts';
import { observeUncounted, observeUnknownOutcomes } from '../nonces/unknown-outcomes.ts';
import { lacking, newSearch, searchBlocks, type Lack } from './blocks.ts';
import { readOwnCall, type CalledDeal } from './own-calls.ts';

/*
 * The first run of a lane in a database that is marked as restored (docs/decisions/0077). No transaction of a thief may pass: one
 * that is not borne out pauses the lane, as in any other database.
 */

/** A restored lane waits for missing blocks and receipts for so many times its patience with foreign nonces. */
const PATIENCE = 6;
/** Most nonces and deals that the alert lists; `carat restored --show` lists all deals. */
const MOST_NAMED = 200;

/** Nothing can be said yet; the reason why the lane pauses; or the deals of transactions that are all borne out. */
type Verdict = Lack | { readonly pauses: string } | { readonly deals: readonly CalledDeal[] };

/**
 * Judges the nonces that the chain knows and a restored database does not. Sends nothing. When all of them are borne out, the lane
 * takes their transactions into its books and goes on with the next tick; otherwise it pauses.
 */
export const settleRestored = async (run: LaneRun, state: LaneState): Promise<void> => {
  const { store, lease, memory } = run;
  const grant = await store.restored(lease);
  if (grant === null) return;
  const { account, view, slots } = state;
  const expected = Math.max(grant.nonce, account.nextNonce);
  const theirs = Math.max(view.nonce, view.pendingNonce ?? 0);
  if (theirs > expected) {
    await requireMost(run, expected);
    return pauseLane(
      run,
      account.nextNonce,
      theirs,
      'the chain has more transactions than were counted after the restore',
    );
  }
  const wanted = wantedNonces(grant, state);
  const search = (memory.restored ??= newSearch(grant));
  const verdict = wanted.length === 0 ? 'unneeded' : await examineFound(run, { grant, wanted, slots, search });
  if (verdict === 'unneeded') await store.endRestored(lease);
  else if ('deals' in verdict) await takeOver(run, grant, { wanted, search, deals: verdict.deals });
  else if ('pauses' in verdict) await pauseLane(run, account.nextNonce, view.nonce, verdict.pauses);
  else if ('waitsInVain' in verdict) return waitInVain(run, state, search, verdict.waitsInVain);
  // A part that is missing again and again is reported as missing.
  else if (search.trouble !== null && steadyClock.now() - search.trouble.last < patienceOf(run)) return;
  else search.trouble = null;
  await observeUnknownOutcomes(run);
};

const patienceOf = ({ timing }: LaneRun): number => timing.foreign * PATIENCE;

/** Waits for missing blocks or receipts: reports them once that lasts, and pauses the lane when its patience ends. */
const waitInVain = async (run: LaneRun, state: LaneState, search: RestoredSearch, why: string): Promise<void> => {
  const now = steadyClock.now();
  const first = search.trouble?.first ?? now;
  search.trouble = { first, last: now };
  if (now - first >= patienceOf(run)) {
    await pauseLane(run, state.account.nextNonce, state.view.nonce, why);
    return observeUnknownOutcomes(run);
  }
  if (now - first >= run.timing.unreachable && run.memory.shown.unknown.what !== 'uncounted')
    await observeUncounted(run, why);
};

/** The nonces below the count that the database does not explain: of open slots, and those that it never gave. */
const wantedNonces = (grant: RestoredLane, { account, slots }: LaneState): number[] => {
  const open = slots.filter(({ nonce }) => nonce < grant.nonce).map(({ nonce }) => nonce);
  // A key without slots may have been used elsewhere before.
  const lost = account.nextNonce === 0 ? 0 : Math.max(0, grant.nonce - account.nextNonce);
  return [...open, ...Array.from({ length: lost }, (_, index) => account.nextNonce + index)];
};

interface Judging {
  readonly grant: RestoredLane;
  readonly wanted: readonly number[];
  readonly slots: readonly Slot[];
  readonly search: RestoredSearch;
}

/** Searches the next blocks, then judges the found transactions. */
const examineFound = async (run: LaneRun, judging: Judging): Promise<Verdict> => {
  const { grant, wanted, slots, search } = judging;
  const from = search.next;
  await searchBlocks(run, grant, wanted, search);
  if (search.next > search.furthest) [search.furthest, search.trouble] = [search.next, null];
  const found = wanted.flatMap((nonce) => search.found.get(nonce) ?? []);
  if (found.length < wanted.length) {
    if (search.next <= grant.cursor)
      return search.next === from
        ? { waitsInVain: `no endpoint gives its blocks from ${search.next} on` }
        : { waits: 'its blocks are being searched' };
    const lacks = await lacking(run, grant);
    if (lacks !== null) return lacks;
    search.passes += 1;
    search.next = grant.fromBlock;
    // Another endpoint may have the blocks whole.
    run.turn.askAnother();
    if (search.passes <= Math.max(2, run.rpc.endpoints)) return { waits: 'a transaction is in none of its blocks' };
    const missing = wanted.find((nonce) => !search.found.has(nonce));
    return { pauses: `no block since the restored state has the transaction with nonce ${missing}` };
  }
  const calls = found.map((one) => ({ one, deals: readOwnCall(run.network.platform, run.role, one) }));
  const slotOf = new Map(slots.map((slot) => [slot.nonce, slot]));
  for (const { one, deals } of calls) {
    const slot = slotOf.get(one.nonce);
    if (deals === null || (slot !== undefined && !isOfSlot(run, slot, one, deals)))
      return { pauses: `the transaction ${one.txHash} is none that Carat makes` };
  }
  const deals = calls.flatMap((call) => call.deals ?? []);
  return (await mined(run, judging, found)) ?? (await told(run, grant, deals)) ?? { deals };
};

/** True for the call of a slot, and for a smaller one in its place: some of its deals, or a filler. */
const isOfSlot = ({ network }: LaneRun, slot: Slot, one: FoundTransaction, deals: readonly CalledDeal[]): boolean => {
  const isOwn = slot.attempts.some(({ txHash }) => txHash === one.txHash);
  if (isOwn || (slot.to === one.to && slot.data === one.data)) return true;
  const own = readOwnCall(network.platform, 'operator', slot)?.map(nameOf) ?? [];
  const isFiller = one.to === registryAddress(network.platform) || own.length > 0;
  return deals.length === 0 ? isFiller : deals.every((deal) => own.includes(nameOf(deal)));
};

const nameOf = ({ diamond, dealId, termsHash }: CalledDeal): string => `${diamond}:${dealId}:${termsHash}`;

/** Requires that the quorum has every receipt in a block that is confirmed and that the transaction succeeded; null when it is so. */
const mined = async (
  run: LaneRun,
  { grant: { confirmed, fromBlock }, search }: Judging,
  found: readonly FoundTransaction[],
): Promise<Verdict | null> => {
  const { outcomes } = await run.rpc.batch(
    found.map(({ txHash }) => receiptRequest(txHash)),
    { turn: run.turn.now, signal: run.signal },
  );
  const reported = outcomes.flatMap((outcome, index) => {
    const receipt = resultOf(outcome) as WireReceipt | null;
    return receipt === null ? [] : [{ slotId: String(found[index]!.nonce), receipt }];
  });
  const receipts = await agreedReceipts(run, reported);
  if (receipts.length < found.length) {
    run.turn.askAnother();
    // An endpoint may have shown another signed attempt of the nonce than the one in the chain's block.
    if (search.trouble !== null && steadyClock.now() - search.trouble.first >= run.timing.foreign) {
      const proved = new Set(receipts.map(({ receipt }) => receipt.transactionHash.toLowerCase()));
      for (const { nonce, txHash } of found) if (!proved.has(txHash)) search.found.delete(nonce);
      search.next = fromBlock;
    }
    return { waitsInVain: 'too few endpoints have the receipt of a transaction' };
  }
  const failed = receipts.find(({ receipt }) => Number(receipt.status) !== 1);
  if (failed !== undefined) return { pauses: `the transaction ${failed.receipt.transactionHash} has failed` };
  const newest = Math.max(...receipts.map(({ receipt }) => Number(receipt.blockNumber)));
  return confirmed !== null && newest <= confirmed.number ? null : { waits: 'its transactions lack confirmations' };
};

/** Requires that the words of all deals, as the quorum has them, show the effects of the calls; null when they do. */
const told = async (
  run: LaneRun,
  { confirmed }: RestoredLane,
  deals: readonly CalledDeal[],
): Promise<Verdict | null> => {
  const { rpc, network, signal, store, lease, batcher } = run;
  const diamonds = [...new Set(deals.map(({ diamond }) => diamond))];
  const own = new Set(await store.released(lease, diamonds));
  const stranger = diamonds.find((diamond) => !own.has(diamond));
  if (stranger !== undefined)
    return { pauses: `a transaction calls ${stranger}, which is no active diamond of this database` };
  if (deals.length === 0) return null;
  const { words } = await readDealWords(
    { rpc, batcher: batcher.address, quorum: network.quorum, signal },
    deals,
    confirmed!,
  );
  for (const [index, { termsHash, dealId, diamond }] of deals.entries()) {
    const word = words[index];
    if (word === undefined) return { waitsInVain: 'too few endpoints agree on the words of its deals' };
    const isConsistent =
      termsHash === null
        ? word.status === 'cancelled' || word.status === 'paid'
        : !['absent', 'conflict'].includes(verdictOf(word, termsHash));
    if (!isConsistent)
      return { pauses: `the word of the deal ${dealId} on ${diamond} does not bear out its transaction` };
  }
  return null;
};

/** Takes the transactions into the books, and reports them once. */
const takeOver = async (
  run: LaneRun,
  grant: RestoredLane,
  { wanted, search, deals }: { wanted: readonly number[]; search: RestoredSearch; deals: readonly CalledDeal[] },
): Promise<void> => {
  const { store, lease, network, signer, role, memory, log } = run;
  const { unknown, unasked } = await store.foreignDeals(lease, deals);
  const listed = (some: readonly CalledDeal[]): object[] =>
    some.slice(0, MOST_NAMED).map(({ diamond, dealId }) => ({ diamond, deal_id: dealId.toString() }));
  const found = wanted.map((nonce) => search.found.get(nonce)!);
  const raised = await store.takeOver(
    lease,
    { nonce: grant.nonce, found },
    {
      kind: 'lane_resumed',
      subject: `${lease.id}:${grant.restoreId}`,
      message: `After a restore, the ${role} ${signer.address} on ${network.name} goes on after ${found.length} transactions that the database did not know`,
      data: {
        address: signer.address,
        role,
        next_nonce: grant.nonce,
        nonces: wanted.slice(0, MOST_NAMED),
        transactions: found.length,
        deals_unknown: listed(unknown),
        deals_unknown_count: unknown.length,
        cancels_not_asked_for: listed(unasked),
      },
    },
  );
  memory.restored = null;
  logAlerts(run, raised);
  log.warn('A lane goes on after a restore', {
    network: network.name,
    address: signer.address,
    transactions: found.length,
    deals_unknown: unknown.length,
  });
};
