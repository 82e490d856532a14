import { logObserved } from '../../domain/tools/observer.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { contracts } from '../pure/contracts.ts';
import { outputOf, textOf, viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import type { WatchRun } from './context.ts';

/**
 * Reads once in a run, and after each reorganisation, whether the registry is paused at the newest read block. Events
 * report later changes, but not a pause from before the watcher's first block, nor one whose block was reorganised away.
 * Where the quorum does not agree, it reads again later.
 */
export const lookAtPause = async (run: WatchRun): Promise<void> => {
  const { rpc, store, lease, network, registry, memory, timing, signal } = run;
  if (memory.isPauseKnown || steadyClock.now() - memory.pauseAskedAt < timing.again) return;
  memory.pauseAskedAt = steadyClock.now();
  const cursor = await store.cursor(lease);
  if (cursor === null) return;
  const asked = { to: registry, interface: contracts.registry.interface, name: 'paused' };
  const pick = ([outcome]: readonly RpcOutcome[]) => [outcome && textOf(outcome)];
  const [response] = await rpc.agree([viewRequest(asked, { blockHash: cursor.hash })], network.quorum, pick, signal);
  if (response === undefined) return;
  memory.isPauseKnown = true;
  // Without a registry nothing is paused.
  const condition = { kind: 'registry_paused', subject: network.id } as const;
  const message = `The registry of ${network.name} is paused: deals are neither created nor paid`;
  const isPaused = outputOf(asked, response) === true;
  // Not by the run's observer: an event raises this alert, too.
  logObserved(
    run,
    await store.observe(lease, condition, isPaused ? [{ ...condition, message, data: { by: null } }] : []),
  );
};
