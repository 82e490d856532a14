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

/** The condition that a network gives nothing usable, or refuses what is needed. */
export const troubleAlert = (
  network: WaitingRun['network'],
  does: Waiter['does'],
  { waiting, method, message }: RpcError,
): Omit<Alert, 'key'> => {
  const endpoints = network.rpcUrls.length;
  if (waiting === 'network_unreachable') {
    return {
      kind: waiting,
      message: `No RPC endpoint of ${network.name} gives a usable answer: nothing is seen or sent there (${message})`,
      data: { endpoints },
    };
  }
  const who = endpoints > 1 ? `all ${endpoints} RPC endpoints refuse` : 'the RPC endpoint refuses';
  return {
    kind: waiting,
    message: `${network.name}: ${who} ${method ?? 'a request'}, which ${does} needs: ${message}`,
    data: { method, reason: message, endpoints, needed_for: does },
  };
};

/** Creates what tells of a network's silence, and of its refusals: an endpoint that answers and refuses is not unreachable. */
export const createSilence = (run: WaitingRun, waiter: Waiter): Silence => {
  const { who, keys } = waiter;
  const { network, log, store, lease, timing } = run;
  const spell = createSpell();
  /** Of the first look that failed, in milliseconds since the epoch. */
  let since: number | null = null;
  let raised: NetworkTrouble | null = null;
  /** Conditions that may be open: all of them at first, because an earlier run may have told of them. */
  const told = new Set(Object.keys(keys) as NetworkTrouble[]);

  return {
    async lasts(error) {
      const trouble = error.waiting;
      const refused = trouble === 'endpoint_refuses' ? { refused: error.method } : {};
      spell.begins(
        () => log.warn(`${who} waits for its network`, { network: network.name, error: error.message, ...refused }),
        trouble,
      );
      since ??= Date.now();
      if (Date.now() - since < timing.unreachable) return null;
      if (raised !== trouble) {
        raised = trouble;
        const key = keys[trouble];
        if (key !== undefined) {
          told.add(trouble);
          await raiseAlert(run, { ...troubleAlert(network, waiter.does, error), key });
        }
      }
      return trouble;
    },

    async ends() {
      [since, raised] = [null, null];
      spell.ends(() => log.info(`${who} hears its network again`, { network: network.name }));
      for (const trouble of told) logOver(run, await store.alertOver(lease, keys[trouble]!));
      told.clear();
    },
  };
};
