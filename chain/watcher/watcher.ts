import type { NotifiedRun } from '../../domain/ports/chain-run.ts';
import { logAlerts, raiseAlert } from '../alert.ts';
import { batcherAddress, registryAddress } from '../pure/platform.ts';
import { RpcError } from '../rpc/error.ts';
import { pauseAfter, repeatUnderLease } from '../run.ts';
import { newlyConfirmed, scanBlocks } from './blocks.ts';
import { HaltError, watchTiming, type WatcherDeps, type WatchRun } from './context.ts';
import { judgeDue } from './judge.ts';
import { readLogs } from './logs.ts';
import { unaskedAlerts } from './unasked.ts';

/** Reads one network's blocks; what happened on the chain becomes known through it alone. */
export interface Watcher {
  /**
   * Takes the lease and works until the deadline, until it is aborted, or until another run takes the lease over.
   * @throws Error of the store; RPC trouble is waited out
   */
  run(options: NotifiedRun): Promise<void>;
}

/** Creates a watcher; `round` tells what one look does, in order. */
export const createWatcher = (deps: WatcherDeps): Watcher => ({
  async run(options) {
    const { network, store, log } = deps;
    const { signal } = options;
    const run: WatchRun = {
      ...deps,
      lease: await store.acquire(network.id),
      registry: registryAddress(network.platform),
      batcher: batcherAddress(network.platform),
      timing: { ...watchTiming(network.blockTimeMs), ...deps.timing },
      signal,
    };
    let failures = 0;
    let genesisChecked = false;
    const look = async (): Promise<number> => {
      if (!genesisChecked) await requireGenesis(run);
      genesisChecked = true;
      const more = await round(run);
      failures = 0;
      return more ? 0 : run.timing.tick;
    };
    const recover = async (error: unknown): Promise<number> => {
      // After any trouble it may be another chain that answers.
      genesisChecked = false;
      if (signal.aborted) return 0;
      if (error instanceof HaltError) return halt(run, error);
      if (!(error instanceof RpcError)) throw error;
      failures += 1;
      log.warn('Watcher waits for its network', { network: network.name, error: error.message });
      return pauseAfter(failures, run.timing.tick);
    };
    const kept = await repeatUnderLease(options, look, recover);
    if (!kept) log.info('Watcher taken over by another run', { network: network.name });
  },
});

const requireGenesis = async ({ rpc, network, signal }: WatchRun): Promise<void> => {
  if (network.genesisHash === null) return;
  const genesis = (await rpc.call('eth_getBlockByNumber', ['0x0', false], { signal })) as { hash: string } | null;
  if (genesis?.hash.toLowerCase() !== network.genesisHash) {
    throw new HaltError(`${network.name} has another genesis block than the stored one: it is not the same chain`);
  }
};

const halt = async (run: WatchRun, error: HaltError): Promise<number> => {
  const { store, lease, network, timing, log } = run;
  log.error('Watcher halted', { network: network.name, error: error.message });
  await store.halt(lease, error.message);
  await raiseAlert(run, {
    // Once an hour, as long as it lasts.
    key: `halted:${network.id}:${new Date().toISOString().slice(0, 13)}`,
    kind: 'network_halted',
    message: error.message,
  });
  return timing.halted;
};

/** One round: what is beyond the cursor, in one transaction; then the judgements, in others. True when there is more to read. */
const round = async (run: WatchRun): Promise<boolean> => {
  const { store, lease, network, log } = run;
  const cursor = await store.cursor(lease);
  const scan = await scanBlocks(run, cursor);
  if (scan.rewindTo !== null && cursor !== null) {
    const depth = cursor.number - scan.rewindTo;
    log.warn('Blocks were reorganised away', { network: network.name, depth, ancestor: scan.rewindTo });
    if (depth >= network.confirmations && cursor.confirmedNumber !== null && scan.rewindTo < cursor.confirmedNumber) {
      await raiseAlert(run, {
        key: `deep_reorganisation:${network.id}:${scan.rewindTo}:${cursor.hash}`,
        kind: 'deep_reorganisation',
        message: `${network.name} was reorganised ${depth} blocks deep, more than its ${network.confirmations} confirmations`,
        data: { depth, ancestor: scan.rewindTo },
      });
    }
  }
  const logs = await readLogs(run, scan);
  const confirmed = await newlyConfirmed(run, cursor, scan);
  if (scan.headers.length === 0 && confirmed === null) return scan.more;
  const alerts = await unaskedAlerts(run, logs);
  run.failpoint('runWatcher:before_commit');
  const raised = await store.commit(lease, {
    rewindTo: scan.rewindTo,
    headers: scan.headers,
    events: logs.deals,
    alerts,
    confirmedNumber: confirmed?.number ?? null,
  });
  logAlerts(run, raised);
  run.failpoint('runWatcher:after_commit');
  // While it catches up, the state of the confirmed block may be gone; logs wait for their judgement.
  if (confirmed !== null && !scan.more) await judgeDue(run, confirmed);
  return scan.more;
};
