import { keccak256 } from 'ethers';
import { withinMs } from '../../domain/tools/within-ms.ts';
import type { RpcOutcome } from './requests.ts';
import { RpcError } from './error.ts';
import { inOrder, isPreferred, type Member, type Pool } from './member.ts';
import { PATIENCE_MS } from './failover.ts';
import { mergeSends } from './send-errors.ts';

/** So many times in a row a leading endpoint lacks a transaction that it just accepted, and is demoted. */
const SWALLOWS = 2;

/** Sends to every endpoint, because any of them may fail to pass transactions on. */
export const createSend = ({ members, exchange }: Pool) => {
  /** How many times in a row an endpoint lacked a transaction that it had just accepted. */
  const swallowed = new Map<Member, number>();

  const sendTo = async (member: Member, raws: readonly string[], signal?: AbortSignal): Promise<RpcOutcome[]> => {
    try {
      const requests = raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }));
      return await exchange(member, requests, { signal });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return raws.map(() => ({ ok: false, error }));
    }
  };

  /** A transaction as an endpoint shows it: null where it has none, undefined when it does not say. */
  const lookUp = async (member: Member, raw: string): Promise<{ readonly blockHash?: unknown } | null | undefined> => {
    const request = { method: 'eth_getTransactionByHash', params: [keccak256(raw)] };
    const [found] = await exchange(member, [request]).catch(() => []);
    return found?.ok ? (found.result as { readonly blockHash?: unknown } | null) : undefined;
  };

  /** Counts a transaction that the leader lacks while another pool has it. Chains without a public pool show none there. */
  const countLost = async (leader: Member, other: Member, raw: string): Promise<void> => {
    const found = await lookUp(other, raw);
    if (!found || found.blockHash != null) return;
    const times = (swallowed.get(leader) ?? 0) + 1;
    swallowed.set(leader, times);
    // It may pass transactions on, and only show none before they are in a block.
    if (times >= SWALLOWS) leader.demoteBriefly('does not keep the transactions that it accepts');
  };

  return async (raws: readonly string[], signal?: AbortSignal): Promise<RpcOutcome[]> => {
    if (raws.length === 0) return [];
    const [leader, ...others] = inOrder(members) as [Member, ...Member[]];
    const first = sendTo(leader, raws, signal);
    const early = others.length === 0 ? await first : await withinMs(PATIENCE_MS, first);
    const last = others.length > 0 ? raws.findLast((_, index) => early?.[index]?.ok) : undefined;
    // Before the others get the transactions and pass them on to the leader.
    const kept = last === undefined ? undefined : await lookUp(leader, last);
    if (kept) swallowed.delete(leader);
    const sends = others.map((member) => ({ wasPreferred: isPreferred(member), sent: sendTo(member, raws, signal) }));
    const isAccepted = early?.some(({ ok }) => ok) === true;
    // Demoted and silent endpoints get them as well, and are awaited only when no other endpoint has accepted one.
    const awaited = isAccepted
      ? sends.filter(({ wasPreferred }) => wasPreferred).map(({ sent }) => withinMs(PATIENCE_MS, sent))
      : sends.map(({ sent }) => sent);
    const responses = [early, ...(await Promise.all(awaited))].filter((response) => response !== undefined);
    if (kept === null) await countLost(leader, others[0]!, last!);
    const isTaken = responses.some((all) => all.some(({ ok }) => ok));
    const outcomes = early || isTaken ? responses : [...responses, await first];
    return raws.map((_, index) => mergeSends(outcomes.map((all) => all[index]!)));
  };
};
