import { formatEther } from 'ethers';
import type { QueuedIntent, SlotPlan } from '../../domain/ports/lane.ts';
import { logOver } from '../../domain/tools/alert-log.ts';
import { raiseAlert } from '../alert.ts';
import { isMost } from '../rpc/calls.ts';
import type { LaneRun, LaneState } from './context.ts';
import { marketFees, type Fees } from '../signing/fees.ts';
import { dataFeeOf } from '../signing/data-fee.ts';
import { gasOfDeals, withMargin, type GasMeasure } from './planning/gas.ts';
import { measureDeployment } from './planning/measure.ts';
import { tellAllWaiting } from './waiting.ts';

/** What a usual transaction of each role takes: ten deals of one diamond, or a diamond. */
const usual: Record<LaneRun['role'], { readonly gas: (measure: GasMeasure) => bigint; readonly bytes: bigint }> = {
  operator: { gas: (measure) => gasOfDeals(10, 1, measure), bytes: 1_000n },
  upgrader: { gas: ({ deployment }) => deployment, bytes: 400n },
};

/** Milliseconds between questions to every endpoint about a balance on which they differ. */
const AGAIN_MS = 1_000;

/**
 * Whether a claim about the balance holds by most endpoints that answer, and by as many as `fewest`. One endpoint that is
 * behind or lies neither tells an operator anything nor takes it back.
 */
const isBorneOut = async (
  { rpc, signer, signal }: LaneRun,
  fewest: number,
  claim: (balance: bigint) => boolean,
): Promise<boolean> => {
  const request = { method: 'eth_getBalance', params: [signer.address, 'latest'] };
  const answers = await rpc.everyone([request], { fewest, signal });
  const balances = answers.flatMap(({ outcomes: [own] }) => (own?.ok ? [BigInt(own.result as string)] : []));
  return isMost(balances.filter(claim).length, balances.length, fewest);
};

/** An account that can not pay. In wei. */
interface Shortage {
  readonly balance: bigint;
  readonly need: bigint;
  /** Intents or transactions that wait for it. */
  readonly waiting: number;
}

/** Tells operators that an account can not pay. */
export const alertUnderfunded = (run: LaneRun, { balance, need, waiting }: Shortage): Promise<void> => {
  const { network, signer, role, lease } = run;
  return raiseAlert(run, {
    key: `operator_underfunded:${lease.id}`,
    kind: 'operator_underfunded',
    message:
      `The ${role} ${signer.address} on ${network.name} can not pay for its transactions: it has ${formatEther(balance)} and ` +
      `needs ${formatEther(need)} for what waits (${waiting})`,
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
  gasLimit * fee + dataFeeOf(memory, data);

/** What the transactions under way may take of the balance. */
export const costUnderWay = (run: LaneRun, { slots }: Pick<LaneState, 'slots'>, { maxFeePerGas }: Fees): bigint =>
  slots.reduce(
    (sum, slot) =>
      sum + costOf(run, slot.gasLimit, () => slot.data, slot.attempts.at(-1)?.maxFeePerGas ?? maxFeePerGas),
    0n,
  );

/**
 * Those plans, from the first on, that the account can pay for beside everything under way. Where it can not, everything else
 * that is ready waits for funds, too.
 */
export const checkFunds = async (
  run: LaneRun,
  state: LaneState,
  { plans, ready }: { readonly plans: readonly SlotPlan[]; readonly ready: readonly QueuedIntent[] },
  fees: Fees,
): Promise<SlotPlan[]> => {
  const { balance } = state.view;
  let need = costUnderWay(run, state, fees);
  const affordable: SlotPlan[] = [];
  for (const plan of plans) {
    need += costOf(run, plan.gasLimit, () => plan.encode(plan.intents), fees.maxFeePerGas);
    if (need <= balance) affordable.push(plan);
  }
  if (affordable.length === plans.length) return affordable;
  run.memory.turn += 1;
  // What another endpoint can pay for is planned with its answers at the next look.
  if (!(await isBorneOut(run, 1, (own) => own < need))) return affordable;
  const paid = new Set(affordable.flatMap(({ intents }) => intents.map(({ id }) => id)));
  const unpaid = ready.filter(({ id }) => !paid.has(id));
  await alertUnderfunded(run, { balance, need, waiting: unpaid.length });
  await tellAllWaiting(run, unpaid, 'operator_underfunded');
  return affordable;
};

/**
 * Tells operators before an account can pay for nothing any more: its balance suffices for fewer than so many usual
 * transactions. It is over with half as much again, so that fees that go up and down do not tell it anew.
 */
export const watchFunds = async (
  run: LaneRun,
  { account, view }: Pick<LaneState, 'account' | 'view'>,
): Promise<void> => {
  const { network, role, signer, lease, memory, store, lowFunds } = run;
  if (account.isDismissed) return;
  if (role === 'upgrader') await measureDeployment(run);
  const { maxFeePerGas } = marketFees(view, network.maxFeePerGas);
  const { gas, bytes } = usual[role];
  const dataFee = memory.dataFee === 'none' ? 0n : memory.dataFee * bytes;
  const low = BigInt(lowFunds) * (withMargin(gas(memory.gas), memory.gas) * maxFeePerGas + dataFee);
  const enough = (low * 3n) / 2n;
  const key = `operator_low:${lease.id}`;
  const isNews = (view.balance < low && memory.isLow !== true) || (view.balance >= enough && memory.isLow !== false);
  if (!isNews || Date.now() - memory.fundsAskedAt < AGAIN_MS) return;
  memory.fundsAskedAt = Date.now();
  const isLow = view.balance < low;
  if (!(await isBorneOut(run, network.quorum, (own) => (isLow ? own < low : own >= enough)))) return;
  memory.isLow = isLow;
  if (isLow) {
    await raiseAlert(run, {
      key,
      kind: 'operator_low',
      message:
        `The ${role} ${signer.address} on ${network.name} has ${formatEther(view.balance)} left, less than ${lowFunds} ` +
        `transactions cost at the fees of now: ${formatEther(enough)} are enough`,
      data: {
        role,
        address: signer.address,
        transactions: lowFunds,
        balance_wei: view.balance.toString(),
        low_wei: low.toString(),
        enough_wei: enough.toString(),
      },
    });
  } else {
    logOver(run, await store.alertOver(lease, key));
  }
};
