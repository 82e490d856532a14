import { steadyClock } from '../../../domain/tools/clock.ts';
import type { LaneRun } from '../context.ts';

/** Most nonces that an alert lists. */
const MOST_NAMED = 20;

const conditionOf = ({ lease }: LaneRun) => ({ kind: 'outcome_unknown', subject: lease.id }) as const;

const namesOf = (endpoints: readonly number[]): string =>
  endpoints.length === 0 ? '' : ` (endpoint ${endpoints.map((endpoint) => endpoint + 1).join(', ')})`;

/** Observes that the lane cannot determine the outcome of its transactions. */
const observeUnknown = (run: LaneRun, why: string, data: Record<string, unknown>): Promise<void> => {
  const { network, role, signer, observed } = run;
  const message = `The outcome of transactions of the ${role} ${signer.address} on ${network.name} is unknown: ${why}`;
  return observed(conditionOf(run), [
    { ...conditionOf(run), message, data: { role, address: signer.address, ...data } },
  ]);
};

/**
 * Reports used nonces whose outcome stays unknown: by an alert that names the endpoints at fault, and on the waiting
 * payments. It closes the alert when all outcomes are known. The payments are written repeatedly, because a
 * reorganisation can make further ones wait for such a nonce. A new run closes nothing while a nonce is in question.
 */
export const observeUnknownOutcomes = async (run: LaneRun): Promise<void> => {
  const { memory, timing, store, lease } = run;
  const isLate = (since: number): boolean => steadyClock.now() - since >= timing.foreign * 2;
  const late = [...memory.transactions.used].flatMap(([id, { nonce, since, unknown }]) =>
    unknown !== null && isLate(since) ? [{ id, nonce, ...unknown }] : [],
  );
  const ids = late.map(({ id }) => id);
  const told = ids.join();
  const isShown = told === '' || steadyClock.now() - memory.shown.unknown.at < timing.foreign;
  if (told === memory.shown.unknown.what && isShown) return;
  if (memory.shown.unknown.what === null && told === '' && memory.transactions.used.size > 0) return;
  await store.showOnSlots(lease, 'outcome_unknown', ids);
  memory.shown.unknown.what = told;
  memory.shown.unknown.at = steadyClock.now();
  const [first] = late;
  if (first === undefined) return run.observed(conditionOf(run), []);
  const endpoints = [...new Set(late.flatMap((one) => one.endpoints))].sort((a, b) => a - b);
  await observeUnknown(run, `${first.why}${namesOf(endpoints)}`, {
    nonces: late.slice(0, MOST_NAMED).map(({ nonce }) => nonce),
    endpoints: endpoints.map((endpoint) => endpoint + 1),
  });
};

/** True when every open slot has a reported unknown outcome. A lane full of them sends nothing until that ends. */
export const isAllUnknown = ({ memory }: LaneRun, slots: readonly { readonly id: string }[]): boolean =>
  slots.length > 0 && slots.every(({ id }) => memory.shown.unknown.what?.includes(id));

/** Reports that the lane does not know how many transactions its key has sent; it sends nothing meanwhile. */
export const observeUncounted = async (run: LaneRun, why: string): Promise<void> => {
  await observeUnknown(run, why, {});
  // The next successful tick closes the alert.
  run.memory.shown.unknown.what = 'uncounted';
};
