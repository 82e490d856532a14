import { randomUUID } from 'node:crypto';
import { readAllPayments, listPayments, type PaymentFilter } from '../../../db/payments/lists.ts';
import { PaymentModel } from '../../../db/payments/read.ts';
import { createCounter } from '../../../db/query/counter.ts';
import type { Cursor } from '../../../db/query/page.ts';
import { paymentStatuses, terminalStatuses } from '../../../domain/payment.ts';
import { connect } from '../../../db/connection.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type World } from '../../support/fixtures.ts';
import { readPage } from '../../support/pages.ts';

const HOUR = 3_600_000;

const knex = connect((await createTestDatabase()).url, { pool: 2, role: 'api' });
afterAll(() => knex.destroy());

const branchOf = async (parent: string): Promise<string> => {
  const id = randomUUID();
  await knex('nodes').insert({ id, name: 'branch', parent_id: parent, path: [id] });
  return id;
};

const insertCopies = async (world: World, rows: readonly Record<string, unknown>[]): Promise<void> => {
  const { id } = await createPaymentRow(knex, world, { method: 'bank_transfer' });
  const payment = await knex('payments').where({ id }).first();
  const copies = rows.map((row, index) => ({
    ...payment,
    id: randomUUID(),
    external_id: String(index),
    ...row,
  }));
  await knex.batchInsert('payments', copies, 200);
};

it('a list with branches has the newest of all, by pages and by cursors, whatever the filter', async () => {
  const world = await createWorld(knex);
  const stranger = await createWorld(knex);
  const [left, right] = [await branchOf(world.nodeId), await branchOf(world.nodeId)];
  const nodes = [world.nodeId, left, right, await branchOf(left), await branchOf(left)];
  // Several of each instant, so that the tie-break decides.
  await insertCopies(
    world,
    Array.from({ length: 240 }, (_, index) => {
      const status = paymentStatuses[(index * 5) % paymentStatuses.length]!;
      const isTerminal = terminalStatuses.some((terminal) => terminal === status);
      const node_id = nodes[(index * 7) % nodes.length];
      const created_at = new Date(1_700_000_000_000 + Math.floor(index / 4) * HOUR);
      return { node_id, status, terminal_at: isTerminal ? created_at : null, created_at };
    }),
  );
  await createPaymentRow(knex, stranger);
  const all: { id: string; node_id: string; status: string; created_at: Date }[] = await knex('payments')
    .whereIn('node_id', nodes)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
  expect(all).toHaveLength(241);
  const below: Record<string, string[]> = {
    [world.nodeId]: nodes,
    [left]: [left, nodes[3]!, nodes[4]!],
    [right]: [right],
  };
  const count = createCounter(knex, PaymentModel);
  const check = async (filter: PaymentFilter, perPage: number): Promise<void> => {
    const { nodeId, status, createdFrom } = filter;
    const expected = all
      .filter((payment) => below[nodeId]!.includes(payment.node_id))
      .filter((payment) => status === undefined || payment.status === status)
      .filter((payment) => createdFrom === undefined || payment.created_at >= createdFrom)
      .map(({ id }) => id);
    for (const page of [1, 2, 4]) {
      const numbered = await readPage(listPayments(knex, filter, { page, perPage }, count));
      expect(numbered.items.map(({ id }) => id)).toEqual(expected.slice((page - 1) * perPage, page * perPage));
      expect(numbered.total).toBe(expected.length);
    }
    const found: string[] = [];
    for (let after: Cursor | null | undefined; after !== null;) {
      const { items, next, total } = await readPage(listPayments(knex, filter, { page: 1, perPage, after }, count));
      found.push(...items.map(({ id }) => id));
      expect(total).toBe(expected.length);
      after = next;
    }
    expect(found).toEqual(expected);
    const file: string[] = [];
    for await (const part of readAllPayments(knex, filter)) file.push(...part.map(({ id }) => id));
    expect(file).toEqual(expected);
  };
  for (const nodeId of [world.nodeId, left, right]) {
    for (const status of [undefined, ...paymentStatuses]) {
      for (const createdFrom of [undefined, new Date(1_700_000_000_000 + 31 * HOUR)]) {
        for (const perPage of [7, 60]) await check({ nodeId, includeDescendants: true, status, createdFrom }, perPage);
      }
    }
  }
});

it('the number of all payments is exact though old payments are counted once', async () => {
  const world = await createWorld(knex);
  const branch = await branchOf(world.nodeId);
  const count = createCounter(knex, PaymentModel);
  const counts = async (): Promise<number[]> => [
    await count({ nodeId: world.nodeId, includeDescendants: false }),
    await count({ nodeId: world.nodeId, includeDescendants: true }),
    await count({ nodeId: branch, includeDescendants: true }),
  ];
  expect(await counts()).toEqual([0, 0, 0]);
  const ago = (hours: number): Date => new Date(Date.now() - hours * HOUR);
  await insertCopies(world, [
    { created_at: ago(0.1) },
    { created_at: ago(20), node_id: branch },
    { created_at: ago(24.9) },
  ]);
  // One more is the row that was copied.
  expect(await counts()).toEqual([3, 4, 1]);
  expect(await counts()).toEqual([3, 4, 1]);
  // Payments of this age are counted for the last time.
  const late = await createWorld(knex);
  await insertCopies(late, [{ created_at: ago(25.5) }, { created_at: ago(24) }, { created_at: ago(1) }]);
  const all = { nodeId: late.nodeId, includeDescendants: false };
  expect([await count(all), await count(all)]).toEqual([4, 4]);
  await createPaymentRow(knex, late);
  expect(await count(all)).toBe(5);
});
