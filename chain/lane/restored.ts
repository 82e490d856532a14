import { toBeHex, Transaction } from 'ethers';
import { logAlerts } from '../../domain/tools/alert-log.ts';
import type { FoundTransaction, RestoredLane, Slot } from '../../domain/ports/lane.ts';
import { verdictOf } from '../pure/deal-state.ts';
import { fewestOf, isMost, nonceRequest, quantity, readDealWords, receiptRequest } from '../rpc/calls.ts';
import { RpcError } from '../rpc/error.ts';
import { resultOf, type RpcRequest } from '../rpc/requests.ts';
import type { LaneRun, LaneState, RestoredSearch } from './context.ts';
import { pause, requireMost } from './foreign.ts';
import { readOwnCall, type CalledDeal } from './own-calls.ts';
import { borneOut, type WireReceipt } from './receipts.ts';
import { tellUncounted, tellUnknown } from './unknown.ts';

/*
 * The first run of a lane in a database that is marked as restored (docs/decisions/0077). Nothing of a thief may pass: what is not
 * borne out pauses the lane, as in any other database.
 */

/** Most blocks in one exchange, and exchanges in one tick. */
const BLOCKS = 10;
const EXCHANGES = 10;
/** Times the lane's patience with foreign nonces for which a restored lane waits for what should be there. */
const PATIENCE = 6;
/** Blocks that the watcher may be behind before a missing transaction is looked for in them. */
const BEHIND = 64;
/** Most nonces and deals that the alert lists; `carat restored --show` lists all deals. */
const MOST_NAMED = 200;

interface WireTransaction {
  readonly hash: string;
  readonly from: string;
  readonly type?: string;
  readonly nonce: string;
  readonly to: string | null;
  readonly input: string;
  readonly value: string;
  readonly gas: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly r: string;
  readonly s: string;
  readonly yParity?: string;
  readonly v?: string;
}

/**
 * Something takes its time; something is missing that should be there, which the lane's patience bounds; the reason why the lane
 * pauses; or the deals of transactions that are all borne out.
 */
type Verdict =
  | { readonly waits: string }
  | { readonly waitsInVain: string }
  | { readonly pauses: string }
  | { readonly deals: readonly CalledDeal[] };

/**
 * Judges the nonces that the chain knows and a restored database does not. Sends nothing. When all of them are borne out, the lane
 * takes their transactions into its books and goes on with the next tick; otherwise it pauses.
 */
