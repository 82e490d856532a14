import type { Failpoint, FailpointName } from '../../../domain/ports/failpoint.ts';
import { eventually } from '../../support/eventually.ts';
import type { Gateway, Running, TestPayment } from './gateway.ts';

/** Runs that are stopped after each test of the file. */
export const stopAfterEach = (): (<Run extends Running>(run: Run) => Run) => {
  const running: Running[] = [];
  afterEach(() => Promise.all(running.splice(0).map((run) => run.stop())));
  return (run) => {
    running.push(run);
    return run;
  };
};

/** Waits until all payments have a status. */
export const allAre = (gateway: Gateway, payments: readonly TestPayment[], status: string, ms = 30_000) =>
  eventually(async () => {
    const statuses = await gateway.statuses(payments);
    if (statuses.every((own) => own === status)) return true;
    throw new Error(`statuses: ${statuses.join(', ')}`);
  }, ms);

/** Waits until all payments say why they wait. */
export const allWait = (gateway: Gateway, payments: readonly TestPayment[], detail: string | null) =>
  eventually(async () => {
    const rows = await gateway
      .knex('payments')
      .whereIn(
        'id',
        payments.map((payment) => payment.id),
      )
      .select<{ status: string; status_detail: string | null }[]>('status', 'status_detail');
    if (rows.every((row) => row.status === 'pending' && row.status_detail === detail)) return true;
    throw new Error(`details: ${rows.map((row) => `${row.status}/${row.status_detail}`).join(', ')}`);
  });

/** How often each payment's deal was created on the canonical chain. */
export const timesCreated = async (gateway: Gateway, payments: readonly TestPayment[]): Promise<number[]> => {
  const created = await gateway.created();
  return payments.map((payment) => created.get(payment.dealId) ?? 0);
};

/** Every point at which a lane may die, in the order in which it passes them. */
export const laneFailpoints: readonly FailpointName[] = [
  'runLane:before_assign',
  'runLane:after_assign',
  'runLane:before_save',
  'runLane:before_send',
  'runLane:after_send',
  'runLane:after_record',
  'runLane:before_mined',
  'runLane:after_mined',
];

/** A failpoint that throws the first time a point is passed. */
export const throwOnceAt = (point: FailpointName): { failpoint: Failpoint; passed: () => boolean } => {
  let passed = false;
  return {
    passed: () => passed,
    failpoint: (name) => {
      if (name !== point || passed) return;
      passed = true;
      throw new Error(`killed at ${point}`);
    },
  };
};
