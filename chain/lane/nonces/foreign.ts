import { logAlerts } from '../../../domain/tools/observer.ts';
import { endpointsBut, fewestOf, nonceRequest } from '../../rpc/calls.ts';
import type { RpcOutcome } from '../../rpc/requests.ts';
import { RpcError } from '../../rpc/error.ts';
import type { LaneRun } from '../context.ts';
import type { LaneState } from '../state.ts';

/**
 * Pauses an account whose key is used elsewhere or whose database was set back, because its nonces are not free then.
 * Transactions in flight continue.
 */
export const pauseIfForeign = async (run: LaneRun, state: LaneState): Promise<boolean> => {
  const { account, view } = state;
  if (account.status === 'paused') return true;
  if (account.nextNonce === 0) await requireAgreed(run, view.nonce);
  // A key without slots may have been used elsewhere before, if none of those transactions is pending.
  const expected = account.nextNonce === 0 ? view.nonce : account.nextNonce;
  const theirs = Math.max(view.nonce, view.pendingNonce ?? 0);
  if (theirs <= expected) return false;
  await requireMost(run, expected);
  await pauseLane(run, account.nextNonce, theirs);
  return true;
};

/**
 * Requires that most endpoints count more transactions than expected, because one endpoint must not stop a lane.
 * @throws RpcError when fewer than the quorum, only one of several, or no more than half of the responding endpoints do
 */
export const requireMost = async ({ rpc, signer, network, signal }: LaneRun, expected: number): Promise<void> => {
  const requests = ['latest', 'pending'].map((tag) => nonceRequest(signer.address, tag));
  const fewest = fewestOf(rpc, network.quorum);
  const responses = await rpc.everyone(requests, { fewest, signal });
  const more = responses.filter(({ outcomes }) => outcomes.some((own) => own.ok && Number(own.result) > expected));
  const areMost = more.length * 2 > responses.length;
  if (areMost && more.length >= fewest) return;
  for (const { endpoint } of areMost ? [] : more)
    rpc.demoteBriefly(endpoint, 'counts more transactions than the others');
  const others = endpointsBut(
    rpc,
    more.map(({ endpoint }) => endpoint),
  );
  throw new RpcError(
    'inconsistent',
    `endpoints count different numbers of transactions; no more than expected, or no response: endpoint ${others.map((index) => index + 1).join(', ')}`,
  );
};

/**
 * Requires that the quorum agrees on the first nonce of a key: a false one could never be mined.
 * @throws RpcError when the quorum does not count so many transactions
 */
const requireAgreed = async ({ rpc, signer, network, signal }: LaneRun, nonce: number): Promise<void> => {
  const pick = ([count]: readonly RpcOutcome[]) => [count?.ok ? String(Number(count.result)) : undefined];
  const [agreed] = await rpc.agree([nonceRequest(signer.address, 'latest')], network.quorum, pick, signal);
  if (agreed !== String(nonce)) throw new RpcError('inconsistent', 'endpoints count different numbers of transactions');
};

/**
 * Pauses the lane: it sends nothing new, and an alert is raised once.
 * @param why what a restored database does not bear out
 */
export const pauseLane = async (run: LaneRun, ours: number, theirs: number, why?: string): Promise<void> => {
  const { store, lease, network, signer, log } = run;
  const raised = await store.pause(lease, 'nonce_used_elsewhere', {
    kind: 'lane_paused',
    subject: lease.id,
    message: `The account ${signer.address} on ${network.name} has transactions that Carat does not know: its key is used elsewhere, or the database is older than the chain`,
    data: { address: signer.address, next_nonce: ours, chain_nonce: theirs, ...(why === undefined ? {} : { why }) },
  });
  logAlerts(run, raised);
  log.error('Lane paused: the nonce is used elsewhere', {
    address: signer.address,
    network: network.name,
    ours,
    theirs,
  });
};
