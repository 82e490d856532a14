import { logOver } from '../../domain/tools/alert-log.ts';
import { raiseAlert } from '../alert.ts';
import type { LaneRun, UnknownOutcome } from './context.ts';

/** Nonces that an alert lists. */
const MOST_NAMED = 20;

const alertKey = ({ lease }: LaneRun): string => `outcome_unknown:${lease.id}`;

const namesOf = (endpoints: readonly number[]): string =>
  endpoints.length === 0 ? '' : ` (endpoint ${endpoints.map((endpoint) => endpoint + 1).join(', ')})`;

/** Raises the alert of a lane that can not know what became of its transactions. */
const raise = (run: LaneRun, why: string, data: Record<string, unknown>): Promise<void> => {
  const { network, role, signer } = run;
  return raiseAlert(run, {
    key: alertKey(run),
    kind: 'outcome_unknown',
    message: `What became of transactions of the ${role} ${signer.address} on ${network.name} is not known: ${why}`,
    data: { role, address: signer.address, ...data },
  });
};

/** Why the outcome of a used nonce is not known, as far as it is not, from now on. */
export const noteOutcome = (
  { memory }: LaneRun,
  slot: { readonly id: string; readonly nonce: number },
  found: Pick<UnknownOutcome, 'why' | 'endpoints'> | null,
  since: number,
): void => {
  if (found === null) memory.unknown.delete(slot.id);
  else memory.unknown.set(slot.id, { since, nonce: slot.nonce, ...memory.unknown.get(slot.id), ...found });
};

/**
 * Tells of used nonces whose outcome stays unknown, by an alert that names the endpoints which keep the lane from knowing it, and
 * on the payments that wait for them; and when that is over. Payments that a reorganisation leads back to such a nonce begin to wait
 * for it, so they are told of again and again. A run that begins ends nothing while a nonce is in question.
 */
export const tellUnknown = async (run: LaneRun): Promise<void> => {
  const { memory, timing, store, lease } = run;
  const late = [...memory.unknown].filter(([, { since }]) => Date.now() - since >= timing.foreign * 2);
  const ids = late.map(([id]) => id);
  const told = ids.join();
  const isShown = told === '' || Date.now() - memory.unknownShownAt < timing.foreign;
  if (told === memory.unknownTold && isShown) return;
  if (memory.unknownTold === null && told === '' && memory.used.size > 0) return;
  await store.showUnknown(lease, ids);
  memory.unknownTold = told;
  memory.unknownShownAt = Date.now();
  const [first] = late;
  if (first === undefined) return logOver(run, await store.alertOver(lease, alertKey(run)));
  const endpoints = [...new Set(late.flatMap(([, one]) => one.endpoints))].sort((a, b) => a - b);
  await raise(run, `${first[1].why}${namesOf(endpoints)}`, {
    nonces: late.slice(0, MOST_NAMED).map(([, { nonce }]) => nonce),
    endpoints: endpoints.map((endpoint) => endpoint + 1),
  });
};

/** Whether every open slot is one whose outcome is told as unknown. A full lane of them sends nothing until that is over. */
export const isAllUnknown = ({ memory }: LaneRun, slots: readonly { readonly id: string }[]): boolean =>
  slots.length > 0 && slots.every(({ id }) => memory.unknownTold?.includes(id));

/** The lane does not know how many transactions its key has sent, and sends nothing meanwhile. */
export const tellUncounted = async (run: LaneRun, why: string): Promise<void> => {
  await raise(run, why, {});
  // The next look that ends well takes it back.
  run.memory.unknownTold = 'uncounted';
};
