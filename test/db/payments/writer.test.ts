import type { Knex } from 'knex';
import { createPaymentWriter } from '../../../db/payments/writer.ts';
import type { NewPayment } from '../../../db/payments/insert.ts';

/**
 * A database whose statements end when the test says so; with `refuses` it refuses statements of several payments, as
 * if one payment were bad.
 */
const createDatabase = (refuses = false) => {
  const waiting: (() => void)[] = [];
  let statements = 0;
  const query = async ({ values }: { values: string[] }) => {
    const payments = JSON.parse(values[0]!) as { id: string }[];
    if (refuses && payments.length > 1) throw Object.assign(new Error('refused'), { code: '23505' });
    statements += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    statements -= 1;
    return { rows: payments.map(({ id }) => ({ id })) };
  };
  const client = { acquireConnection: () => Promise.resolve({ query }), releaseConnection: () => Promise.resolve() };
  return { knex: { client } as unknown as Knex, waiting, statements: () => statements };
};

const newPayment = (index: number, createsMember: boolean): NewPayment => ({
  record: { id: String(index), items: [], expires_at: new Date(0) } as unknown as NewPayment['record'],
  createsMember,
  audit: { actorId: 'a', actorNodeId: 'n', requestId: 'r', address: null, idempotency: null },
  answer: {},
  audited: { payment: {}, member: null },
});

const someTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

describe('payments that are stored alone', () => {
  it.each([
    { why: 'because each has a new member', createsMember: true },
    { why: 'because their statement was undone', createsMember: false },
  ])('$why take four statements at once at most', async ({ createsMember }) => {
    const { knex, waiting, statements } = createDatabase(!createsMember);
    const write = createPaymentWriter(knex);
    const stored = Promise.all(Array.from({ length: 10 }, (_, index) => write(newPayment(index, createsMember))));
    const most: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await someTurns();
      most.push(statements());
      for (const end of waiting.splice(0)) end();
    }
    expect(most).toEqual([4, 4, 2]);
    expect(await stored).toEqual(Array.from({ length: 10 }, () => true));
  });
});
