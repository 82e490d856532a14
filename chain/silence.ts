import type { Alert, RaisedAlert } from '../domain/ports/alert.ts';
import type { Lease } from '../domain/ports/lease.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import type { NetworkTrouble } from '../domain/payment.ts';
import { logOver } from '../domain/tools/alert-log.ts';
import { createSpell } from '../domain/tools/spell.ts';
import { raiseAlert, type AlertingRun } from './alert.ts';
import type { RpcError } from './rpc/error.ts';

/** A run of a lane or a watcher, as far as it waits for its network. */
interface WaitingRun extends AlertingRun {
  readonly store: AlertingRun['store'] & { alertOver(lease: Lease, key: string): Promise<RaisedAlert[]> };
  readonly network: Pick<WatchedNetwork, 'name' | 'rpcUrls'>;
  /** In milliseconds: how long the endpoints may be silent before operators are told. */
  readonly timing: { readonly unreachable: number };
}

/** What a run is called, what it does, and the keys of the conditions that it tells of. */
interface Waiter {
  readonly who: 'Lane' | 'Watcher';
  readonly does: 'sending' | 'reading';
  readonly keys: Partial<Record<NetworkTrouble, string>>;
}

/** What a run tells of a network that gives it nothing usable: a line at once, a condition when it stays so. */
export interface Silence {
  /**
   * A look has failed.
   * @returns why, once that has lasted
   */
  lasts(error: RpcError): Promise<NetworkTrouble | null>;
  /** A look has worked. */
  ends(): Promise<void>;
}

/** What every round of a network's watcher asks, so that its refusal is told by the watcher. */
const askedByWatcher = ['eth_chainId', 'eth_getBlockByNumber', 'eth_getLogs'];

/** True for what one run alone is refused; what everybody on the network is refused its watcher tells, once. */
const isOwn = (does: Waiter['does'], { kind, waiting, method }: RpcError): boolean =>
  does === 'reading' ||
  waiting === 'network_unreachable' ||
  (kind !== 'denied' && method !== null && !askedByWatcher.includes(method));

/** The condition that a network gives nothing usable, or refuses what is needed. */
export const troubleAlert = (
  network: WaitingRun['network'],
  does: Waiter['does'],
  { waiting, refusal, method, message }: RpcError,
): Omit<Alert, 'key'> => {
  const endpoints = network.rpcUrls.length;
  if (waiting === 'network_unreachable') {
    return {
      kind: waiting,
      message: `No RPC endpoint of ${network.name} gives a usable answer: nothing is seen or sent there (${message})`,
      data: { endpoints },
    };
  }
  const who = endpoints > 1 ? 'its RPC endpoints refuse' : 'its RPC endpoint refuses';
  return {
    kind: waiting,
    message: `${network.name}: ${who} ${method ?? 'everything'}, which ${does} needs: ${message}`,
    data: { method, refuses: refusal, reason: message, endpoints, needed_for: does },
  };
};

/** Creates what tells of a network's silence, and of its refusals: an endpoint that answers and refuses is not unreachable. */
export const createSilence = (run: WaitingRun, waiter: Waiter): Silence => {
  const { who, keys } = waiter;
  const { network, log, store, lease, timing } = run;
  const spell = createSpell();
  /** Of the first look that failed, and of the first one that failed as the last one, in milliseconds since the epoch. */
  let since: { readonly any: number; readonly same: number; readonly as: NetworkTrouble } | null = null;
  /** As it was told in this run, and whether it was an alert too. */
  let lasting: NetworkTrouble | null = null;
  let isRaised = false;
  /** Conditions that may be open: all of them at first, because an earlier run may have told of them. */
  const told = new Set(Object.keys(keys) as NetworkTrouble[]);

  const close = async (those: readonly NetworkTrouble[]): Promise<void> => {
    for (const trouble of those) {
      told.delete(trouble);
      logOver(run, await store.alertOver(lease, keys[trouble]!));
    }
  };

  return {
    async lasts(error) {
      const now = Date.now();
      const trouble = error.waiting;
      const refused = trouble === 'endpoint_refuses' ? { refused: error.method } : {};
      spell.begins(() =>
        log.warn(`${who} waits for its network`, { network: network.name, error: error.message, ...refused }),
      );
      since = { any: since?.any ?? now, same: since?.as === trouble ? since.same : now, as: trouble };
      // What changes all the time is told as it is then.
      const isDue = now - since.same >= timing.unreachable || now - since.any >= 2 * timing.unreachable;
      const key = isOwn(waiter.does, error) ? keys[trouble] : undefined;
      if (!isDue || (lasting === trouble && (isRaised || key === undefined))) return lasting;
      if (lasting !== null && now - since.same < timing.unreachable) return lasting;
      lasting = trouble;
      await close([...told].filter((other) => other !== trouble));
      isRaised = key !== undefined;
      if (key !== undefined) {
        told.add(trouble);
        await raiseAlert(run, { ...troubleAlert(network, waiter.does, error), key });
      }
      return lasting;
    },

    async ends() {
      [since, lasting, isRaised] = [null, null, false];
      spell.ends(() => log.info(`${who} hears its network again`, { network: network.name }));
      await close([...told]);
    },
  };
};
