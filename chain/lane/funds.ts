import { formatEther } from 'ethers';
import type { QueuedIntent, SlotPlan } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { raiseAlert } from '../alert.ts';
import { isMost, latestRequest } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import type { LaneRun } from './context.ts';
import { marketFees, max, type FeeMarket, type Fees } from '../signing/fees.ts';
import { dataFeeOf, operatorFeeOf } from '../signing/data-fee.ts';
import { gasOfDeals, limitFor, withMargin, type GasMeasure } from './planning/gas.ts';
import { marketsOf, tipRequest } from './market.ts';
import { gasOf, measureDeployment } from './planning/measure.ts';
import type { LaneState } from './state.ts';
import { recordAllWaiting } from './waiting.ts';
import { measure } from '../../runtime/measures.ts';

/** The gas and data of each role's usual transaction: ten deals of one diamond, or one diamond. */
const usual: Record<LaneRun['role'], { readonly gas: (measure: GasMeasure) => bigint; readonly bytes: bigint }> = {
  operator: { gas: (measure) => gasOfDeals(10, 1, measure), bytes: 1_000n },
  upgrader: { gas: ({ deployment }) => deployment, bytes: 400n },
};

/** Milliseconds between requests to every endpoint about a balance on which they differ. */
const AGAIN_MS = 1_000;

/** The balance of the account and the fees of the chain, from one endpoint. */
interface Means extends FeeMarket {
  readonly balance: bigint;
}

/**
 * True when a claim about balance, fees and responses to more requests holds for most of the responding endpoints, and at least
 * `fewest`. One endpoint that lags or lies neither raises nor closes an alert.
 */
export const holdsForMost = async (
  run: LaneRun,
  fewest: number,
  claim: (means: Means, more: readonly RpcOutcome[]) => boolean,
  requests: readonly RpcRequest[] = [],
): Promise<boolean> => {
  const { rpc, signer, signal } = run;
  const request = { method: 'eth_getBalance', params: [signer.address, 'latest'] };
  const responses = await rpc.everyone([request, latestRequest, tipRequest, ...requests], { fewest, signal });
  const told = responses.filter(({ outcomes: [own, block] }) => own?.ok && block?.ok);
  const markets = marketsOf(
    run,
    told.map(({ outcomes: [, block, tip] }) => [block, tip]),
  );
  const holds = markets.filter((market, index) => {
    const [own, , , ...more] = told[index]!.outcomes;
    return claim({ balance: BigInt(resultOf(own) as string), ...market }, more);
  });
  return isMost(holds.length, markets.length, fewest);
};

/** An account that cannot pay. Amounts in wei. */
interface Shortage {
  readonly balance: bigint;
  readonly need: bigint;
  /** Number of waiting intents or transactions. */
  readonly waiting: number;
  /** True when the open alert takes this over. */
  readonly refreshes: boolean;
  /** The words of the endpoint that rejects a transaction for lack of funds. */
  readonly words?: string;
}

/**
 * Raises the alert that an account cannot pay. Where the known cost is below the balance, the chain takes a fee that Carat does not see:
 * the need is then more than the balance, by the known cost at least.
 */
export const alertUnderfunded = (run: LaneRun, shortage: Shortage): Promise<void> => {
  const { network, signer, role, lease } = run;
  const { balance, waiting, refreshes, words } = shortage;
  const need = shortage.need > balance ? shortage.need : balance + max(shortage.need, 1n);
  return raiseAlert(run, {
    kind: 'operator_underfunded',
    subject: lease.id,
    refreshes,
    message:
      `The ${role} ${signer.address} on ${network.name} cannot pay for its transactions: it has ${formatEther(balance)} and ` +
      `needs ${formatEther(need)} (${waiting} waiting)${words === undefined ? '' : `; the endpoint says: ${words}`}`,
    data: {
      role,
      address: signer.address,
      waiting,
      balance_wei: balance.toString(),
      need_wei: need.toString(),
    },
  });
};

const costOf = ({ memory }: LaneRun, gasLimit: bigint, data: () => string, fee: bigint): bigint =>
  gasLimit * fee + dataFeeOf(memory.fees, data) + operatorFeeOf(memory.fees.operator, gasLimit);

/** The highest cost of the transactions in flight. */
export const costUnderWay = (run: LaneRun, { slots }: Pick<LaneState, 'slots'>, { maxFeePerGas }: Fees): bigint =>
  slots.reduce(
    (sum, slot) =>
      sum + costOf(run, slot.gasLimit, () => slot.data, slot.attempts.at(-1)?.maxFeePerGas ?? maxFeePerGas),
    0n,
  );

/**
 * Returns the plans, from the first on, that the account can pay for in addition to everything in flight. If it cannot
 * pay for all by the balances, fees and estimates of most endpoints, every other ready intent waits for funds.
 */
