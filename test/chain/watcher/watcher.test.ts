import { mock } from 'node:test';
import { startTestChain } from '../../support/chain.ts';
import type { FailpointName } from '../../../domain/ports/failpoint.ts';
import { eventually } from '../../support/eventually.ts';
import { setBack } from '../../support/clock.ts';
import { hex } from '../../support/fixtures.ts';
import { batcherAddress } from '../../../chain/pure/platform.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { registryCall, startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type ProxyMode } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach, throwOnceAt, timesCreated } from '../support/running.ts';

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 1 });
});

afterAll(() => gateway.close());

const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();

describe('a watcher', () => {
  it('completes a payment with one confirmation at the tip itself', async () => {
    keep(gateway.startWatcher());
    keep(gateway.startLane());
    const payments = await gateway.pay(3);
    await allAre(gateway, payments, 'awaiting_payment');
    for (const payment of payments) await gateway.buy(payment);
    await allAre(gateway, payments, 'completed');
    const rows = await gateway.knex('payments').whereNotNull('paid_block_number');
    for (const row of rows) {
      const { number, confirmed_number: confirmed } = await cursor();
      expect(Number(confirmed)).toBe(Number(number));
      expect(Number(row.paid_block_number)).toBeLessThanOrEqual(Number(confirmed));
      expect(BigInt((await gateway.rpc.call('eth_getBalance', [row.payment_address, 'latest'])) as string)).toBe(
        BigInt(row.paid_price_units as string),
      );
    }
    const balance = await gateway.rpc.call('eth_getBalance', [gateway.world.diamondAddress, 'latest']);
    expect(BigInt(balance as string)).toBe(0n);
  });

  it('of an idle network reads on when the clock is set back', async () => {
    keep(gateway.startWatcher());
    await eventually(async () => (await gateway.knex('tx_slots').whereNot({ state: 'confirmed' })).length === 0);
    expect(await gateway.knex('payments').whereNull('terminal_at')).toEqual([]);
    const readsOn = async (): Promise<void> => {
      const { number } = (await cursor()) ?? { number: -1 };
      await eventually(async () => Number((await cursor())?.number ?? -1) > Number(number) + 2);
    };
    await readsOn();
    setBack(600_000);
    try {
      await readsOn();
    } finally {
      mock.restoreAll();
    }
  });

  it.each<FailpointName>(
    (['before_commit', 'after_commit', 'before_judge', 'after_judge'] as const).map(
      (point) => `runWatcher:${point}` as const,
    ),
  )('that dies at %s is continued by the next run', async (point) => {
    keep(gateway.startLane());
    const killer = throwOnceAt(point);
    const first = keep(gateway.startWatcher({ failpoint: killer.failpoint }));
    const payments = await gateway.pay(2);
    await expect(first.ended).rejects.toThrow(point);
    keep(gateway.startWatcher());
    await allAre(gateway, payments, 'awaiting_payment');
    for (const payment of payments) await gateway.buy(payment);
    await allAre(gateway, payments, 'completed');
    const log = await gateway.knex('payment_logs').where({ payment_id: payments[0]!.id }).orderBy('sequence');
    expect(log.map((entry) => entry.event_type as string)).toEqual([
      'payment_created',
      'deal_confirmed',
      'payment_detected',
      'payment_confirmed',
    ]);
  });

  it('catches up over more blocks than one round takes', async () => {
    keep(gateway.startLane());
    const before = keep(gateway.startWatcher());
    const payments = await gateway.pay(1);
    await allAre(gateway, payments, 'awaiting_payment');
    await before.stop();
    await gateway.buy(payments[0]!);
    await gateway.rpc.call('anvil_mine', ['0xc8']);
    const missed = Number(await gateway.rpc.call('eth_blockNumber')) - Number((await cursor()).number);
    expect(missed).toBeGreaterThan(192);
    keep(gateway.startWatcher());
    await allAre(gateway, payments, 'completed');
  });

  it('expires unpaid payments, by the time of the chain, and no paid ones', async () => {
    keep(gateway.startLane());
    const watcher = keep(gateway.startWatcher());
    const [paid, unpaid] = await gateway.pay(2, { expiresIn: 5 });
    await allAre(gateway, [paid!, unpaid!], 'awaiting_payment');
    await gateway.buy(paid!);
    await allAre(gateway, [paid!], 'completed');
    expect(await gateway.statuses([unpaid!])).toEqual(['awaiting_payment']);
    await allAre(gateway, [unpaid!], 'expired');
    const entry = await gateway
      .knex('payment_logs')
      .where({ payment_id: unpaid!.id, event_type: 'payment_expired' })
      .first();
    const block = (await gateway.rpc.call('eth_getBlockByHash', [entry.data.block_hash, false])) as {
      timestamp: string;
    };
    expect(Number(block.timestamp)).toBeGreaterThanOrEqual(unpaid!.expiresUnix);
    await watcher.stop();
  });

  it("ignores a stranger's contract, and other terms under Carat's id", async () => {
    keep(gateway.startWatcher());
    const [payment] = await gateway.pay(1);
    const foreign = [[gateway.world.diamondAddress, 200_000n, [[payment!.dealId, hex(32)]]]];
    const data = contracts.batcher.interface.encodeFunctionData('createDeals', [foreign]);
    await gateway.send(
      gateway.keys.root,
      gateway.registry,
      registryCall('setRole', roleIds.operator, gateway.keys.stranger.address, true),
    );
    await gateway.send(gateway.keys.stranger, batcherAddress(gateway.platform), data);
    keep(gateway.startLane());
    await allAre(gateway, [payment!], 'failed');
    const row = await gateway.knex('payments').where({ id: payment!.id }).first();
    expect(row.status_detail).toBe('deal_conflict');
    const alerts = await gateway.knex('alerts').where({ payment_id: payment!.id });
    expect(alerts.map((alert) => alert.kind as string)).toContain('deal_unknown');
  });
});

