import { connect } from '../../../db/connection.ts';
import { countOpenTo } from '../../../db/lane/slots.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld, hex, type World } from '../../support/fixtures.ts';

/* Which transactions to an address are not final. */

const TIP = 1_000;

let world: World;
let to: string;

const knex = connect((await createTestDatabase()).url, { pool: 2 });
afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex);
  to = hex(20);
});

const readTo = (number: number) =>
  knex('watch_cursors')
    .insert({ network_id: world.networkId, number, hash: hex(32) })
    .onConflict('network_id')
    .merge();

let nonce = 0;
const addSlot = async (state: string, block: number | null = null, accountId = world.operatorAccountId, at = to) => {
  nonce += 1;
  const place = block === null ? {} : { block_number: block, block_hash: hex(32), tx_hash: hex(32) };
  await knex('tx_slots').insert({
    account_id: accountId,
    nonce,
    to_address: at,
    data: Buffer.alloc(4),
    gas_limit: 21_000,
    state,
    ...place,
  });
};

const count = (block = TIP) => countOpenTo(knex, { networkId: world.networkId, to, block });

it('the count has slots with a nonce, mined ones, and those that a reorganisation may still move', async () => {
  const { finality } = await knex('networks').where({ id: world.networkId }).first();
  await readTo(TIP);
  expect(await count()).toBe(0);
  await addSlot('confirmed', TIP - finality - 1);
  expect(await count()).toBe(0);
  await addSlot('assigned');
  await addSlot('signed');
  await addSlot('mined', TIP - 1);
  await addSlot('confirmed', TIP - finality);
  expect(await count()).toBe(4);
  await readTo(TIP + 1);
  expect(await count()).toBe(3);
});

it('the count has slots of dismissed keys, and none of other networks or to other addresses', async () => {
  await readTo(TIP);
  await knex('signer_accounts').where({ id: world.operatorAccountId }).update({ dismissed_at: new Date() });
  await addSlot('signed');
  await addSlot('signed', null, world.operatorAccountId, hex(20));
  const other = await createWorld(knex);
  await addSlot('signed', null, other.operatorAccountId);
  expect(await count()).toBe(1);
});

it('the count is unknown where no watcher of this database has read so far', async () => {
  expect(await count()).toBeNull();
  await readTo(TIP - 1);
  expect(await count()).toBeNull();
  expect(await count(TIP - 1)).toBe(0);
});
