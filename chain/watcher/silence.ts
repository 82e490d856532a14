import { createSpell } from '../../domain/tools/spell.ts';
import { logOver } from '../../domain/tools/alert-log.ts';
import { raiseAlert } from '../alert.ts';
import type { RpcError } from '../rpc/error.ts';
import type { WatchRun } from './context.ts';

/** What a run tells of a network of which no endpoint gives a usable answer: a line at once, an alert when it stays so. */
export const createSilence = (run: WatchRun) => {
  const { network, log, store, lease, timing } = run;
  const key = `network_unreachable:${network.id}`;
  const spell = createSpell();
  /** Of the first look that failed, in milliseconds since the epoch. */
  let since: number | null = null;
  /** True at first, because an earlier run may have told it. */
  let isTold = true;
  let isRaised = false;

  return {
    /** A look has failed. */
    lasts: async (error: RpcError): Promise<void> => {
      const fields = { network: network.name, error: error.message };
      spell.begins(() => log.warn('Watcher waits for its network', fields));
      since ??= Date.now();
      if (isRaised || Date.now() - since < timing.unreachable) return;
      [isTold, isRaised] = [true, true];
      await raiseAlert(run, {
        key,
        kind: 'network_unreachable',
        message: `No RPC endpoint of ${network.name} gives a usable answer: nothing is seen or sent there (${error.message})`,
        data: { endpoints: network.rpcUrls.length },
      });
    },

    /** A look has worked. */
    ends: async (): Promise<void> => {
      since = null;
      spell.ends(() => log.info('Watcher hears its network again', { network: network.name }));
      if (!isTold) return;
      logOver(run, await store.alertOver(lease, key));
      [isTold, isRaised] = [false, false];
    },
  };
};
