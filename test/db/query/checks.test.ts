import knexFactory, { type Knex } from 'knex';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

let knex: Knex;
let world: World;
let paymentId: string;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
  world = await createWorld(knex);
  paymentId = (await createPaymentRow(knex, world)).id;
});

afterAll(() => knex.destroy());

describe.each([
  ['payment_address', 20],
  ['diamond_address', 20],
  ['token_address', 20],
  ['terms_hash', 32],
] as const)('%s', (column, bytes) => {
  const store = (value: string) =>
    knex('payments')
      .where({ id: paymentId })
      .update({ [column]: value });
  const digits = 'ab'.repeat(bytes);

  it('is lower-case hex of its length', async () => {
    expect(await store(hex(bytes))).toBe(1);
    expect(await store(`0x${digits}`)).toBe(1);
  });

  it.each([
    ['upper case', `0x${digits.toUpperCase()}`],
    ['a digit too few', `0x${digits.slice(1)}`],
    ['a digit too many', `0x${digits}a`],
    ['another beginning', `1x${digits}`],
    ['no beginning', `ab${digits}`],
    ['another letter', `0x${digits.slice(1)}g`],
    ['a second x', `0x${digits.slice(1)}x`],
    ['a line feed at the end', `0x${digits.slice(1)}\n`],
    ['a letter of two bytes', `0x${digits.slice(1)}é`],
    ['nothing', ''],
  ])('and not %s', async (_what, value) => {
    // 23514: check_violation
    await expect(store(value)).rejects.toMatchObject({ code: '23514' });
  });
});
