import { isPreferred, type Member, type Pool } from './member.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { withinMs } from '../../domain/tools/within-ms.ts';

/** A block that an endpoint reported. */
interface TipOf {
  readonly member: Member;
  readonly number: number;
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** An endpoint that disagrees with the others. */
interface Outlier {
  readonly member: Member;
  readonly reason: string;
  /** True when that is more than slowness for a moment. */
  readonly isLasting: boolean;
  /** The endpoint that contradicts it, where nobody knows which of two is right. */
  readonly against?: Member;
}

/** Milliseconds for which a caller waits for a comparison. */
const WORTH_WAITING_MS = 500;
/** Timeout of a request for the newest block, in milliseconds. */
const RESPONSE_MS = 2_000;
/** An endpoint that is this late, in milliseconds, is not just slow for a moment. */
const LATE_MS = 30_000;
/** No chain is faster than its configured block time by this factor, after this time in milliseconds for many blocks at once on demand. */
const FASTEST = 10;
const AT_ONCE_MS = 3_600_000;
/** A block that is so far in the future, in milliseconds, says that a clock is wrong, and nothing about the chain. */
const AHEAD_MS = 60_000;

/** How many blocks tips may differ: two, plus the blocks of three seconds. */
export const tolerance = (blockTimeMs: number): number => 2 + Math.floor(3_000 / blockTimeMs);

const middleOf = (sorted: readonly TipOf[]): number => sorted[Math.floor((sorted.length - 1) / 2)]?.number ?? 0;

/**
 * Finds endpoints whose tip has stood still below the median for longer than slowness explains, however near it is: on a chain that makes
 * blocks only for transactions, such an endpoint would hide the newest one for good.
 */
const createStragglers = (blockTimeMs: number) => {
  const since = new Map<Member, { readonly number: number; readonly at: number }>();
  const patience = Math.max(3_000, 3 * blockTimeMs);
  /** @param sorted the highest first */
  return (sorted: readonly TipOf[]): ReadonlyMap<Member, number> => {
    const middle = middleOf(sorted);
    for (const { member, number } of sorted) {
      if (number >= middle) since.delete(member);
      else if (since.get(member)?.number !== number) since.set(member, { number, at: steadyClock.now() });
    }
    const ages = sorted.map(({ member }) => [member, steadyClock.now() - (since.get(member)?.at ?? Infinity)] as const);
    return new Map(ages.filter(([, age]) => age > patience));
  };
};

/** The block of an endpoint at a height; undefined where it has none, or does not respond. */
type BlockOf = (member: Member, number: number) => Promise<TipOf | undefined>;

/** The facts that decide between two endpoints. */
interface Two {
  readonly blockTimeMs: number;
  readonly blockOf: BlockOf;
  /**
   * The height on which endpoints agreed last, when, by `steadyClock`, and the date of the newest block of that moment, in
   * milliseconds since the epoch; null while they never did.
   */
  readonly agreed: { readonly number: number; readonly at: number; readonly date: number } | null;
  /** Endpoints whose tip stands still below those of the others, and for how many milliseconds. */
  readonly still: ReadonlyMap<Member, number>;
}

/**
 * True when the blocks of the higher tip cannot have come since both endpoints agreed, nor since the newest block of that moment: nodes
 * that catch up read hours of blocks in seconds, and `steadyClock` stands still while a machine sleeps. Where they never agreed,
 * since the lower tip; but the lower endpoint could date an old block to now, so its date counts only where the higher one has the same
 * block with the same date.
 */
const isInvented = async (high: TipOf, low: TipOf, { blockTimeMs, blockOf, agreed }: Two): Promise<boolean> => {
  const isTooMany = (number: number, age: number): boolean =>
    (high.number - number) * blockTimeMs > FASTEST * Math.max(0, age) + AT_ONCE_MS;
  if (agreed !== null)
    return isTooMany(agreed.number, Math.max(steadyClock.now() - agreed.at, Date.now() - agreed.date));
  const age = Date.now() - low.at;
  if (age <= -AHEAD_MS || !isTooMany(low.number, age)) return false;
  const same = await blockOf(high.member, low.number);
  return same?.number === low.number && same.hash === low.hash && same.at === low.at;
};

/**
 * The outlier of two tips that are apart: the higher one where its blocks cannot exist. Else the lower one is asked last, because the
 * other can only be right. But the lower one may be the honest one, so the report names both.
 */
const ofTwo = async (high: TipOf, low: TipOf, two: Two): Promise<Outlier> =>
  (await isInvented(high, low, two))
    ? { member: high.member, reason: 'reports blocks that cannot exist yet', isLasting: true }
    : {
        member: low.member,
        reason: 'is behind the other one, or the other one reports blocks that do not exist',
        isLasting: (high.number - low.number) * two.blockTimeMs >= LATE_MS,
        against: high.member,
      };

/** Finds outliers among endpoints. */
const outliers = {
  /**
   * Measures tips against the median; two tips have none.
   * @param sorted the highest first
   * @returns the endpoints that agree, and the height below the lowest of their tips
   */
  ofTips: async (sorted: readonly TipOf[], two: Two) => {
    const { blockTimeMs, still } = two;
    const middle = middleOf(sorted);
    const apart = tolerance(blockTimeMs);
    const [high, low] = sorted;
    if (sorted.length === 2 && (high!.number - low!.number > apart || still.has(low!.member))) {
      const outlier = await ofTwo(high!, low!, two);
      const other = outlier.member === high!.member ? low! : high!;
      return { fine: [other.member], height: Math.max(0, other.number - 1), bad: [outlier] };
    }
    const fine = sorted.filter(({ member, number }) => Math.abs(number - middle) <= apart && !still.has(member));
    const bad = sorted
      .filter((tip) => !fine.includes(tip))
      .map(({ member, number }): Outlier => ({
        member,
        reason: number < middle ? 'is behind the others' : 'reports blocks that the others do not have',
        isLasting: (still.get(member) ?? 0) >= LATE_MS || (middle - number) * blockTimeMs >= LATE_MS,
      }));
    const height = Math.max(0, Math.min(...fine.map(({ number }) => number)) - 1);
    return { fine: fine.map(({ member }) => member), height, bad };
  },

  /** Endpoints whose block at a height differs from that of the majority; none on a tie. */
  ofBlocks: (blocks: readonly TipOf[]): Outlier[] => {
    const [most, second] = [...Map.groupBy(blocks, ({ hash }) => hash).values()].sort((a, b) => b.length - a.length);
    if (most === undefined || most.length === second?.length) return [];
    return blocks
      .filter((block) => !most.includes(block))
      .map(({ member }) => ({ member, reason: 'is on another fork than the others', isLasting: false }));
  },
};

/** Compares the newest blocks of endpoints, at most one comparison at a time. */
export const createComparison = ({ members, timeoutMs }: Pool, blockTimeMs: number) => {
  const ms = Math.min(timeoutMs, RESPONSE_MS);
  let comparedAt = -Infinity;
  let underWay: Promise<void> | null = null;
  let agreed: Two['agreed'] = null;
  const stragglersOf = createStragglers(blockTimeMs);

  const ask = async (asked: readonly Member[], height: number | 'latest', signal?: AbortSignal): Promise<TipOf[]> => {
    const number = height === 'latest' ? height : `0x${height.toString(16)}`;
    const request = { method: 'eth_getBlockByNumber', params: [number, false] };
    const responses = await Promise.allSettled(
      asked.map(async (member) => {
        const [outcome] = await member.exchange([request], ms, signal);
        const block = outcome?.ok
          ? (outcome.result as { number: string; hash: string; timestamp: string } | null)
          : null;
        if (!block) return [];
        const at = Number(block.timestamp) * 1_000;
        return [{ member, number: Number(block.number), hash: block.hash.toLowerCase(), at }];
      }),
    );
    return responses.flatMap((response) => (response.status === 'fulfilled' ? response.value : []));
  };

  const compareAll = async (signal?: AbortSignal): Promise<void> => {
    const tips = (await ask(members.filter(isPreferred), 'latest', signal)).sort((a, b) => b.number - a.number);
    const blockOf: BlockOf = async (member, number) => (await ask([member], number, signal))[0];
    const still = stragglersOf(tips);
    const { fine, height, bad } = await outliers.ofTips(tips, { blockTimeMs, blockOf, agreed, still });
    const forks = fine.length > 1 ? outliers.ofBlocks(await ask(fine, height, signal)) : [];
    const dates = tips.filter(({ member }) => fine.includes(member)).map(({ at }) => at);
    if (fine.length > 1) agreed = { number: height, at: steadyClock.now(), date: Math.max(...dates) };
    for (const { member, reason, isLasting, against } of [...bad, ...forks])
      member.demoteBriefly(reason, isLasting, against?.index);
    for (const member of fine) if (!forks.some((fork) => fork.member === member)) member.clear();
  };

  return async (maxAgeMs: number, signal?: AbortSignal): Promise<void> => {
    if (members.length < 2) return;
    if (underWay === null && steadyClock.now() - comparedAt >= maxAgeMs) {
      underWay = compareAll(signal).finally(() => {
        comparedAt = steadyClock.now();
        underWay = null;
      });
    }
    // A silent endpoint does not hold up the caller. A result that comes later counts for later requests.
    if (underWay) await withinMs(WORTH_WAITING_MS, underWay);
  };
};
