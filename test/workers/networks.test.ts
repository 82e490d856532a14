import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../../db/connection.ts';
import { applyCatalogue } from '../../db/catalogue/apply.ts';
import { createNotifications, type Notifications } from '../../db/outbox/notifications.ts';
import { checkNetwork } from '../../chain/deploy/network-check.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createChainParts, type ChainParts } from '../../workers/chain.ts';
import { createNetworks } from '../../workers/networks.ts';
import { startGateway, type Gateway } from '../chain/support/gateway.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { allAre } from '../chain/support/running.ts';
import { holdTimers } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';

/*
 * Lanes, watchers and deployers at work in one process, while the catalogue changes. Their runs end after ten minutes, as in
 * production.
 */

const WITHIN_MS = 5_000;
const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let gateway: Gateway;
let notifications: Notifications;
let parts: ChainParts;
let knex: ReturnType<typeof connect>;
let proxies: Proxy[];
const stopping = new AbortController();
const ended: Promise<unknown>[] = [];

/** Repeats a run, as its workflow does also after a failure. */
const again = async (run: () => Promise<unknown>): Promise<void> => {
  while (!stopping.signal.aborted) {
    await run().catch(() => undefined);
    await delay(100);
  }
};

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3 });
  knex = connect(gateway.databaseUrl, { pool: 8 });
  proxies = await Promise.all(Array.from({ length: 4 }, () => startProxy(gateway.chain.url)));
  await knex('networks').update({ rpc_urls: [proxies[0]!.url] });
  notifications = createNotifications({ url: gateway.databaseUrl, log: silent });
  const networks = createNetworks({ knex, log: silent });
  const { operator } = gateway.keys;
  const keystore = { addresses: [operator.address], signer: () => operator };
  parts = createChainParts({
    lowFunds: 0,
    knex,
    keystore,
    networks,
    notifications,
    masterKey: randomBytes(32),
    log: silent,
    failpoint: () => {},
  });
  ended.push(networks.follow(notifications.source({ carat_catalogue: null }), stopping.signal));
  const { networkId, operatorAccountId: accountId } = gateway.world;
  const run = { signal: stopping.signal, heartbeat: () => {}, deadlineMs: performance.now() + 600_000 };
  ended.push(again(() => parts.runWatcher(networkId, run)));
  ended.push(again(() => parts.runLane({ networkId, accountId, address: operator.address }, run)));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
});