export const checkFunds = async (
  run: LaneRun,
  state: LaneState,
  { plans, ready }: { readonly plans: readonly SlotPlan[]; readonly ready: readonly QueuedIntent[] },
  fees: Fees,
): Promise<SlotPlan[]> => {
  const { balance } = state.view;
  const costAt = (at: Fees, plan: SlotPlan, gasLimit = plan.gasLimit): bigint =>
    costOf(run, gasLimit, () => plan.encode(plan.intents), at.maxFeePerGas);
  let need = costUnderWay(run, state, fees);
  const affordable: SlotPlan[] = [];
  for (const plan of plans) {
    need += costAt(fees, plan);
    if (need <= balance) affordable.push(plan);
  }
  run.memory.funds.isShort = false;
  if (affordable.length === plans.length) return affordable;
  // The next tick plans with the responses of another one.
  run.turn.askAnother();
  const calls = plans.filter(({ intents: [first] }) => first?.kind === 'call');
  const estimates = calls.map(({ to, intents, encode }) => ({
    method: 'eth_estimateGas',
    params: [{ from: run.signer.address, to, data: encode(intents) }, 'latest'],
  }));
  const isShort = ({ balance: own, ...market }: Means, estimated: readonly RpcOutcome[]): boolean => {
    const at = marketFees(market, run.network.maxFeePerGas);
    const limitOf = (plan: SlotPlan): bigint => {
      const gas = gasOf(estimated[calls.indexOf(plan)]);
      return gas === undefined ? plan.gasLimit : limitFor(gas, run.memory.gas.measure);
    };
    return own < plans.reduce((sum, plan) => sum + costAt(at, plan, limitOf(plan)), costUnderWay(run, state, at));
  };
  run.memory.funds.isShort = await holdsForMost(run, 1, isShort, estimates);
  if (!run.memory.funds.isShort) return affordable;
  const paid = new Set(affordable.flatMap(({ intents }) => intents.map(({ id }) => id)));
  const unpaid = ready.filter(({ id }) => !paid.has(id));
  await alertUnderfunded(run, { balance, need, waiting: unpaid.length, refreshes: true });
  await recordAllWaiting(run, unpaid, 'operator_underfunded');
  return affordable;
};

/**
 * Raises an alert before an account runs out of funds: when its balance covers fewer than `lowFunds` usual
 * transactions. The alert closes at one and a half times that balance, so that fluctuating fees do not raise it again. An
 * operator whose deals are all offered needs no funds.
 */
export const watchFunds = async (
  run: LaneRun,
  { account, view }: Pick<LaneState, 'account' | 'view'>,
): Promise<void> => {
  const { network, role, signer, lease, memory, store, lowFunds, observed } = run;
  if (account.isDismissed) return;
  if (role === 'upgrader') await measureDeployment(run);
  const { gas, bytes } = usual[role];
  const limit = withMargin(gas(memory.gas.measure), memory.gas.measure);
  const beside =
    (memory.fees.dataFee === 'none' ? 0n : memory.fees.dataFee * bytes) + operatorFeeOf(memory.fees.operator, limit);
  const costAt = (market: FeeMarket): bigint => limit * marketFees(market, network.maxFeePerGas).maxFeePerGas + beside;
  const cost = costAt(view);
  const lane = { network: network.name, role, address: signer.address };
  measure('lane', { ...lane, balance: view.balance, cost, nonceGap: account.nextNonce - view.nonce });
  const low = BigInt(lowFunds) * cost;
  const enoughAt = (at: bigint): bigint => (BigInt(lowFunds) * at * 3n) / 2n;
  const enough = enoughAt(cost);
  const condition = { kind: 'operator_low', subject: lease.id } as const;
  const isNews =
    (view.balance < low && memory.funds.isLow !== true) || (view.balance >= enough && memory.funds.isLow !== false);
  if (!isNews || steadyClock.now() - memory.funds.askedAt < AGAIN_MS) return;
  memory.funds.askedAt = steadyClock.now();
  const isLow = view.balance < low;
  if (isLow && role === 'operator' && !(await store.needsFunds(lease))) {
    await observed(condition, []);
    return;
  }
  const holds = ({ balance, ...market }: Means): boolean =>
    isLow ? balance < BigInt(lowFunds) * costAt(market) : balance >= enoughAt(costAt(market));
  if (!(await holdsForMost(run, network.quorum, holds))) {
    // The next look is at another endpoint.
    run.turn.askAnother();
    return;
  }
  memory.funds.isLow = isLow;
  const message =
    `The ${role} ${signer.address} on ${network.name} has ${formatEther(view.balance)} left, less than ${lowFunds} ` +
    `transactions cost at current fees: ${formatEther(enough)} are enough`;
  const data = {
    role,
    address: signer.address,
    transactions: lowFunds,
    balance_wei: view.balance.toString(),
    low_wei: low.toString(),
    enough_wei: enough.toString(),
  };
  await observed(condition, isLow ? [{ ...condition, message, data }] : []);
};
