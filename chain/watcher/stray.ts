import { Interface } from 'ethers';
import type { StrayTokens } from '../../domain/ports/watcher.ts';
import { logAlerts } from '../../domain/tools/observer.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import type { WatchRun } from './context.ts';

const erc20 = new Interface(['function balanceOf(address) view returns (uint256)']);

/** Number of balances read at once, in one exchange, so that the cost does not depend on what strangers send. */
const PLACES = 50;

const word = /^0x[0-9a-f]{64}$/i;

const wordOf = (outcome: RpcOutcome | undefined): string | undefined => {
  const result = outcome?.ok ? outcome.result : undefined;
  return typeof result === 'string' && word.test(result) ? result : undefined;
};

/**
 * Reads from time to time which diamonds hold tokens of the catalogue at a confirmed block, page by page. Payments only
 * pass through diamonds, so such tokens came by a plain transfer. Where the quorum does not agree, the balance stays
 * unknown until its next page.
 */
export const lookForStrays = async (run: WatchRun): Promise<void> => {
  const { rpc, store, lease, network, memory, timing, signal } = run;
  if (steadyClock.now() - memory.strayAt < timing.strays) return;
  memory.strayAt = steadyClock.now();
  const number = (await store.cursor(lease))?.confirmedNumber ?? null;
  const [confirmed] = number === null ? [] : await store.headers(lease, number, number);
  if (confirmed === undefined) return;
  const places = await store.tokenPlaces(lease, PLACES);
  const requests = places.map(({ token, diamond }) =>
    viewRequest({ to: token, interface: erc20, name: 'balanceOf', args: [diamond] }, { blockHash: confirmed.hash }),
  );
  const pick = (outcomes: readonly RpcOutcome[]) => places.map((_, index) => wordOf(outcomes[index]));
  // After the last place the next call starts over.
  const balances = places.length === 0 ? [] : await rpc.agree(requests, network.quorum, pick, signal);
  const found = places.flatMap((place, index): StrayTokens[] => {
    const balance = balances[index];
    return balance === undefined ? [] : [{ ...place, units: BigInt(balance) }];
  });
  const next = places.length < PLACES ? null : places.at(-1)!;
  logAlerts(run, await store.recordStrays(lease, found, next));
};