afterAll(async () => {
  stopping.abort();
  await Promise.allSettled(ended);
  await notifications.stop();
  await knex.destroy();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

/** Applies the stored file with this change alone. */
const apply = async (change: Record<string, unknown>): Promise<void> => {
  const { network, world, keys, platform } = gateway;
  const [stored] = await knex('networks').where({ id: network.id });
  const chain = await knex('chains').where({ id: world.chainId }).first('name');
  await applyCatalogue(
    knex,
    {
      nodes: [],
      chains: [
        {
          id: world.chainId,
          name: chain.name,
          first_root: platform.firstRoot,
          platform_id: platform.id,
          approval_delay: 0,
        },
      ],
      networks: [
        {
          id: network.id,
          name: network.name,
          chain: chain.name,
          eip155: network.eip155,
          rpc_urls: stored.rpc_urls,
          confirmations: stored.confirmations,
          finality: stored.finality,
          block_time_ms: stored.block_time_ms,
          max_fee_per_gas_gwei: Number(stored.max_fee_per_gas) / 1e9,
          operators: [keys.operator.address],
          upgrader: keys.upgrader.address,
          guardian: keys.guardian.address,
          ...change,
        },
      ],
      currencies: [],
    },
    checkNetwork,
  );
};

it('the only endpoint dies: its replacement in the catalogue counts at once', async () => {
  const [first, second] = proxies as [Proxy, Proxy];
  first.mode = 'stall';
  // No request to it is given up.
  holdTimers(10_000);
  const asked = first.exchanges.length;
  const payments = await gateway.pay(3);
  const deployer = await parts.deployer(gateway.world.networkId);
  const waits = expect(deployer.preflight()).rejects.toThrow('the catalogue has changed');
  await eventually(() => knex('tx_intents').where({ state: 'queued' }).first());
  await apply({ rpc_urls: [second.url] });
  await allAre(gateway, payments, 'awaiting_payment');
  await waits;
  mock.restoreAll();
  expect(await (await parts.deployer(gateway.world.networkId)).preflight()).toBeNull();
  expect(first.exchanges).toHaveLength(asked);
});

it('the notification is lost: the next read of the catalogue finds the change', async () => {
  const [, second, third] = proxies as [Proxy, Proxy, Proxy];
  second.mode = 'refuse';
  const payments = await gateway.pay(2);
  // Changes made past the catalogue's commands send no notification.
  await knex('networks').update({ rpc_urls: [third.url] });
  await allAre(gateway, payments, 'awaiting_payment', WITHIN_MS);
  expect(third.seen).toContain('eth_sendRawTransaction');
});

it('a raised fee ceiling releases the payments above the former one', async () => {
  await apply({ max_fee_per_gas_gwei: 0.000000001 });
  const payments = await gateway.pay(1);
  await eventually(async () => {
    const [row] = await knex('payments').whereIn('id', [payments[0]!.id]);
    return row.status_detail === 'fees_above_ceiling';
  });
  await apply({ max_fee_per_gas_gwei: 500 });
  await allAre(gateway, payments, 'awaiting_payment', WITHIN_MS);
  expect((await gateway.created()).get(payments[0]!.dealId)).toBe(1);
});

it('a raised quorum holds judgements up, and a lowered one lets them go on', async () => {
  const [, , third, fourth] = proxies as [Proxy, Proxy, Proxy, Proxy];
  await apply({ rpc_urls: [third.url, fourth.url], quorum: 2 });
  // The second endpoint knows no contract, so the two do not agree on words.
  fourth.tamper = ({ method }, result) => (method === 'eth_call' ? '0x' : result);
  await eventually(() => fourth.seen.includes('eth_getBlockByNumber'));
  const [payment] = await gateway.pay(1);
  await eventually(async () => (await knex('payments').where({ id: payment!.id }).first()).deal_block_number);
  const { number } = await knex('watch_cursors').first();
  await eventually(async () => Number((await knex('watch_cursors').first()).confirmed_number) > Number(number));
  expect(await gateway.statuses([payment!])).toEqual(['pending']);
  await apply({ rpc_urls: [third.url], quorum: 1 });
  await allAre(gateway, [payment!], 'awaiting_payment', WITHIN_MS);
  expect((await gateway.created()).get(payment!.dealId)).toBe(1);
});

it('raised confirmations hold for later judgements, and lowered ones count for all blocks that have them', async () => {
  const before = Number((await knex('watch_cursors').first()).confirmed_number);
  await apply({ confirmations: 60 });
  const [payment] = await gateway.pay(1);
  const { deal_block_number: block } = await eventually(async () => {
    const row = await knex('payments').where({ id: payment!.id }).first();
    return row.deal_block_number !== null && row;
  });
  await eventually(async () => Number((await knex('watch_cursors').first()).number) >= Number(block) + 10);
  // Confirmed blocks stay confirmed, and none with fewer confirmations than required is judged.
  expect(Number((await knex('watch_cursors').first()).confirmed_number)).toBeGreaterThanOrEqual(before);
  expect(Number((await knex('watch_cursors').first()).confirmed_number)).toBeLessThan(Number(block));
  expect(await gateway.statuses([payment!])).toEqual(['pending']);
  await apply({ confirmations: 2 });
  await allAre(gateway, [payment!], 'awaiting_payment', WITHIN_MS);
  expect((await gateway.created()).get(payment!.dealId)).toBe(1);
});

it('a dead endpoint prevents no other change of its network, and a dead one cannot be added', async () => {
  const [, second, third, fourth] = proxies as [Proxy, Proxy, Proxy, Proxy];
  await apply({ rpc_urls: [third.url, fourth.url], quorum: 1 });
  fourth.mode = 'refuse';
  await apply({ max_fee_per_gas_gwei: 400, quorum: 1 });
  expect((await knex('networks').first()).max_fee_per_gas).toBe('400000000000');
  second.mode = 'refuse';
  await expect(apply({ rpc_urls: [third.url, second.url], quorum: 1 })).rejects.toThrow(
    'RPC endpoint 2 of 2 does not answer',
  );
});
