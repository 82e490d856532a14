import { randomUUID } from 'node:crypto';
import { connect } from '../../../db/connection.ts';
import { isLaneOver, accountsWithLane } from '../../../db/lane/accounts.ts';
import { keysInUse, keysWithoutHolder } from '../../../db/lane/holders.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { isAtRest, restRetired, retirements } from '../../../db/catalogue/retire.ts';
import { requestDeployment } from '../../../db/wallets/request-deployment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

/** The newest block that was read; with the finality of 64 of the world, block 936 is final. */
const TIP = 1_000;
const FINAL = 936;
const now = Math.floor(Date.now() / 1_000);
/** Of the final block, in Unix seconds. */
const FINAL_TIME = now - 600;

let world: World;

const knex = connect((await createTestDatabase()).url, { pool: 4 });
afterAll(() => knex.destroy());
beforeEach(async () => {
  world = await createWorld(knex);
  const own = { network_id: world.networkId };
  await knex('watch_cursors').insert({ ...own, number: TIP, hash: hex(32), confirmed_number: TIP - 2 });
  const header = { ...own, number: FINAL, hash: hex(32), parent_hash: hex(32), timestamp: FINAL_TIME };
  await knex('block_headers').insert(header);
});

const retire = () => knex('networks').where({ id: world.networkId }).update({ retired_at: new Date() });
/** Whether the network is at rest after a look. */
const rests = async (): Promise<boolean> => {
  await restRetired(knex);
  return isAtRest(knex, world.networkId);
};

const at = (kind: string, block: number) => ({
  [`${kind}_tx_hash`]: hex(32),
  [`${kind}_block_number`]: block,
  [`${kind}_block_hash`]: hex(32),
});
const ended = (status: string) => ({ status, terminal_at: new Date() });
/** A payment whose deal was on the chain long ago. */
const pay = async (change: Record<string, unknown>, expiresUnix = FINAL_TIME + 3_600): Promise<string> => {
  const { id } = await createPaymentRow(knex, world, { expiresUnix });
  await knex('payments')
    .where({ id })
    .update({ ...at('deal', 10), ...change });
  return id;
};

it('a network in use never rests, and an empty retired one does at once', async () => {
  expect(await rests()).toBe(false);
  await retire();
  const { name } = await knex('networks').where({ id: world.networkId }).first('name');
  expect(await restRetired(knex)).toEqual({ resting: [name], woken: [] });
  expect(await restRetired(knex)).toEqual({ resting: [], woken: [] });
  expect(await isAtRest(knex, world.networkId)).toBe(true);
});

it('no row of a network is final before its blocks are read', async () => {
  const own = { network_id: world.networkId };
  await knex('watch_cursors').where(own).update({ number: null, hash: null, confirmed_number: null });
  await knex('block_headers').where(own).delete();
  await pay({ ...ended('completed'), ...at('paid', 5) });
  await retire();
  expect(await rests()).toBe(false);
});

it('a retired network does not rest before its watcher has read the blocks that a restore has lost', async () => {
  const own = { network_id: world.networkId };
  await retire();
  await knex('watch_cursors').where(own).update({ is_behind_restore: true });
  expect(await rests()).toBe(false);
  await knex('watch_cursors').where(own).update({ is_behind_restore: false });
  expect(await rests()).toBe(true);
});

const past = FINAL_TIME - 1;
const later = FINAL_TIME + 3_600;
const conflict = at('conflict', FINAL);

it.each<[string, boolean, Record<string, unknown>, number]>([
  ['pending', false, {}, later],
  ['pending beyond its expiry', false, {}, past],
  ['awaiting its buyer', false, { status: 'awaiting_payment' }, later],
  ['processing', false, { status: 'processing', ...at('paid', 20) }, later],
  ['canceling', false, { status: 'canceling' }, later],
  ['completed in a final block', true, { ...ended('completed'), ...at('paid', FINAL) }, later],
  ['completed in a block that is not final', false, { ...ended('completed'), ...at('paid', FINAL + 1) }, later],
  ['expired by a final block', true, ended('expired'), FINAL_TIME],
  ['expired by a block that is not final', false, ended('expired'), FINAL_TIME + 1],
  ['canceled in a final block', true, { ...ended('canceled'), ...at('cancel', FINAL) }, later],
  ['canceled in a block that is not final', false, { ...ended('canceled'), ...at('cancel', FINAL + 1) }, later],
  ['canceled in a block that is not known', false, ended('canceled'), later],
  ['canceled in a block that is not known, and expired', true, ended('canceled'), past],
  ['paid after its end in a final block', true, { ...ended('canceled'), ...at('paid', FINAL) }, later],
  ['paid after its end in a block that is not final', false, { ...ended('expired'), ...at('paid', FINAL + 1) }, past],
  ['failed with a final conflict', true, { ...ended('failed'), ...conflict }, later],
  ['failed, and its deal may still be paid', false, ended('failed'), later],
  ['reversed a moment ago', false, { ...ended('completed'), ...at('paid', 20), reversed_at: new Date() }, past],
  ['reversed before its expiry', false, { ...ended('completed'), ...at('paid', 20), reversed_at: new Date(0) }, later],
  ['reversed long ago', true, { ...ended('completed'), ...at('paid', 20), reversed_at: new Date(0) }, past],
])('a payment that is %s: the network rests: %s', async (_what, expected, change, expiresUnix) => {
  await pay(change, expiresUnix);
  await retire();
  expect(await rests()).toBe(expected);
});

