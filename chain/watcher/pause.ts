import { logOver } from '../../domain/tools/alert-log.ts';
import { raiseAlert } from '../alert.ts';
import { contracts } from '../pure/contracts.ts';
import { outputOf, textOf, viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import type { WatchRun } from './context.ts';

/** Of the alert that lasts while the registry of a network is paused. */
export const pauseKey = (networkId: string): string => `registry_paused:${networkId}`;

/**
 * Looks once in a run, and again after each reorganisation, whether the registry is paused, at the newest block that was read. Its
 * events tell of every later change; of what came before a watcher began, or while nobody kept the alert, or went with its block,
 * only this look tells. Where the quorum does not agree, it looks again after a while.
 */
export const lookAtPause = async (run: WatchRun): Promise<void> => {
  const { rpc, store, lease, network, registry, memory, timing, signal } = run;
  if (memory.isPauseKnown || Date.now() - memory.pauseAskedAt < timing.again) return;
  memory.pauseAskedAt = Date.now();
  const cursor = await store.cursor(lease);
  if (cursor === null) return;
  const asked = { to: registry, interface: contracts.registry.interface, name: 'paused' };
  const pick = ([outcome]: readonly RpcOutcome[]) => [outcome && textOf(outcome)];
  const [answer] = await rpc.agree([viewRequest(asked, { blockHash: cursor.hash })], network.quorum, pick, signal);
  if (answer === undefined) return;
  memory.isPauseKnown = true;
  // A network without a registry is paused for nobody.
  if (outputOf(asked, answer) !== true) return logOver(run, await store.alertOver(lease, pauseKey(network.id)));
  await raiseAlert(run, {
    key: pauseKey(network.id),
    kind: 'registry_paused',
    message: `The registry of ${network.name} is paused: deals are neither created nor paid`,
    data: { by: null },
  });
};
