import { keccak256 } from 'ethers';
import type { RpcOutcome } from './endpoint.ts';
import { RpcError } from './error.ts';
import { inOrder, isAwake, type Member, type Pool } from './member.ts';
import type { Rpc } from './rpc.ts';
import { mergeSends } from './send-errors.ts';

/** So often in a row a leading endpoint may not know what it has just taken. */
const SWALLOWS = 2;

/** Sends to every endpoint: which of them pass on what they take is not known. */
export const createSend = ({ members, exchange }: Pool): Rpc['send'] => {
  /** How often in a row an endpoint did not know what it had just taken. */
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
    if (times >= SWALLOWS) member.blame('does not keep the transactions that it takes');
  };

  return async (raws, signal) => {
    if (raws.length === 0) return [];
    const [leader, ...others] = inOrder(members) as [Member, ...Member[]];
    const outcomes = [await sendTo(leader, raws, signal)];
    // Before the others have it, who would pass it on.
    if (others.length > 0) await requireKept(leader, raws, outcomes[0] ?? []);
    const sends = others.map((member) => ({ wasAwake: isAwake(member), sent: sendTo(member, raws, signal) }));
    const isAnswered = outcomes[0]?.some(({ ok }) => ok) === true;
    // Those that rest get it as well, and are waited for only where nobody else has answered.
    const awaited = sends.filter(({ wasAwake }) => wasAwake || !isAnswered);
    outcomes.push(...(await Promise.all(awaited.map(({ sent }) => sent))));
    return raws.map((_, index) => mergeSends(outcomes.map((all) => all[index]!)));
  };
};