it('a payment that was canceled unsent does not prevent the rest of its network, nor does an off-chain one', async () => {
  const { id } = await createPaymentRow(knex, world);
  await knex('payments').where({ id }).update(ended('canceled'));
  await createPaymentRow(knex, world, { method: 'bank_transfer' });
  await retire();
  expect(await rests()).toBe(true);
});

it('a false time in the future from an endpoint makes no deal unpayable', async () => {
  await knex('block_headers')
    .where({ network_id: world.networkId })
    .update({ timestamp: now + 1_000_000 });
  await pay(ended('canceled'), now + 3_600);
  await retire();
  expect(await rests()).toBe(false);
});

describe('a transaction of Carat', () => {
  const account_id = () => world.operatorAccountId;
  const slot = { nonce: 0, to_address: hex(20), data: Buffer.alloc(1), gas_limit: 1 };
  const mined = (state: string, block: number) => ({
    state,
    tx_hash: hex(32),
    block_number: block,
    block_hash: hex(32),
  });

  it('keeps the network preferred until it is final', async () => {
    await retire();
    const [{ id }] = await knex('tx_slots')
      .insert({ ...slot, account_id: account_id(), state: 'signed' })
      .returning('id');
    const states = [];
    for (const change of [
      { state: 'signed' },
      mined('mined', 5),
      mined('confirmed', FINAL + 1),
      mined('confirmed', FINAL),
    ]) {
      await knex('tx_slots').where({ id }).update(change);
      states.push(await rests());
    }
    expect(states).toEqual([false, false, false, true]);
  });

  it('that is requested prevents the rest, too, and so does a deployment under way', async () => {
    await retire();
    const payment_id = await pay({ ...ended('completed'), ...at('paid', 20) });
    const intent = { idempotency_key: randomUUID(), account_id: account_id(), purpose: 'cancel_deal', payment_id };
    const run = { wallet_id: world.walletId, network_id: world.networkId, kind: 'deploy' };
    await knex('deployments').insert(run);
    expect(await rests()).toBe(false);
    await knex('deployments').where(run).update({ status: 'failed' });
    await knex('tx_intents').insert(intent);
    expect(await rests()).toBe(false);
    await knex('tx_intents').where({ payment_id }).update({ state: 'withdrawn' });
    expect(await rests()).toBe(true);
  });
});

it('at rest no lane runs and no key is missed; late work wakes the network, and its lane', async () => {
  await retire();
  const isAwake = async () => [
    (await accountsWithLane(knex)).some(({ id }) => id === world.operatorAccountId),
    !(await isLaneOver(knex, world.operatorAccountId)),
    (await keysInUse(knex)).some(({ id }) => id === world.operatorAccountId),
    (await keysWithoutHolder(knex)).some(({ id }) => id === world.operatorAccountId),
  ];
  expect(await isAwake()).toEqual([true, true, true, true]);
  expect(await rests()).toBe(true);
  expect(await isAwake()).toEqual([false, false, false, false]);
  // A request that had read the network before it was retired.
  const { id } = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [id]);
  expect((await restRetired(knex)).woken).toHaveLength(1);
  expect(await isAwake()).toEqual([true, true, true, true]);
  expect(await retirements(knex)).toContainEqual(
    expect.objectContaining({ networkId: world.networkId, openPayments: 1, openDeployments: 0, isAtRest: false }),
  );
});

it('a deployment begins on no retired network, and one under way is answered', async () => {
  const request = { walletId: world.walletId, networkId: world.networkId, integrationId: null };
  const first = await requestDeployment(knex, request);
  await retire();
  expect(await requestDeployment(knex, request)).toEqual(first);
  await knex('deployment_steps').where({ id: first!.id }).update({ status: 'failed' });
  await expect(requestDeployment(knex, request)).rejects.toMatchObject({ code: 'network_retired' });
});

it.each<[string, boolean, string, number | null, number]>([
  ['canceled after its offer by a block that is not final', false, 'canceled', FINAL_TIME + 60, FINAL_TIME + 3_600],
  ['expired by a block that is not final', false, 'expired', FINAL_TIME + 60, FINAL_TIME + 60],
  ['canceled, and its offer was over by a final block', true, 'canceled', FINAL_TIME, FINAL_TIME + 3_600],
  ['canceled and never revealed', true, 'canceled', null, FINAL_TIME + 3_600],
])('an offered payment that is %s: the network rests: %s', async (_what, expected, status, until, expiresUnix) => {
  const { id } = await createPaymentRow(knex, world, { dealMode: 'offered', expiresUnix });
  await knex('payments').where({ id }).update(ended(status));
  await knex('offer_ends').where({ payment_id: id }).update({ revealed_until: until });
  await retire();
  expect(await rests()).toBe(expected);
});
