import { keccak256 } from 'ethers';
import { withinMs } from '../../domain/tools/within-ms.ts';
import type { RpcOutcome } from './requests.ts';
import { RpcError } from './error.ts';
import { inOrder, isPreferred, type Member, type Pool } from './member.ts';
import { PATIENCE_MS } from './relay.ts';
import { mergeSends } from './send-errors.ts';

/** So many times in a row a leading endpoint does not know the transaction that it just accepted, and is demoted. */
const SWALLOWS = 2;

/** Sends to every endpoint, because any of them may fail to pass transactions on. */
export const createSend = ({ members, exchange }: Pool) => {
  /** How many times in a row an endpoint did not know the transaction that it had just accepted. */
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

  const requireKept = async (member: Member, raws: readonly string[], outcomes: readonly RpcOutcome[]) => {
    const last = raws.findLast((_, index) => outcomes[index]?.ok);
    if (last === undefined) return;
    const request = { method: 'eth_getTransactionByHash', params: [keccak256(last)] };
    const [kept] = await exchange(member, [request]).catch(() => []);
    const times = kept?.ok && kept.result === null ? (swallowed.get(member) ?? 0) + 1 : 0;
    swallowed.set(member, times);
    if (times >= SWALLOWS) member.demote('does not keep the transactions that it accepts');
  };

  return async (raws: readonly string[], signal?: AbortSignal): Promise<RpcOutcome[]> => {
    if (raws.length === 0) return [];
    const [leader, ...others] = inOrder(members) as [Member, ...Member[]];
    const first = sendTo(leader, raws, signal);
    const early = others.length === 0 ? await first : await withinMs(PATIENCE_MS, first);
    // Before the others get the transactions and pass them on to the leader.
    if (early && others.length > 0) await requireKept(leader, raws, early);
    const sends = others.map((member) => ({ wasPreferred: isPreferred(member), sent: sendTo(member, raws, signal) }));
    const isAccepted = early?.some(({ ok }) => ok) === true;
    // Demoted and silent endpoints get them as well, and are awaited only when no other endpoint has accepted one.
    const awaited = isAccepted
      ? sends.filter(({ wasPreferred }) => wasPreferred).map(({ sent }) => withinMs(PATIENCE_MS, sent))
      : sends.map(({ sent }) => sent);
    const responses = [early, ...(await Promise.all(awaited))].filter((response) => response !== undefined);
    const isTaken = responses.some((all) => all.some(({ ok }) => ok));
    const outcomes = early || isTaken ? responses : [...responses, await first];
    return raws.map((_, index) => mergeSends(outcomes.map((all) => all[index]!)));
  };
};
