import { randomUUID } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import type { Lease } from '../../../domain/ports/lease.ts';
import type { TokenPlace, WatchStore } from '../../../domain/ports/watcher.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld, hex, type World } from '../../support/fixtures.ts';

let knex: Knex;
let store: WatchStore;
let world: World;
let lease: Lease;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url });
  store = createWatchStore(knex);
});
afterAll(() => knex.destroy());
beforeEach(async () => {
  world = await createWorld(knex);
  lease = await store.acquire(world.networkId);
});

/** Another token of the catalogue on the world's network; null is the native coin. */
const addToken = async (address: string | null): Promise<void> => {
  const id = randomUUID();
  await knex('currencies').insert({ id, symbol: `T${id.slice(0, 8)}`, name: 'Test', decimals: 6 });
  await knex('currency_tokens').insert({ currency_id: id, network_id: world.networkId, address, decimals: 6 });
};
const addDiamonds = async (count: number): Promise<string[]> => {
  const addresses = Array.from({ length: count }, () => hex(20));
  for (const address of addresses) {
    const wallet = { node_id: world.nodeId, chain_id: world.chainId, name: 'wallet', address };
    const [{ id }] = await knex('wallets').insert(wallet).returning('id');
    await knex('diamonds').insert({
      wallet_id: id,
      network_id: world.networkId,
      address,
      operator_account_id: world.operatorAccountId,
    });
  }
  return addresses;
};
const alerts = () => knex('alerts').where({ network_id: world.networkId, kind: 'plain_transfer' }).orderBy('id');
const hold = (diamonds: readonly string[], units: bigint) =>
  store.recordStrays(
    lease,
    diamonds.map((diamond) => ({ token: world.tokenAddress, diamond, units })),
    null,
  );

it('the search reads all pairs of a diamond and a token in turn, across runs, and begins anew', async () => {
  await addToken(hex(20));
  await addToken(null);
  await addDiamonds(2);
  await createWorld(knex);
  const all: TokenPlace[] = await store.tokenPlaces(lease, 100);
  expect(all).toHaveLength(6);
  expect(new Set(all.map(({ diamond, token }) => `${diamond}:${token}`)).size).toBe(6);
  const first = await store.tokenPlaces(lease, 4);
  expect(first).toEqual(all.slice(0, 4));
  await store.recordStrays(lease, [], first.at(-1)!);
  const later = await store.acquire(world.networkId);
  expect(await store.tokenPlaces(later, 4)).toEqual(all.slice(4));
  await store.recordStrays(later, [], null);
  expect(await store.tokenPlaces(later, 4)).toEqual(first);
});

it('any number of diamonds make one condition, which counts them, lists the newest and is kept up to date', async () => {
  const diamonds = await addDiamonds(25);
  expect(await hold(diamonds.slice(0, 3), 5n)).toMatchObject([{ kind: 'plain_transfer', data: { diamonds: 3 } }]);
  expect(await hold(diamonds.slice(3), 1n)).toEqual([]);
  expect(await hold(diamonds.slice(0, 1), 2n ** 256n - 1n)).toEqual([]);
  // Less than before is no news.
  expect(await hold(diamonds.slice(1, 2), 4n)).toEqual([]);
  const [alert, ...others] = await alerts();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ is_condition: true, node_id: null, closed_at: null });
  expect(alert.message).toContain('is on 25 of our diamonds');
  const { units, newest } = alert.data;
  expect(units).toBe((2n ** 256n - 1n + 4n + 5n + 22n).toString());
  expect(newest).toHaveLength(20);
  expect(newest[0]).toMatchObject({ diamond: diamonds[0], units: (2n ** 256n - 1n).toString() });
  expect(newest.map(({ diamond }: TokenPlace) => diamond)).not.toContain(diamonds[1]);
  expect(JSON.stringify(alert).length).toBeLessThan(8_000);
});

it('the condition ends when no diamond holds the token, and may begin again', async () => {
  const [one, other] = await addDiamonds(2);
  await hold([one!, other!], 5n);
  await hold([one!], 0n);
  await closeWhatIsOver(knex);
  expect(await alerts()).toMatchObject([{ closed_at: null, data: { diamonds: 1 } }]);
  await hold([other!], 0n);
  await closeWhatIsOver(knex);
  expect(await alerts()).toMatchObject([{ closed_at: expect.any(Date) }]);
  expect(await hold([other!], 1n)).toHaveLength(1);
  expect(await alerts()).toHaveLength(2);
});

it('the condition ends when the token leaves the catalogue', async () => {
  const [diamond] = await addDiamonds(1);
  await hold([diamond!], 5n);
  await knex('currency_tokens').where({ network_id: world.networkId }).delete();
  await hold([], 0n);
  await closeWhatIsOver(knex);
  expect(await alerts()).toMatchObject([{ closed_at: expect.any(Date) }]);
});