describe('several endpoints', () => {
  it('that disagree complete nothing until they agree', async () => {
    const other = await startTestChain();
    const proxy = await startProxy(other.url);
    try {
      const lane = keep(gateway.startLane());
      const single = keep(gateway.startWatcher());
      const payments = await gateway.pay(1);
      await allAre(gateway, payments, 'awaiting_payment');
      await single.stop();
      await lane.stop();
      await gateway.buy(payments[0]!);
      const urls = [gateway.chain.url, proxy.url];
      keep(gateway.startWatcher({ urls, network: { quorum: 2 } }));
      await allAre(gateway, payments, 'processing');
      const { number } = await cursor();
      await eventually(async () => Number((await cursor()).number) > Number(number) + 5);
      expect(await gateway.statuses(payments)).toEqual(['processing']);
      proxy.target = gateway.chain.url;
      await allAre(gateway, payments, 'completed');
    } finally {
      await proxy.close();
      await other.stop();
    }
  });

  it('that fail now and then in every way lose and double nothing', async () => {
    const [first, second] = await Promise.all([startProxy(gateway.chain.url), startProxy(gateway.chain.url)]);
    const modes: ProxyMode[] = ['refuse', 'pass', 'swallow', 'pass', '500', 'stall', 'pass', '429', 'swallow', 'pass'];
    let asked = 0;
    /** Both change their mode after every few requests, as many on a slow machine as on a fast one. */
    const flap = (): undefined => {
      asked += 1;
      const turn = Math.floor(asked / 8);
      first.mode = modes[turn % modes.length]!;
      second.mode = modes[(turn * 3 + 5) % modes.length]!;
    };
    first.onExchange = flap;
    second.onExchange = flap;
    try {
      const how = { urls: [first.url, second.url], timeoutMs: 1_000 };
      keep(gateway.startWatcher(how));
      keep(gateway.startLane(how));
      const payments = [];
      for (let i = 0; i < 10; i += 1) {
        payments.push(...(await gateway.pay(5)));
        await eventually(() => asked > i * 16);
      }
      await allAre(gateway, payments, 'awaiting_payment', 50_000);
      expect(await timesCreated(gateway, payments)).toEqual(payments.map(() => 1));
      expect(await gateway.knex('alerts').where({ kind: 'lane_paused' })).toEqual([]);
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  });
});

describe('another chain under the same URL', () => {
  it('halts the watcher and sends nothing, until the right one is back', async () => {
    const other = await startTestChain();
    const proxy = await startProxy(gateway.chain.url);
    try {
      keep(gateway.startWatcher({ urls: [proxy.url] }));
      keep(gateway.startLane({ urls: [proxy.url], timing: { unreachable: 500 } }));
      await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
      proxy.mode = 'refuse';
      await eventually(() => true);
      proxy.target = other.url;
      proxy.mode = 'pass';
      await eventually(async () => (await cursor()).status === 'halted');
      const waiting = await gateway.pay(1);
      const tip = await gateway.rpc.call('eth_blockNumber');
      await eventually(async () => Number(await gateway.rpc.call('eth_blockNumber')) > Number(tip) + 5);
      await allWait(gateway, waiting, 'network_unreachable');
      expect(await gateway.knex('alerts').where({ kind: 'network_halted' })).not.toEqual([]);
      const { address } = gateway.keys.operator;
      const nonce = await fetch(other.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'eth_getTransactionCount',
          params: [address, 'pending'],
        }),
      });
      expect(await nonce.json()).toMatchObject({ result: '0x0' });
      proxy.target = gateway.chain.url;
      await allAre(gateway, waiting, 'awaiting_payment');
    } finally {
      await proxy.close();
      await other.stop();
    }
  });
});
