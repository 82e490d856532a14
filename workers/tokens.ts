import { createRpc, type Rpc } from '../chain/rpc/rpc.ts';
import { tokenFaults } from '../chain/tokens/faults.ts';
import { observe } from '../db/alerts/alerts.ts';
import { readTokens } from '../db/catalogue/tokens.ts';
import type { connect } from '../db/connection.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import type { ConditionAlert } from '../domain/ports/alert.ts';
import type { Log } from '../domain/ports/log.ts';
import type { NotificationSource } from '../domain/ports/notifications.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { logObserved } from '../domain/tools/observer.ts';
import { logOutcomes, repeat } from '../domain/tools/repeat.ts';

const DAY_MS = 86_400_000;
/** Milliseconds until the next pass after one in which a network could not be read. */
const AGAIN_MS = 600_000;

interface TokenWatch {
  readonly knex: ReturnType<typeof connect>;
  readonly log: Log;
}

/** A client of its own: what tokens say at two newest blocks differs, and must not make an endpoint a liar. */
export const tokenClient = ({ rpcUrls: urls, eip155, genesisHash }: WatchedNetwork): Rpc =>
  createRpc({ urls, eip155, genesisHash });

/**
 * Compares the tokens of all networks in use with the catalogue.
 * @throws RpcError for the first network that could not be read, after all others
 */
export const lookAtTokens = async ({ knex, log }: TokenWatch): Promise<void> => {
  const look = async (network: WatchedNetwork): Promise<void> => {
    const at = { rpc: tokenClient(network), quorum: network.quorum };
    const faults = await tokenFaults(at, { ...network, tokens: await readTokens(knex, network.id) });
    const looked = { kind: 'token_changed', network: network.id } as const;
    const found = faults.map(({ symbol, address: token, text }): ConditionAlert => ({
      kind: looked.kind,
      subject: network.id,
      cause: token,
      message: text,
      data: { token, symbol },
      refreshes: true,
    }));
    logObserved({ network, log }, await observe(knex, looked, found));
  };
  const networks = (await watchedNetworks(knex)).filter(({ isAtRest }) => !isAtRest);
  const failed = (await Promise.allSettled(networks.map(look))).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
};

/** Repeats that until the signal aborts: at once, when the catalogue was applied, and daily. */
export const watchTokens = (deps: TokenWatch, { wait }: NotificationSource, signal: AbortSignal): Promise<void> => {
  const words = {
    works: 'The tokens are compared with the catalogue again',
    fails: 'The tokens of a network could not be compared with the catalogue',
  };
  const { worked, failed } = logOutcomes(deps.log, words);
  const pass = (): Promise<number> =>
    lookAtTokens(deps).then(
      () => {
        worked();
        return DAY_MS;
      },
      (error: unknown) => {
        failed(error);
        return AGAIN_MS;
      },
    );
  return repeat(pass, { signal, everyMs: DAY_MS, wait });
};
