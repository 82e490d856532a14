import { setTimeout as delay } from 'node:timers/promises';
import { rpc } from '../../tools/stack/chain.ts';
import type { Proxy } from '../chain/support/proxy.ts';
import { lies, type OpenDeal } from './lies.ts';

/** Numbers from 0 to below 1, the same ones for the same seed (Mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Which of three endpoints lies, and how, one lie after the other. */
export interface Schedule {
  readonly position: number;
  readonly steps: readonly { readonly lie: string; readonly ms: number }[];
}

/**
 * Schedules of one to three lies of random length each. No lie comes again before all others have come; the first
 * endpoint, which is asked most, lies in half of all schedules.
 * @param only the one lie of all schedules, where there is to be one
 */
export const randomSchedules = (seed: number, only?: string): (() => Schedule) => {
  const random = seeded(seed);
  const deck: string[] = [];
  const draw = (): string => {
    if (deck.length === 0) deck.push(...Object.keys(lies).filter((lie) => lie === (only ?? lie)));
    return deck.splice(Math.floor(random() * deck.length), 1)[0]!;
  };
  return () => ({
    position: random() < 0.5 ? 0 : 1 + Math.floor(random() * 2),
    steps: Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      lie: draw(),
      ms: 500 + Math.floor(random() * 3_000),
    })),
  });
};

/** Describes a schedule in one line. */
export const told = ({ position, steps }: Schedule): string =>
  `endpoint ${position + 1} ${steps.map(({ lie, ms }) => `${lie} (${(ms / 1_000).toFixed(1)} s)`).join(', ')}`;

const honest = { mode: 'pass', rewrite: null, tamper: null, send: null, refuseStatus: null } as const;

/**
 * Lets an endpoint tell its lies one after another, again and again, until it is stopped.
 * @param chainUrl the chain itself, which is asked for the newest block
 * @returns a function that makes the endpoint honest again
 */
export const startLying = async (
  endpoint: Proxy,
  chainUrl: string,
  { steps }: Schedule,
  about: { deals: () => readonly OpenDeal[]; random: () => number },
): Promise<() => Promise<void>> => {
  const stopped = new AbortController();
  const tell = async (lie: string): Promise<void> => {
    const tip = Number(await rpc(chainUrl, 'eth_blockNumber'));
    Object.assign(endpoint, honest, lies[lie]?.({ tip, ...about }));
  };
  const play = async (): Promise<void> => {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      const { lie, ms } = steps[turn % steps.length]!;
      if (turn > 0) await tell(lie);
      // A schedule of one lie goes on telling the same one.
      await delay(steps.length === 1 ? 3_600_000 : ms, undefined, { signal: stopped.signal }).catch(() => {});
    }
  };
  await tell(steps[0]!.lie);
  const playing = play();
  return async () => {
    stopped.abort();
    await playing;
    Object.assign(endpoint, honest);
  };
};