export const settleRestored = async (run: LaneRun, state: LaneState): Promise<void> => {
  const { store, lease, memory, timing } = run;
  const grant = await store.restored(lease);
  if (grant === null) return;
  const { account, view, slots } = state;
  const expected = Math.max(grant.nonce, account.nextNonce);
  const theirs = Math.max(view.nonce, view.pendingNonce ?? 0);
  if (theirs > expected) {
    await requireMost(run, expected);
    return pause(run, account.nextNonce, theirs, 'the chain has more transactions than were counted after the restore');
  }
  const wanted = wantedNonces(grant, state);
  if (wanted.length === 0) {
    await store.endRestored(lease);
    return tellUnknown(run);
  }
  memory.restored ??= {
    next: grant.fromBlock,
    furthest: 0,
    blocks: BLOCKS,
    passes: 0,
    found: new Map(),
    trouble: null,
  };
  const search = memory.restored;
  const verdict = await judge(run, { grant, wanted, slots, search });
  if ('deals' in verdict) await takeOver(run, grant, { wanted, search, deals: verdict.deals });
  else if ('pauses' in verdict) await pause(run, account.nextNonce, view.nonce, verdict.pauses);
  else if ('waits' in verdict) {
    if (search.trouble !== null && Date.now() - search.trouble.last < timing.foreign * PATIENCE) return;
    search.trouble = null;
  } else {
    const { first } = (search.trouble = { first: search.trouble?.first ?? Date.now(), last: Date.now() });
    if (Date.now() - first >= timing.foreign * PATIENCE) {
      await pause(run, account.nextNonce, view.nonce, verdict.waitsInVain);
    } else {
      const isDue = Date.now() - first >= timing.unreachable && memory.unknownTold !== 'uncounted';
      return isDue ? tellUncounted(run, verdict.waitsInVain) : undefined;
    }
  }
  await tellUnknown(run);
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

/** Searches the next blocks, then judges what was found. */
const judge = async (run: LaneRun, judging: Judging): Promise<Verdict> => {
  const { grant, wanted, slots, search } = judging;
  const from = search.next;
  await searchBlocks(run, judging);
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
    run.memory.turn += 1;
    if (search.passes <= Math.max(2, run.rpc.endpoints)) return { waits: 'a transaction is in none of its blocks' };
    const missing = wanted.find((nonce) => !search.found.has(nonce));
    return { pauses: `no block since the restored state has the transaction with nonce ${missing}` };
  }
  const calls = found.map((one) => ({ one, deals: readOwnCall(run.network.platform, run.role, one) }));
  const slotOf = new Map(slots.map((slot) => [slot.nonce, slot]));
  for (const { one, deals } of calls) {
    const slot = slotOf.get(one.nonce);
    const isSlots = slot === undefined || (slot.to === one.to && slot.data === one.data);
    if (deals === null || !isSlots) return { pauses: `the transaction ${one.txHash} is none that Carat makes` };
  }
  const deals = calls.flatMap((call) => call.deals ?? []);
  return (await mined(run, judging, found)) ?? (await told(run, grant, deals)) ?? { deals };
};

/** Requires that most endpoints count all transactions by the watcher's block; null when they do. */
const lacking = async (run: LaneRun, { nonce, cursor }: RestoredLane): Promise<Verdict | null> => {
  const { rpc, network, signer, signal } = run;
  const fewest = fewestOf(rpc, network.quorum);
  const requests = [nonceRequest(signer.address, quantity(cursor)), { method: 'eth_blockNumber' }];
  const responses = await rpc.everyone(requests, { fewest, signal });
  const areMost = (index: number, least: number): boolean => {
    const those = responses.filter(({ outcomes }) => outcomes[index]?.ok && Number(outcomes[index].result) >= least);
    return isMost(those.length, responses.length, fewest);
  };
  if (areMost(0, nonce)) return null;
  if (areMost(1, cursor + BEHIND)) return { waits: 'the watcher has not read all of its blocks' };
  return { waitsInVain: 'too few endpoints have all of its transactions in a block' };
};

/** Reads the next blocks up to the watcher's, and keeps the transactions of this key that are wanted. */
const searchBlocks = async (run: LaneRun, { grant, wanted, search }: Judging): Promise<void> => {
  const isComplete = (): boolean => wanted.every((nonce) => search.found.has(nonce));
  for (let turn = 0; turn < EXCHANGES && !isComplete() && search.next <= grant.cursor; turn += 1) {
    const count = Math.min(search.blocks, grant.cursor - search.next + 1);
    const blocks = await readBlocks(run, search, count);
    if (blocks === null) return;
    for (const block of blocks) {
      // An endpoint that is behind the watcher.
      if (block === null) return void (run.memory.turn += 1);
      for (const wire of Array.isArray(block.transactions) ? (block.transactions as WireTransaction[]) : []) {
        const one = provedOwn(run, wire);
        if (one !== null && wanted.includes(one.nonce)) search.found.set(one.nonce, one);
      }
    }
    search.next += count;
  }
};

/**
 * Reads blocks with their transactions; null when fewer must be read at once.
 * @throws RpcError of an endpoint that does not give a single one; the lane reports it, since its watcher reads no whole blocks
 */
