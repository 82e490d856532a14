import type { DealIntent } from '../../../domain/ports/lane.ts';
import { createBatch } from '../../../domain/tools/batch.ts';
import type { LaneRun } from '../context.ts';
import { handleRefusals } from '../waiting.ts';
import type { RefusedIntent } from './plan.ts';
import { requestAlone, whyFailed } from './shortage.ts';

/** Diamonds that one tick searches; the others are parked as a whole and searched when they are tried again. */
const MOST_DIAMONDS = 20;
/** Requests in one exchange. */
const AT_ONCE = 98;

/** True when these deals fail together. */
type Fails = (deals: readonly DealIntent[]) => Promise<boolean>;

/**
 * Finds the deals that make a diamond's part fail, by bisection. They are parked one by one, and the others are sent at
 * the next tick. When few calls do not suffice, all deals of the diamond are parked.
 * @throws RpcError when no endpoint responds
 */
export const searchFailing = async (run: LaneRun, suspected: readonly RefusedIntent[]): Promise<void> => {
  if (suspected.length === 0) return;
  const { rpc, signal } = run;
  const tryOut = createBatch<readonly DealIntent[], boolean>({
    maxItems: AT_ONCE,
    maxBatches: 1,
    run: async (tries) => {
      const requests = tries.map((deals) => requestAlone(run, deals[0]!.purpose, deals));
      const { outcomes } = await rpc.batch(requests, { turn: run.turn.now, signal });
      return tries.map((deals, index) => whyFailed(deals, outcomes[index]) !== null);
    },
  });
  const groups = [...Map.groupBy(suspected, ({ suspects }) => suspects)];
  const refusals = await Promise.all(
    groups.map(async ([suspects, group], index) => {
      const found = index < MOST_DIAMONDS ? await findFailing(suspects, tryOut) : null;
      if (found === null) return group.map((refusal) => ({ ...refusal, suspects: [] }));
      return group.flatMap((refusal) =>
        found.some(({ id }) => id === refusal.intent.id) ? [{ ...refusal, suspects: found }] : [],
      );
    }),
  );
  await handleRefusals(run, refusals.flat());
};

/**
 * Finds the deals without which the others work.
 * @param suspects deals that fail together
 * @param fails called at most 2·log₂(n) + 8 times
 * @returns null when these calls do not suffice, or all deals fail
 */
export const findFailing = async (suspects: readonly DealIntent[], fails: Fails): Promise<DealIntent[] | null> => {
  let calls = 2 * Math.floor(Math.log2(suspects.length)) + 8;
  const failing: DealIntent[] = [];
  let rest = suspects;
  while (rest.length > 0) {
    let some = rest;
    while (some.length > 1 && calls > 0) {
      const half = some.slice(0, some.length >> 1);
      calls -= 1;
      some = (await fails(half)) ? half : some.slice(half.length);
    }
    // If it works alone, no single deal is at fault.
    if (calls < 2 || !(await fails(some))) return null;
    failing.push(...some);
    rest = rest.filter((deal) => deal !== some[0]);
    calls -= 2;
    if (rest.length > 0 && !(await fails(rest))) return failing;
  }
  return null;
};
