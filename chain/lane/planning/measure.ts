import { randomBytes } from 'node:crypto';
import type { DealIntent, QueuedIntent } from '../../../domain/ports/lane.ts';
import { steadyClock } from '../../../domain/tools/clock.ts';
import { contracts } from '../../pure/contracts.ts';
import { decodeBatchFailures } from '../../pure/deal-encoding.ts';
import { fewestOf, latestRequest, middle } from '../../rpc/calls.ts';
import type { RpcBatch, RpcOutcome, RpcRequest } from '../../rpc/requests.ts';
import { dataFeeRequests, learnDataFee, operatorFeeAmong, operatorFeeRequests } from '../../signing/data-fee.ts';
import type { LaneRun } from '../context.ts';
import { callOfDeals, withoutLimit } from './drafts.ts';
import { least, MAX_TRANSACTION_GAS } from './gas.ts';

/** Milliseconds until the next measurement, after a successful one and after one without a result. */
const AGAIN_MS = 600_000;
const RETRY_MS = 30_000;
/** Diamonds that are measured; the lowest counts, so that one that needs more does not raise the limits of others. */
const DIAMONDS = 3;
/** Deals in the larger of two made-up batches. Under Amsterdam's rules the first batcher has gas for two in a part. */
const MANY = { takesGas: 11, fixed: 2 } as const;

const randomWord = (): bigint => BigInt(`0x${randomBytes(32).toString('hex')}`);

/** Made-up deals on a diamond: both a create and a cancel store a new word for each. */
const madeUp = (diamond: string, count: number): DealIntent[] =>
  Array.from({ length: count }, () => ({
    kind: 'deal',
    id: '',
    purpose: 'create_deal',
    paymentId: '',
    diamond,
    dealId: randomWord(),
    termsHash: `0x${randomBytes(32).toString('hex')}`,
    isHeld: false,
  }));

/**
 * Measures the gas of blocks, and that of deals by estimates of made-up deals, on those diamonds of these intents that
 * consist of a known release. The median of all endpoints counts. Runs when due, or now. A failure, as while the
 * registry is paused, does not change the measure.
 */
export const measureGas = async (
  run: LaneRun,
  intents: readonly QueuedIntent[],
  when: 'due' | 'now',
): Promise<void> => {
  const { memory, store, lease } = run;
  const deals = intents.filter((intent): intent is DealIntent => intent.kind === 'deal');
  const wanted = [...new Set(deals.map(({ diamond }) => diamond))];
  const { until, isOfMany } = memory.gas.measuring;
  const isDue = steadyClock.now() >= until || (wanted.length > 1 && !isOfMany);
  if (wanted.length === 0 || (when === 'due' && !isDue)) return;
  if (when === 'due') memory.gas.most = MAX_TRANSACTION_GAS;
  const diamonds = (await store.released(lease, wanted)).slice(0, DIAMONDS);
  const found = await estimateDeals(run, diamonds, deals[0]!.purpose);
  memory.gas.measuring = {
    until: steadyClock.now() + (found ? AGAIN_MS : RETRY_MS),
    // Set even if nothing was found, so that not every tick tries again.
    isOfMany: wanted.length > 1,
  };
};

/** The median gas limit of a block, which is the first outcome of each response. */
export const blockAmong = (responses: readonly Pick<RpcBatch, 'outcomes'>[]): bigint | undefined =>
  middle(
    responses.flatMap(({ outcomes: [own] }) =>
      own?.ok ? [BigInt((own.result as { gasLimit: string }).gasLimit)] : [],
    ),
  );

/** The smallest block of the last minutes, as the median of all endpoints shows them: blocks may alternate between sizes. */
const smallestBlock = ({ memory }: LaneRun, now: bigint): bigint => {
  const { smallest } = memory.gas;
  const at = steadyClock.now();
  const isNew = smallest === null || now <= smallest.gas || at >= smallest.until;
  memory.gas.smallest = { ...(isNew ? { gas: now, until: at + AGAIN_MS } : smallest), at };
  return memory.gas.smallest.gas;
};

/**
 * Measures the gas of blocks again when this endpoint shows a much smaller one: limits of blocks drift a little. One that lies has no
 * voice, and costs a measurement now and then.
 */
export const noticeBlock = ({ memory }: LaneRun, shown: bigint): void => {
  const { measure, measuring, smallest } = memory.gas;
  const isMuch = shown * 8n < measure.block * 7n;
  if (isMuch && steadyClock.now() - (smallest?.at ?? -Infinity) >= RETRY_MS / 10) measuring.until = 0;
};

