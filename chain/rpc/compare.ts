import { groupBy } from '../../domain/tools/group-by.ts';
import { isPreferred, type Member, type Pool } from './member.ts';
import { within } from './relay.ts';

/** A block that an endpoint reported. */
interface TipOf {
  readonly member: Member;
  readonly number: number;
  readonly hash: string;
}

/** An endpoint that disagrees with the others. */
interface Outlier {
  readonly member: Member;
  readonly reason: string;
  /** Milliseconds by which its newest block is older than that of the others. */
  readonly lateMs: number;
}

/** Milliseconds for which a caller waits for a comparison. */
const WORTH_WAITING_MS = 500;
/** Timeout of a request for the newest block, in milliseconds. */
const RESPONSE_MS = 2_000;
/** An endpoint that is this late, in milliseconds, is not just slow for a moment. */
const LATE_MS = 30_000;

/** How many blocks tips may differ: two, plus the blocks of three seconds. */
const tolerance = (blockTimeMs: number): number => 2 + Math.floor(3_000 / blockTimeMs);

/** Finds outliers among endpoints. */
const outliers = {
  /**
   * Measures tips against the median, and two tips against the higher one, so that the other can only be behind.
   * @returns the endpoints that agree, and the height below the lowest of their tips
   */
  ofTips: (tips: readonly TipOf[], blockTimeMs: number) => {
    const sorted = [...tips].sort((a, b) => b.number - a.number);
    const middle = sorted[Math.floor((sorted.length - 1) / 2)]?.number ?? 0;
    const apart = tolerance(blockTimeMs);
    const fine = tips.filter(({ number }) => Math.abs(number - middle) <= apart);
    const bad = tips
      .filter((tip) => !fine.includes(tip))
      .map(({ member, number }): Outlier => ({
        member,
        reason: number < middle ? 'is behind the others' : 'reports blocks that the others do not have',
        lateMs: (middle - number) * blockTimeMs,
      }));
    const height = Math.max(0, Math.min(...fine.map(({ number }) => number)) - 1);
    return { fine: fine.map(({ member }) => member), height, bad };
  },

  /** Endpoints whose block at a height differs from that of the majority; none on a tie. */
  ofBlocks: (blocks: readonly TipOf[]): Outlier[] => {
    const [most, second] = [...groupBy(blocks, ({ hash }) => hash).values()].sort((a, b) => b.length - a.length);
    if (most === undefined || most.length === second?.length) return [];
    return blocks
      .filter((block) => !most.includes(block))
      .map(({ member }) => ({ member, reason: 'is on another fork than the others', lateMs: 0 }));
  },
};

/** Compares the newest blocks of endpoints, at most one comparison at a time. */
export const createComparison = ({ members, timeoutMs }: Pool, blockTimeMs: number) => {
  const ms = Math.min(timeoutMs, RESPONSE_MS);
  let comparedAt = -Infinity;
  let underWay: Promise<void> | null = null;

  const ask = async (asked: readonly Member[], number: string, signal?: AbortSignal): Promise<TipOf[]> => {
    const request = { method: 'eth_getBlockByNumber', params: [number, false] };
    const responses = await Promise.allSettled(
      asked.map(async (member) => {
        const [outcome] = await member.exchange([request], ms, signal);
        const block = outcome?.ok ? (outcome.result as { number: string; hash: string } | null) : null;
        return block ? [{ member, number: Number(block.number), hash: block.hash.toLowerCase() }] : [];
      }),
    );
    return responses.flatMap((response) => (response.status === 'fulfilled' ? response.value : []));
  };

  const compareAll = async (signal?: AbortSignal): Promise<void> => {
    const tips = await ask(members.filter(isPreferred), 'latest', signal);
    const { fine, height, bad } = outliers.ofTips(tips, blockTimeMs);
    const forks = fine.length > 1 ? outliers.ofBlocks(await ask(fine, `0x${height.toString(16)}`, signal)) : [];
    for (const { member, reason, lateMs } of [...bad, ...forks]) member.demoteBriefly(reason, lateMs >= LATE_MS);
    for (const member of fine) if (!forks.some((fork) => fork.member === member)) member.clear();
  };

  return async (maxAgeMs: number, signal?: AbortSignal): Promise<void> => {
    if (members.length < 2) return;
    if (underWay === null && Date.now() - comparedAt >= maxAgeMs) {
      underWay = compareAll(signal).finally(() => {
        comparedAt = Date.now();
        underWay = null;
      });
    }
    // A silent endpoint does not hold up the caller; a later finding counts for later requests.
    if (underWay) await within(underWay, WORTH_WAITING_MS);
  };
};