const readBlocks = async (
  run: LaneRun,
  search: RestoredSearch,
  count: number,
): Promise<({ transactions?: unknown } | null)[] | null> => {
  const requests = Array.from({ length: count }, (_, index): RpcRequest => ({
    method: 'eth_getBlockByNumber',
    params: [quantity(search.next + index), true],
  }));
  try {
    const { outcomes } = await run.rpc.batch(requests, { turn: run.memory.turn, signal: run.signal });
    const blocks = outcomes.map((outcome) => resultOf(outcome) as { transactions?: unknown } | null);
    search.blocks = Math.min(BLOCKS, count * 2);
    return blocks;
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
    search.blocks = Math.max(1, Math.floor(count / 2));
    if (count > 1) return null;
    throw new RpcError('rejected', error.message, { method: 'eth_getBlockByNumber of whole blocks' });
  }
};

/** 32 bytes: some endpoints leave out leading zeros. */
const word = (hex: string): string => toBeHex(BigInt(hex), 32);

/** A transaction that this key has signed, which its hash and signature prove whoever reports it; null for any other. */
const provedOwn = ({ signer, network }: LaneRun, wire: WireTransaction): FoundTransaction | null => {
  if (String(wire.from).toLowerCase() !== signer.address.toLowerCase()) return null;
  try {
    const signed = Transaction.from({
      type: Number(wire.type),
      chainId: network.eip155,
      nonce: Number(wire.nonce),
      to: wire.to,
      data: wire.input,
      value: BigInt(wire.value),
      gasLimit: BigInt(wire.gas),
      maxFeePerGas: BigInt(wire.maxFeePerGas ?? 0),
      maxPriorityFeePerGas: BigInt(wire.maxPriorityFeePerGas ?? 0),
      accessList: [],
      signature: { r: word(wire.r), s: word(wire.s), yParity: Number(wire.yParity ?? wire.v) as 0 | 1 },
    });
    const isOurs =
      signed.from?.toLowerCase() === signer.address.toLowerCase() && signed.hash === wire.hash.toLowerCase();
    // Carat signs no others.
    if (!isOurs || signed.type !== 2 || signed.to === null || signed.value !== 0n) return null;
    return {
      nonce: signed.nonce,
      txHash: signed.hash,
      raw: signed.serialized,
      to: signed.to.toLowerCase(),
      data: signed.data.toLowerCase(),
      gasLimit: signed.gasLimit,
      maxFeePerGas: signed.maxFeePerGas!,
      maxPriorityFeePerGas: signed.maxPriorityFeePerGas!,
    };
  } catch {
    // Fields of which no transaction consists.
    return null;
  }
};

/** Requires that the quorum has every receipt in a block that is confirmed and that the transaction succeeded; null when it is so. */
const mined = async (
  run: LaneRun,
  { grant: { confirmed, fromBlock }, search }: Judging,
  found: readonly FoundTransaction[],
): Promise<Verdict | null> => {
  const { outcomes } = await run.rpc.batch(
    found.map(({ txHash }) => receiptRequest(txHash)),
    { turn: run.memory.turn, signal: run.signal },
  );
  const reported = outcomes.flatMap((outcome, index) => {
    const receipt = resultOf(outcome) as WireReceipt | null;
    return receipt === null ? [] : [{ slotId: String(found[index]!.nonce), receipt }];
  });
  const receipts = await borneOut(run, reported);
  if (receipts.length < found.length) {
    run.memory.turn += 1;
    // An endpoint may have shown another signed attempt of the nonce than the one in the chain's block.
    if (search.trouble !== null && Date.now() - search.trouble.first >= run.timing.foreign) {
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

/** Requires that the words of all deals, as the quorum has them, say what the calls did; null when they do. */
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
    const isBorneOut =
      termsHash === null
        ? word.status === 'cancelled' || word.status === 'paid'
        : !['absent', 'conflict'].includes(verdictOf(word, termsHash));
    if (!isBorneOut)
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
      key: `lane_resumed:${lease.id}:${grant.restoreId}`,
      kind: 'lane_resumed',
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
