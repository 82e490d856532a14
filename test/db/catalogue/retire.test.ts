import type { Knex } from 'knex';
import { applyCatalogue } from '../../../db/catalogue/apply.ts';
import { CatalogueError } from '../../../db/catalogue/file.ts';
import { connect } from '../../../db/connection.ts';
import { restRetired } from '../../../db/catalogue/retire.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import { LeaseLostError } from '../../../domain/ports/lease.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

let knex: Knex;
let world: World;
let name: string;
let asked: number;

beforeEach(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  world = await createWorld(knex);
  ({ name } = await network());
  asked = 0;
});
afterEach(() => knex.destroy());

const network = () => knex('networks').where({ id: world.networkId }).first();

/** Applies a file with the stored network, except for this change. */
const apply = async (change: Record<string, unknown>) => {
  const { eip155, rpc_urls, quorum, confirmations, finality, block_time_ms, guardian } = await network();
  const chain = await knex('chains')
    .where({ id: world.chainId })
    .first('id', 'name', 'first_root', 'platform_id', 'approval_delay');
  const keys = await knex('signer_accounts').where({ network_id: world.networkId }).select('role', 'address');
  const of = (role: string) => keys.filter((key) => key.role === role).map(({ address }) => address);
  const entry = {
    id: world.networkId,
    name,
    chain: chain.name,
    eip155: Number(eip155),
    rpc_urls,
    quorum,
    confirmations,
    finality,
    block_time_ms,
    max_fee_per_gas_gwei: 1_000,
    operators: of('operator'),
    upgrader: of('upgrader')[0],
    guardian,
    ...change,
  };
  return applyCatalogue(knex, { chains: [chain], networks: [entry] }, () => {
    asked += 1;
    return Promise.resolve({ genesisHash: null, problems: [] });
  });
};

const own = () => ({ networkId: world.networkId, network: name });

it('a retirement names the open work each time until the network is at rest, and then no more', async () => {
  const { id } = await createPaymentRow(knex, world);
  await createPaymentRow(knex, world, { method: 'bank_transfer' });
  await apply({});
  const open = { ...own(), openPayments: 1, openDeployments: 0, isAtRest: false };
  expect(await apply({ retired: true })).toMatchObject({ changes: 1, retired: [open], resumed: [] });
  const { retired_at: since } = await network();
  expect(await apply({ retired: true })).toMatchObject({ changes: 0, retired: [open], resumed: [] });
  expect((await network()).retired_at).toEqual(since);
  await knex('payments').where({ id }).update({ status: 'canceled', terminal_at: new Date() });
  await restRetired(knex);
  expect(await apply({ retired: true })).toMatchObject({ changes: 0, retired: [], resumed: [] });
});

it('an empty network is at rest at once, and the application says so', async () => {
  const { retired } = await apply({ retired: true });
  expect(retired).toEqual([{ ...own(), openPayments: 0, openDeployments: 0, isAtRest: true }]);
});

it('a retired network needs no endpoints, is not checked at rest, and has its former endpoints when it comes back', async () => {
  const { rpc_urls: urls, quorum } = await network();
  await createPaymentRow(knex, world);
  await apply({ retired: true, rpc_urls: null, quorum: 2 });
  expect(await network()).toMatchObject({ rpc_urls: urls, quorum, rested_at: null });
  expect(asked).toBe(0);
  await apply({ retired: true });
  expect(asked).toBe(1);
  await knex('payments').update({ status: 'canceled', terminal_at: new Date() });
  await restRetired(knex);
  await apply({ retired: true });
  expect(asked).toBe(1);
  await apply({});
  expect(asked).toBe(2);
  expect(await network()).toMatchObject({ rpc_urls: urls, retired_at: null, rested_at: null });
});

it('only a retired network in the database may omit its endpoints', async () => {
  const problemsOf = async (change: Record<string, unknown>): Promise<readonly string[]> => {
    const error: unknown = await apply(change).catch((reason: unknown) => reason);
    return error instanceof CatalogueError ? error.problems : [];
  };
  expect(await problemsOf({ rpc_urls: null })).toEqual([
    'catalogue.networks[0].rpc_urls is required unless the network is retired',
  ]);
  const fresh = { id: null, name: 'Fresh', eip155: 7, retired: true, rpc_urls: null };
  expect(await problemsOf(fresh)).toEqual([
    'network Fresh is retired and was never stored: leave it out, or name its rpc_urls',
  ]);
  expect(await problemsOf({ retired: 'yes' })).toEqual(['catalogue.networks[0].retired must be true or false']);
});

it('a network that was at rest is watched from its newest block on, and a former run writes nothing', async () => {
  const store = createWatchStore(knex);
  await apply({});
  const lease = await store.acquire(world.networkId);
  const header = { number: 7, hash: hex(32), parentHash: hex(32), timestamp: 1 };
  const round = { rewindTo: null, headers: [header], events: [], alerts: [], confirmedNumber: null };
  await store.commit(lease, round);
  await apply({ retired: true });
  expect(await apply({})).toMatchObject({ retired: [], resumed: [{ ...own(), lastBlock: '7' }] });
  expect(await store.cursor(lease)).toBeNull();
  await expect(store.commit(lease, round)).rejects.toBeInstanceOf(LeaseLostError);
  expect(await store.headers(lease, 0, 100)).toEqual([]);
  const again = await store.acquire(world.networkId);
  await store.commit(again, { ...round, headers: [{ ...header, number: 900 }] });
  expect(await store.cursor(again)).toMatchObject({ number: 900, confirmedNumber: null });
});

it('a network that is taken up again before its rest is watched on from its cursor', async () => {
  const store = createWatchStore(knex);
  await createPaymentRow(knex, world);
  await apply({});
  const lease = await store.acquire(world.networkId);
  const header = { number: 7, hash: hex(32), parentHash: hex(32), timestamp: 1 };
  await store.commit(lease, { rewindTo: null, headers: [header], events: [], alerts: [], confirmedNumber: null });
  await apply({ retired: true });
  expect(await apply({})).toMatchObject({ changes: 1, retired: [], resumed: [] });
  expect(await store.cursor(lease)).toMatchObject({ number: 7 });
});
