import { RpcError } from './error.ts';
import { inOrder, type Member, type Pool } from './member.ts';
import { relay } from './failover.ts';
import type { RpcOutcome, RpcRequest } from './requests.ts';

type Pieces = readonly (string | undefined)[];

/** The response of one endpoint. */
interface Ballot {
  readonly member: Member;
  readonly pieces: Pieces;
}

/** Asks as many endpoints as the quorum, and the others one after another while a piece is undecided. */
export const createAgreement =
  ({ members, exchange }: Pool) =>
  async (
    requests: readonly RpcRequest[],
    quorum: number,
    pick: (outcomes: readonly RpcOutcome[]) => Pieces,
    signal?: AbortSignal,
    tellFailure?: (error: RpcError) => void,
  ): Promise<Pieces> => {
    const ballots: Ballot[] = [];
    let decided: Pieces = [];
    const ask = async (member: Member): Promise<Pieces> => pick(await exchange(member, requests, { signal }));
    await relay(inOrder(members), quorum, ask, (said, member) => {
      if (said.status === 'fulfilled') ballots.push({ member, pieces: said.value });
      else if (!(said.reason instanceof RpcError) || said.reason.kind === 'aborted') throw said.reason;
      else tellFailure?.(said.reason);
      decided = mostSaid(ballots, quorum);
      return ballots.length >= quorum && !decided.includes(undefined);
    });
    // A late endpoint tells the truth about its own newest block.
    const isOfNewest = requests.some(({ params }) => params?.includes('latest'));
    for (const { member, pieces } of ballots) {
      const differs = decided.some((piece, index) => piece !== undefined && (pieces[index] ?? piece) !== piece);
      if (differs && isOfNewest) member.demoteBriefly('is late, or contradicts the quorum');
      else if (differs) member.demote('contradicts the quorum');
    }
    return decided;
  };

/** For each piece the value of at least `quorum` ballots and of more ballots than any other. */
const mostSaid = (ballots: readonly Ballot[], quorum: number): Pieces =>
  (ballots[0]?.pieces ?? []).map((_, index) => {
    const votes = new Map<string, number>();
    for (const { pieces } of ballots) {
      const piece = pieces[index];
      if (piece !== undefined) votes.set(piece, (votes.get(piece) ?? 0) + 1);
    }
    const [first, second] = [...votes].sort(([, a], [, b]) => b - a);
    return first && first[1] >= quorum && first[1] > (second?.[1] ?? 0) ? first[0] : undefined;
  });
