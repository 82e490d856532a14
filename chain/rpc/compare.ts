import { groupBy } from '../../domain/tools/group-by.ts';
import { isAwake, type Member, type Pool } from './member.ts';
import { within } from './relay.ts';

/** A block that an endpoint told of. */
interface TipOf {
  readonly member: Member;
  readonly number: number;
  readonly hash: string;
}

/** An endpoint that does not fit to the others. */
interface Misfit {
  readonly member: Member;
  readonly reason: string;
}

/** Milliseconds for which others wait for a comparison. */
const WORTH_WAITING_MS = 500;
/** Milliseconds for an answer about the newest block. */
const ANSWER_MS = 2_000;

/** How many blocks endpoints may be apart: two, and what three seconds bring. */
const tolerance = (blockTimeMs: number): number => 2 + Math.floor(3_000 / blockTimeMs);

/** What is found by comparing endpoints. */
const misfits = {
  /**
   * Measures tips by the middle one; of two by the higher one, where the other may only be behind.
   * @returns those that fit, and the height at which all of them have a block that is not the newest
   */
  ofTips: (tips: readonly TipOf[], blockTimeMs: number) => {
    const sorted = [...tips].sort((a, b) => b.number - a.number);
    const middle = sorted[Math.floor((sorted.length - 1) / 2)]?.number ?? 0;
    const apart = tolerance(blockTimeMs);
    const fine = tips.filter(({ number }) => Math.abs(number - middle) <= apart);
    const bad = tips
      .filter((tip) => !fine.includes(tip))
      .map(({ member, number }): Misfit => ({
        member,
        reason: number < middle ? 'is behind the others' : 'tells of blocks that the others do not have',
      }));
    const height = Math.max(0, Math.min(...fine.map(({ number }) => number)) - 1);
    return { fine: fine.map(({ member }) => member), height, bad };
  },

  /** Those that have another block at a height than most; none where as many say the one as the other. */
  ofBlocks: (blocks: readonly TipOf[]): Misfit[] => {
    const [most, second] = [...groupBy(blocks, ({ hash }) => hash).values()].sort((a, b) => b.length - a.length);
    if (most === undefined || most.length === second?.length) return [];
    return blocks
      .filter((block) => !most.includes(block))
      .map(({ member }) => ({ member, reason: 'is on another fork than the others' }));
  },
};

/** Compares what endpoints say of the newest blocks, at most one comparison at a time. */
export const createComparison = ({ members, timeoutMs }: Pool, blockTimeMs: number) => {
  const ms = Math.min(timeoutMs, ANSWER_MS);
  let comparedAt = -Infinity;
  let underWay: Promise<void> | null = null;

  const ask = async (asked: readonly Member[], number: string, signal?: AbortSignal): Promise<TipOf[]> => {
    const request = { method: 'eth_getBlockByNumber', params: [number, false] };
    const answers = await Promise.allSettled(
      asked.map(async (member) => {
        const [outcome] = await member.exchange([request], ms, signal);
        const block = outcome?.ok ? (outcome.result as { number: string; hash: string } | null) : null;
        return block ? [{ member, number: Number(block.number), hash: block.hash.toLowerCase() }] : [];
      }),
    );
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };

  const compareAll = async (signal?: AbortSignal): Promise<void> => {
    const tips = await ask(members.filter(isAwake), 'latest', signal);
    const { fine, height, bad } = misfits.ofTips(tips, blockTimeMs);
    const forks = fine.length > 1 ? misfits.ofBlocks(await ask(fine, `0x${height.toString(16)}`, signal)) : [];
    for (const { member, reason } of [...bad, ...forks]) member.fail(reason);
    for (const member of fine) if (!forks.some((fork) => fork.member === member)) member.trust();
  };

  return async (maxAgeMs: number, signal?: AbortSignal): Promise<void> => {
    if (members.length < 2) return;
    if (underWay === null && Date.now() - comparedAt >= maxAgeMs) {
      underWay = compareAll(signal).finally(() => {
        comparedAt = Date.now();
        underWay = null;
      });
    }
    // One that does not answer holds up nobody: what is found of it later counts for what is asked later.
    if (underWay) await within(underWay, WORTH_WAITING_MS);
  };
};
