import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { isAtRest, restRetired } from '../../../db/catalogue/rest.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

/* As rest.test.ts: block 936 is final. */
const [TIP, FINAL] = [1_000, 936];
const now = Math.floor(Date.now() / 1_000);
const FINAL_TIME = now - 600;
let knex: Knex;
let world: World;

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
});
afterAll(() => knex.destroy());
beforeEach(async () => {
  world = await createWorld(knex);
  const own = { network_id: world.networkId };
  await knex('watch_cursors').insert({ ...own, number: TIP, hash: hex(32), confirmed_number: TIP - 2 });
  await knex('block_headers').insert({
    ...own,
    number: FINAL,
    hash: hex(32),
    parent_hash: hex(32),
    timestamp: FINAL_TIME,
  });
  await knex('networks').where({ id: world.networkId }).update({ retired_at: new Date() });
});

it.each<[string, boolean, string, number | null, number]>([
  ['canceled after its offer by a block that is not final', false, 'canceled', FINAL_TIME + 60, FINAL_TIME + 3_600],
  ['expired by a block that is not final', false, 'expired', FINAL_TIME + 60, FINAL_TIME + 60],
  ['canceled, and its offer was over by a final block', true, 'canceled', FINAL_TIME, FINAL_TIME + 3_600],
  ['canceled and never revealed', true, 'canceled', null, FINAL_TIME + 3_600],
])('an offered payment that is %s: the network rests: %s', async (_what, expected, status, until, expiresUnix) => {
  const { id } = await createPaymentRow(knex, world, { dealMode: 'offered', expiresUnix });
  await knex('payments').where({ id }).update({ status, terminal_at: new Date() });
  await knex('offer_ends').where({ payment_id: id }).update({ revealed_until: until });
  await restRetired(knex);
  expect(await isAtRest(knex, world.networkId)).toBe(expected);
});
