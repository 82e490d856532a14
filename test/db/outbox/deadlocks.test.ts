import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { createOutboxStore } from '../../../db/outbox/outbox.ts';
import { transition } from '../../../db/payments/transition.ts';
import { startGroup, type StartClaim } from '../../../domain/ports/outbox.ts';
import type { OutboxStore } from '../../../db/outbox/outbox.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type PaymentRow } from '../../support/fixtures.ts';

/*
 * Dispatchers of many processes, all of whose claims run out at once, beside watchers that move the same payments.
 */

let knex: Knex;
let store: OutboxStore;
beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 24 });
  store = createOutboxStore(knex);
});
afterAll(() => knex.destroy());

const shuffled = <Value>(values: readonly Value[]): Value[] =>
  values
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);

const move = (payments: readonly PaymentRow[], name: 'deal_confirmed' | 'payment_detected' | 'payment_reorged') =>
  knex.transaction((trx) =>
    transition(trx, {
      name,
      where: 'p.id = ANY(:ids)',
      bindings: { ids: payments.map(({ id }) => id) },
      actor: { type: 'chain' },
    }),
  );

it('no claim of a start meets a deadlock, and a start keeps its payments', async () => {
  const world = await createWorld(knex);
  const group = startGroup(world.networkId, 'web3');
  const payments: PaymentRow[] = [];
  for (let i = 0; i < 60; i += 1) payments.push(await createPaymentRow(knex, world));
  const starts = new Map<string, string>();
  const note = ({ workflowId, commands }: StartClaim): void => {
    const ids = commands.map((command) => command.payment_id).join();
    expect(starts.get(workflowId) ?? ids).toBe(ids);
    starts.set(workflowId, ids);
  };
  const dispatch = async (): Promise<void> => {
    for (let round = 0; round < 40; round += 1) {
      const claim = await store.claimStart(group, { limit: 20, claimMs: 0 });
      if (claim === null) continue;
      note(claim);
      // As if it came from a process that knows the rows in another order; now and then another start gets its turn.
      await store.markFailed(shuffled(claim.rowIds), 'the server is away', round % 3 === 0 ? 20 : 0);
    }
  };
  const watch = async (): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      await move(payments, 'deal_confirmed');
      await move(payments, 'payment_detected');
      await move(payments, 'payment_reorged');
    }
  };
  const outcomes = await Promise.allSettled([...Array.from({ length: 12 }, dispatch), watch(), watch()]);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(failures).toEqual([]);
  const { rows } = await knex.raw<{ rows: { deadlocks: string }[] }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks: '0' }]);
  expect([...starts.values()].flatMap((ids) => ids.split(',')).sort()).toEqual(payments.map(({ id }) => id).sort());
});