/** Takes over the lowest gas among these diamonds. False when none can be estimated. */
const estimateDeals = async (
  run: LaneRun,
  diamonds: readonly string[],
  purpose: DealIntent['purpose'],
): Promise<boolean> => {
  const { rpc, network, memory, signal, batcher } = run;
  const many = batcher.takesGas ? MANY.takesGas : MANY.fixed;
  const { measure } = memory.gas;
  // A failing part needs little gas while the transaction around it succeeds; the eth_call reveals the failure.
  const estimate = (deals: readonly DealIntent[]): RpcRequest[] => {
    const call = callOfDeals(run, purpose, deals, withoutLimit(measure));
    tried.push(deals);
    return ['eth_estimateGas', 'eth_call'].map((method) => ({ method, params: [call, 'latest'] }));
  };
  const tried: (readonly DealIntent[])[] = [];
  const [first, second] = diamonds;
  const requests = [
    latestRequest,
    ...diamonds.flatMap((diamond) => [...estimate(madeUp(diamond, 1)), ...estimate(madeUp(diamond, many))]),
    ...(first === undefined || second === undefined ? [] : estimate([...madeUp(first, 1), ...madeUp(second, 1)])),
  ];
  const responses = await rpc.everyone(requests, { fewest: fewestOf(rpc, network.quorum), signal });
  const median = blockAmong(responses);
  const block = median === undefined ? measure.block : smallestBlock(run, median);
  memory.gas.measure = { ...measure, block };
  const gas = tried.map((deals, index) =>
    middle(
      responses.flatMap(({ outcomes: [, ...outcomes] }) =>
        works(deals, outcomes[2 * index + 1]) ? (gasOf(outcomes[2 * index]) ?? []) : [],
      ),
    ),
  );
  const own = diamonds.map((_, index) => ({ one: gas[2 * index], many: gas[2 * index + 1] }));
  const slopes = own.flatMap(({ one, many: all }) => (one && all ? [(all - one) / BigInt(many - 1) + 1n] : []));
  const singles = own.flatMap(({ one }) => one ?? []);
  if (slopes.length === 0) return false;
  const deal = least(slopes);
  const single = least(singles);
  const [a, b] = singles;
  const both = second === undefined ? undefined : gas.at(-1);
  const diamond =
    both && a && b && singles.length === own.length
      ? least([both - a - deal, both - b - deal])
      : // In the proportions of the previous measure.
        ((single - deal) * measure.diamond) / (measure.diamond + measure.base);
  const base = single - diamond - deal;
  const isUsable = [deal, diamond, base].every((part) => part > 0n);
  if (isUsable) memory.gas.measure = { ...memory.gas.measure, base, diamond, deal };
  return isUsable;
};

/** Creating a contract needs more than this; a lower estimate means that the address has no code. */
const LEAST_DEPLOYMENT = 100_000n;

/**
 * Measures the gas of blocks, and that of the creation of a diamond, when due, by estimating a made-up one, which anybody may create.
 * The median of all endpoints counts.
 */
export const measureDeployment = async (run: LaneRun): Promise<void> => {
  const { rpc, network, signer, registry, memory, signal } = run;
  if (steadyClock.now() < memory.gas.measuring.until) return;
  memory.gas.measuring = { until: steadyClock.now() + AGAIN_MS, isOfMany: false };
  const ids = [randomBytes(16), randomBytes(16)].map((id) => `0x${id.toString('hex')}`);
  const data = contracts.registry.interface.encodeFunctionData('createDiamond', ids);
  const request = { method: 'eth_estimateGas', params: [{ from: signer.address, to: registry, data }, 'latest'] };
  const responses = await rpc.everyone([latestRequest, request], { fewest: fewestOf(rpc, network.quorum), signal });
  const median = blockAmong(responses);
  if (median !== undefined) memory.gas.measure = { ...memory.gas.measure, block: smallestBlock(run, median) };
  const deployment = middle(responses.flatMap(({ outcomes: [, own] }) => gasOf(own) ?? []));
  if (deployment !== undefined && deployment > LEAST_DEPLOYMENT)
    memory.gas.measure = { ...memory.gas.measure, deployment };
};

/**
 * Measures what the chain takes for a byte of these data. The median of all endpoints counts. Once most of them, and at
 * least two of several, say that it takes nothing, the run asks no more.
 */
export const measureDataFee = async (
  { rpc, network, memory, signal }: LaneRun,
  data: readonly string[],
): Promise<void> => {
  const requests = dataFeeRequests(memory.fees, data);
  if (requests.length === 0) return;
  const fewest = fewestOf(rpc, network.quorum);
  const responses = await rpc.everyone(requests, { fewest, signal });
  const told = responses.map(({ outcomes }) => outcomes);
  learnDataFee(memory.fees, data, told, fewest);
  await measureOperatorFee({ rpc, memory, signal }, fewest);
};

/** Reads the operator's fee from time to time, on chains that charge for data. */
const measureOperatorFee = async (
  { rpc, memory, signal }: Pick<LaneRun, 'rpc' | 'memory' | 'signal'>,
  fewest: number,
): Promise<void> => {
  const { dataFee, operator } = memory.fees;
  if (dataFee === 'none' || dataFee === 0n || steadyClock.now() < operator.until) return;
  memory.fees.operator = { ...operator, until: steadyClock.now() + RETRY_MS };
  const responses = await rpc.everyone(operatorFeeRequests, { fewest, signal });
  const told = responses.map(({ outcomes }) => outcomes);
  if (told.length > 0) memory.fees.operator = { ...operatorFeeAmong(told), until: steadyClock.now() + RETRY_MS };
};

/** True when every part succeeded. */
const works = (deals: readonly DealIntent[], outcome: RpcOutcome | undefined): boolean => {
  if (!outcome?.ok) return false;
  try {
    return decodeBatchFailures(deals, outcome.result as string).size === 0;
  } catch {
    return false;
  }
};

/** The gas of an estimate; undefined when it failed. */
export const gasOf = (outcome: RpcOutcome | undefined): bigint | undefined =>
  outcome?.ok ? BigInt(outcome.result as string) : undefined;
