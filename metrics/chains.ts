import { Counter, Gauge, type Registry } from 'prom-client';
import { onMeasure, type Measures } from '../runtime/measures.ts';

/** Base units of a native coin. */
const COIN = 1e18;

/** Shows the progress of this worker's watchers and the state of its endpoints. */
export const countNetworks = (register: Registry): void => {
  const labelNames = ['network'] as const;
  const behind = new Gauge({
    name: 'carat_watcher_blocks_behind',
    help: 'Blocks of the chain that were not read when the last round of a watcher of this process began',
    labelNames,
    registers: [register],
  });
  const reorganisations = new Counter({
    name: 'carat_reorganisations_total',
    help: 'Reorganisations that watchers of this process have seen',
    labelNames,
    registers: [register],
  });
  const blocks = new Counter({
    name: 'carat_reorganised_blocks_total',
    help: 'Blocks that these reorganisations removed',
    labelNames,
    registers: [register],
  });
  onMeasure('round', ({ network, behind: own }) => {
    behind.set({ network }, own);
    // From 0 on, so that the first one counts as an increase.
    for (const counter of [reorganisations, blocks]) counter.inc({ network }, 0);
  });
  onMeasure('reorganisation', ({ network, depth }) => {
    reorganisations.inc({ network });
    blocks.inc({ network }, depth);
  });
};

/** Shows the RPC endpoints that this worker has demoted. */
export const countEndpoints = (register: Registry): void => {
  const demotions = new Counter({
    name: 'carat_endpoint_demotions_total',
    help: 'Demotions of RPC endpoints by this process; endpoint is the place in the catalogue, from 1; lie: it reported something false',
    labelNames: ['network', 'endpoint', 'lie'],
    registers: [register],
  });
  /** When each demotion ends, by `performance.now()`. */
  const until = new Map<string, { readonly labels: { network: string; endpoint: string }; readonly at: number }>();
  new Gauge({
    name: 'carat_endpoint_demoted',
    help: '1 while this process asks the RPC endpoint last; only endpoints that were ever demoted',
    labelNames: ['network', 'endpoint'],
    registers: [register],
    collect() {
      for (const { labels, at } of until.values()) this.set(labels, Number(at > performance.now()));
    },
  });
  onMeasure('demotion', ({ network, endpoint, ms, isLie }) => {
    const labels = { network, endpoint: String(endpoint + 1) };
    demotions.inc({ ...labels, lie: String(isLie) });
    const key = JSON.stringify(labels);
    until.set(key, { labels, at: Math.max(until.get(key)?.at ?? 0, performance.now() + ms) });
  });
};

const labelsOf = ({ network, role, address }: Measures['laneEnd']) => ({ network, role, lane: address });

/** Shows the keys of the lanes that this worker runs: at most `CARAT_WORKER_CHAIN_SLOTS` of them. */
export const measureLanes = (register: Registry): void => {
  const shared = { labelNames: ['network', 'role', 'lane'] as const, registers: [register] };
  const balance = new Gauge({
    name: 'carat_lane_balance_coins',
    help: 'Balance of the key of a lane that this process runs, in coins of the network, when the lane last looked',
    ...shared,
  });
  const left = new Gauge({
    name: 'carat_lane_transactions_left',
    help: 'Usual transactions that this balance covers at the fees of that moment: ten deals, or one diamond',
    ...shared,
  });
  const gap = new Gauge({
    name: 'carat_lane_nonce_gap',
    help: 'Nonces that were given out and are used by no block; below 0 the key was used elsewhere',
    ...shared,
  });
  const fees = new Counter({
    name: 'carat_lane_fees_coins_total',
    help: "Fees of the lane's transactions in blocks, in coins of the network; a transaction that a reorganisation moves counts again",
    ...shared,
  });
  const mined = new Counter({
    name: 'carat_lane_transactions_total',
    help: "The lane's transactions in blocks, by outcome: succeeded, failed",
    labelNames: [...shared.labelNames, 'outcome'],
    registers: [register],
  });
  onMeasure('lane', (lane) => {
    const labels = labelsOf(lane);
    balance.set(labels, Number(lane.balance) / COIN);
    if (lane.cost > 0n) left.set(labels, Number((lane.balance * 10n) / lane.cost) / 10);
    gap.set(labels, lane.nonceGap);
  });
  onMeasure('mined', ({ transactions, ...lane }) => {
    const labels = labelsOf(lane);
    for (const { fee, succeeded } of transactions) {
      fees.inc(labels, Number(fee) / COIN);
      mined.inc({ ...labels, outcome: succeeded ? 'succeeded' : 'failed' });
    }
  });
  onMeasure('laneEnd', (lane) => {
    for (const gauge of [balance, left, gap]) gauge.remove(labelsOf(lane));
  });
};
