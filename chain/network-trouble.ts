import type { CauseOf } from '../domain/alerts/condition.ts';
import type { ConditionAlert } from '../domain/ports/alert.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import type { NetworkTrouble } from '../domain/payment.ts';
import { steadyClock } from '../domain/tools/clock.ts';
import type { Observer } from '../domain/tools/observer.ts';
import { createEpisode } from '../domain/tools/episode.ts';
import type { AlertingRun } from './alert.ts';
import { RpcError, type RpcErrorKind } from './rpc/error.ts';

/** The parts of a lane's or watcher's run that waiting for its network needs. */
interface WaitingRun extends AlertingRun {
  readonly observed: Observer;
  readonly network: Pick<WatchedNetwork, 'name' | 'rpcUrls'>;
  /** Milliseconds for which the endpoints may be silent before an alert is raised. */
  readonly timing: { readonly unreachable: number };
}

/** The kind of a run, its work, the subject of the conditions that it raises, and their kinds. */
interface Waiter {
  readonly who: 'Lane' | 'Watcher';
  readonly does: 'sending' | 'reading';
  readonly subject: string;
  readonly reports: readonly NetworkTrouble[];
}

/** Observes whether a network gives a run usable responses: a log line when it does not, and an alert when that lasts. */
export interface TroubleObserver {
  /**
   * Records a failure.
   * @param askedAt when the failed look began, by `steadyClock`: a silent endpoint fails ten seconds later
   * @returns the trouble, once it lasts
   */
  failed(error: RpcError, askedAt: number): Promise<NetworkTrouble | null>;
  /** Records a success. */
  responded(): Promise<void>;
}

/** Methods that every round of a network's watcher calls, so that the watcher reports their refusals. */
const askedByWatcher = ['eth_chainId', 'eth_getBlockByNumber', 'eth_getLogs'];

/** True for a trouble that this run reports; refusals that affect every run of the network are left to its watcher. */
const isOwn = (does: Waiter['does'], { kind, waiting, method }: RpcError): boolean =>
  does === 'reading' ||
  waiting === 'network_unreachable' ||
  (kind !== 'denied' && method !== null && !askedByWatcher.includes(method));

const unspecific: ReadonlySet<RpcErrorKind> = new Set([
  'denied',
  'timeout',
  'unreachable',
  'overloaded',
  'malformed',
  'nonsense',
  'lie',
]);

/**
 * The error of endpoints that respond to other requests and fail at this method: they count as refusing it, with any error, because the
 * network is reachable.
 */
export const asRefusal = (error: unknown, method: string): unknown =>
  error instanceof RpcError && unspecific.has(error.kind)
    ? new RpcError('rejected', error.message, { method: error.method ?? method })
    : error;

/** The alert that a network gives no usable response, or refuses a needed method. */
export const troubleAlert = (
  network: WaitingRun['network'],
  does: Waiter['does'],
  { waiting, refusal, method, message }: RpcError,
  subject: string,
  cause?: CauseOf<'endpoint_refuses'>,
): ConditionAlert => {
  const endpoints = network.rpcUrls.length;
  if (waiting === 'network_unreachable') {
    return {
      kind: waiting,
      subject,
      message: `No RPC endpoint of ${network.name} gives a usable response: nothing is read or sent there (${message})`,
      data: { endpoints },
    };
  }
  const who = endpoints > 1 ? 'its RPC endpoints refuse' : 'its RPC endpoint refuses';
  return {
    kind: waiting,
    subject,
    ...(cause === undefined ? {} : { cause }),
    message: `${network.name}: ${who} ${method ?? 'everything'}, which ${does} needs: ${message}`,
    data: { method, refuses: refusal, reason: message, endpoints, needed_for: does },
  };
};

/** Creates the observer of an unreachable network and of endpoints that refuse: one that refuses is not unreachable. */
export const createTroubleObserver = (run: WaitingRun, waiter: Waiter): TroubleObserver => {
  const { who, does, subject, reports } = waiter;
  const { network, log, timing, observed } = run;
  const episode = createEpisode();
  /** When the failures began, and when those of the current trouble did, by `steadyClock`. */
  let since: { readonly any: number; readonly same: number; readonly as: NetworkTrouble } | null = null;
  /** The trouble that this run has reported, and whether an alert was raised for it. */
  let lasting: NetworkTrouble | null = null;
  let isRaised = false;

  /**
   * Writes which condition holds.
   * @param lasts the present trouble. Where another run reports it, this one does not know whether its own condition of that kind is over
   */
  const observe = async (lasts: NetworkTrouble | null, holding: ConditionAlert | null): Promise<void> => {
    for (const kind of reports) {
      const isPresent = kind === lasts;
      if (isPresent && holding === null) continue;
      await observed({ kind, subject, cause: '' }, isPresent && holding !== null ? [holding] : []);
    }
  };

  return {
    async failed(error, askedAt) {
      const now = steadyClock.now();
      const trouble = error.waiting;
      const refused = trouble === 'endpoint_refuses' ? { refused: error.method } : {};
      episode.begins(() =>
        log.warn(`${who} waits for its network`, { network: network.name, error: error.message, ...refused }),
      );
      since = { any: since?.any ?? askedAt, same: since?.as === trouble ? since.same : askedAt, as: trouble };
      // A trouble that keeps changing is reported as the latest one.
      const isDue = now - since.same >= timing.unreachable || now - since.any >= 2 * timing.unreachable;
      const isReported = isOwn(does, error) && reports.includes(trouble);
      if (!isDue || (lasting === trouble && (isRaised || !isReported))) return lasting;
      if (lasting !== null && now - since.same < timing.unreachable) return lasting;
      lasting = trouble;
      isRaised = isReported;
      await observe(trouble, isReported ? troubleAlert(network, does, error, subject) : null);
      return lasting;
    },

    async responded() {
      [since, lasting, isRaised] = [null, null, false];
      episode.ends(() => log.info(`${who} reaches its network again`, { network: network.name }));
      await observe(null, null);
    },
  };
};
