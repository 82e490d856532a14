import type { EndpointTrouble } from '../../../chain/rpc/member.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { eventually } from '../../support/eventually.ts';
import { hex, type PaymentRow } from '../../support/fixtures.ts';
import { dealTopics } from '../../../chain/pure/deal-state.ts';
import { emitCall, placeEmitter } from '../support/emitter.ts';
import { registryCall, startGateway, type Gateway, type RunOptions } from '../support/gateway.ts';
import { madeUpBlocks, NONSENSE_CODE } from '../support/liar.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * A watcher among endpoints that answer badly, and its requests while nothing happens.
 */

let gateway: Gateway;
let proxies: Proxy[];
let troubles: EndpointTrouble[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3 });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  troubles = [];
});
afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

const among = (count: number, quorum = 1): RunOptions => ({
  urls: proxies.slice(0, count).map(({ url }) => url),
  network: { quorum },
  report: (trouble) => troubles.push(trouble),
});

const rowOf = ({ id }: PaymentRow) => gateway.knex('payments').where({ id }).first();
const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const ready = async (options?: Parameters<Gateway['pay']>[1]) => {
  const [payment] = await gateway.pay(1, options);
  await allAre(gateway, [payment!], 'awaiting_payment');
  return payment!;
};

describe('An idle network', () => {
  const run = (quorum: number): RunOptions => ({ ...among(3, quorum), isPatient: true });

  it.each([1, 2])('costs one exchange a block, to the leading endpoint, with a quorum of %d', async (quorum) => {
    await eventually(async () => (await gateway.knex('payments').whereNull('terminal_at')).length === 0);
    keep(gateway.startWatcher(run(quorum)));
    const { number: start } = await eventually(cursor);
    await eventually(async () => Number((await cursor()).number) > Number(start ?? 0) + 5);
    for (const proxy of proxies) proxy.exchanges.length = 0;
    const { number: from } = await cursor();
    await eventually(async () => Number((await cursor()).number) >= Number(from) + 10);
    const { number: to } = await cursor();
    const [leader, ...others] = proxies.map(({ exchanges }) => exchanges.length);
    expect(leader).toBeLessThanOrEqual(Number(to) - Number(from) + 2);
    expect(others).toEqual([0, 0]);
  });

  it('has the logs of every block read all the same', async () => {
    keep(gateway.startWatcher(run(2)));
    await gateway.send(gateway.keys.guardian, gateway.registry, registryCall('setPaused', true));
    await eventually(async () => (await gateway.knex('alerts').where({ kind: 'registry_paused' })).length > 0);
    await gateway.send(gateway.keys.root, gateway.registry, registryCall('setPaused', false));
  });
});

describe('Logs', () => {
  it('that the only endpoint leaves out delay a payment for seconds, not until its expiry', async () => {
    proxies[0]!.tamper = ({ method }, result) => (method === 'eth_getLogs' ? [] : result);
    keep(gateway.startLane());
    keep(gateway.startWatcher({ ...among(1), watch: { recheck: 1_000 } }));
    const payment = await ready();
    const hash = await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed', 10_000);
    expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: hash });
  });

  it('that the leading endpoint leaves out come from the next one, and demote the leading one', async () => {
    proxies[0]!.tamper = ({ method }, result) => (method === 'eth_getLogs' ? [] : result);
    keep(gateway.startLane());
    keep(gateway.startWatcher(among(3)));
    const payment = await ready();
    const hash = await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed', 10_000);
    expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: hash });
    expect(troubles).toContainEqual(
      expect.objectContaining({ endpoint: 0, reason: 'reports other logs than the others', isLasting: true }),
    );
  });

  it.each([
    [2, 1],
    [3, 1],
    [2, 2],
  ])('of another transaction, from one endpoint of %d, never show it with a quorum of %d', async (count, quorum) => {
    const wrong = hex(32);
    proxies[0]!.tamper = ({ method }, result) =>
      method === 'eth_getLogs'
        ? (result as { topics: string[] }[]).map((log) =>
            log.topics[0] === dealTopics[1] ? { ...log, transactionHash: wrong } : log,
          )
        : result;
    keep(gateway.startLane());
    keep(gateway.startWatcher(among(count, quorum)));
    const payment = await ready();
    const hash = await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed', 15_000);
    const { paid_tx_hash: shown } = await rowOf(payment);
    expect(shown).toBe(hash);
  });

  it.each(['with receipts', 'without'])(
    'in masses, 10,000 foreign ones in a block, stop nothing, %s',
    async (receipts) => {
      const emitter = hex(20);
      await placeEmitter(gateway.rpc, emitter, 4);
      for (const proxy of proxies) {
        proxy.rewrite = (request) => {
          const [filter] = request.params as [{ address?: string; fromBlock?: string } | undefined];
          const isTooMuch = request.method === 'eth_getLogs' && filter?.address === undefined;
          const isMissing = request.method === 'eth_getBlockReceipts' && receipts === 'without';
          if (isTooMuch) return { error: { code: -32_005, message: 'query returned more than 10000 results' } };
          return isMissing ? { error: { code: -32_601, message: 'the method does not exist' } } : request;
        };
      }
      keep(gateway.startLane());
      keep(gateway.startWatcher(among(2)));
      const payment = await ready();
      const topics = [dealTopics[1]!, hex(32), hex(32), hex(32)];
      await gateway.send(gateway.keys.stranger, emitter, emitCall({ topics, data: `0x${'0'.repeat(192)}` }, 2_000));
      const hash = await gateway.buy(payment);
      await allAre(gateway, [payment], 'completed', 15_000);
      expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: hash });
    },
  );
});

describe('Blocks', () => {
  it('are not given up because of one endpoint with a shorter chain', async () => {
    keep(gateway.startWatcher(among(3)));
    await eventually(async () => Number((await cursor()).number) > 5);
    const before = await cursor();
    const short = Number(before.number) - 2;
    proxies[0]!.rewrite = (request) => {
      const [number] = request.params as [string];
      if (request.method !== 'eth_getBlockByNumber') return request;
      if (number === 'latest') return { ...request, params: [`0x${short.toString(16)}`, false] };
      return Number(number) > short ? { result: null } : request;
    };
    proxies[0]!.tamper = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && Number(params[0]) !== 0 && result !== null
        ? { ...(result as object), hash: hex(32) }
        : result;
    await eventually(async () => Number((await cursor()).number) > Number(before.number) + 10);
    const kept = await gateway
      .knex('block_headers')
      .where({ network_id: gateway.network.id, number: before.number })
      .first();
    expect(kept.hash).toBe(before.hash);
    expect(troubles.some(({ endpoint }) => endpoint === 0)).toBe(true);
  });
});

describe('A long chain that one endpoint has invented', () => {
  it.each([
    [3, 1],
    [3, 2],
    [2, 2],
  ])('is left again, with %d endpoints and a quorum of %d', async (count, quorum) => {
    // Nobody compares tips beforehand, as between two comparisons of an idle network.
    keep(
      gateway.startWatcher({
        ...among(count, quorum),
        watch: { compared: 3_600_000, comparedIdle: 3_600_000, logsIdle: 3_600_000 },
      }),
    );
    const { number: start } = await cursor();
    await eventually(async () => Number((await cursor()).number) > Number(start ?? 0) + 5);
    const tip = Number(await gateway.rpc.call('eth_blockNumber'));
    Object.assign(proxies[0]!, madeUpBlocks(tip));
    await eventually(() => troubles.length > 0);
    await eventually(async () => Number(await gateway.rpc.call('eth_blockNumber')) > tip + 5);
    Object.assign(proxies[0]!, { rewrite: null, tamper: null });
    await eventually(async () => {
      const { number, hash, status } = await cursor();
      const block = await gateway.rpc.call('eth_getBlockByNumber', [`0x${Number(number).toString(16)}`, false]);
      return Number(number) > tip && (block as { hash: string } | null)?.hash === hash && status === 'active';
    }, 10_000);
  });
});

it('The first block of a new network is not one that a single endpoint has invented', async () => {
  await gateway.knex('block_headers').delete();
  await gateway.knex('watch_cursors').update({ number: null, hash: null, confirmed_number: null });
  const lies = madeUpBlocks(Number(await gateway.rpc.call('eth_blockNumber')));
  // It tells the truth while it is compared with the others.
  let isCompared = false;
  Object.assign(proxies[0]!, {
    rewrite: (request: WireRequest) => (isCompared ? lies.rewrite(request) : request),
    tamper: (request: WireRequest, result: unknown) => {
      if (isCompared) return lies.tamper(request, result);
      isCompared = request.params[0] === 'latest';
      return result;
    },
  });
  keep(
    gateway.startWatcher({ ...among(3), watch: { compared: 3_600_000, comparedIdle: 3_600_000, logsIdle: 3_600_000 } }),
  );
  const { number, hash } = await eventually(async () => {
    const row = await cursor();
    return row.number !== null && row;
  });
  const block = await gateway.rpc.call('eth_getBlockByNumber', [`0x${Number(number).toString(16)}`, false]);
  expect((block as { hash: string } | null)?.hash).toBe(hash);
  expect(isCompared).toBe(true);
});

describe('Words', () => {
  it('that stay unreadable raise an alert, which ends once they are read', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ ...among(1), watch: { unreadable: 1_000 } }));
    const payment = await ready({ expiresIn: 6 });
    const { diamondAddress } = gateway.world;
    const code = await gateway.rpc.call('eth_getCode', [diamondAddress, 'latest']);
    await gateway.rpc.call('anvil_setCode', [diamondAddress, NONSENSE_CODE]);
    const alerts = () => gateway.knex('alerts').where({ kind: 'words_unreadable' });
    const [alert] = await eventually(async () => {
      const rows = await alerts();
      return rows.length > 0 && rows;
    });
    expect(alert.data).toMatchObject({ diamonds: [gateway.world.diamondAddress] });
    expect(await rowOf(payment)).toMatchObject({ status: 'awaiting_payment', status_detail: 'words_unreadable' });
    expect(alert.closed_at).toBeNull();
    await gateway.rpc.call('anvil_setCode', [diamondAddress, code]);
    await eventually(async () => (await alerts())[0].closed_at !== null);
    expect(await rowOf(payment)).toMatchObject({ status: 'expired', status_detail: null });
  });

  it('that stay unreadable while their payment changes keep their alert', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ ...among(1), watch: { unreadable: 500, recheck: 200, again: 50 } }));
    const payment = await ready();
    proxies[0]!.rewrite = (request) =>
      request.method === 'eth_call' ? { error: { code: -32_000, message: 'missing trie node' } } : request;
    const says = (status: string) =>
      eventually(async () => {
        const { status: own, status_detail: detail } = await rowOf(payment);
        if (own === status && detail === 'endpoint_refuses') return true;
        throw new Error(`${own}/${detail}`);
      }, 10_000);
    await says('awaiting_payment');
    const refused = () => gateway.knex('alerts').where({ kind: 'endpoint_refuses' });
    // The payment shows it first.
    await eventually(async () => (await refused()).length > 0);
    expect(await refused()).toMatchObject([
      { closed_at: null, data: { method: 'eth_call', refuses: 'history', reason: 'missing trie node' } },
    ]);
    const asked = { paymentId: payment.id, actorId: gateway.world.nodeId };
    await gateway.knex.transaction((trx) => requestCancel(trx, asked));
    await decideCancel(gateway.knex, payment.id);
    await says('canceling');
    proxies[0]!.rewrite = null;
    await allAre(gateway, [payment], 'canceled');
    expect((await rowOf(payment)).status_detail).toBeNull();
    await eventually(async () => (await refused())[0].closed_at !== null);
  });
});

describe('Late blocks', () => {
  it('do not count as reorganised away', async () => {
    await gateway.knex('alerts').where({ kind: 'deep_reorganisation' }).delete();
    keep(gateway.startWatcher(among(1)));
    await eventually(async () => Number((await cursor()).number) > 12);
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    const { stranger } = gateway.keys;
    const nonce = Number(await gateway.rpc.call('eth_getTransactionCount', [stranger.address, 'latest']));
    await gateway.send1559(stranger, nonce);
    await gateway.rpc.call('evm_mine');
    const tip = Number(await gateway.rpc.call('eth_blockNumber'));
    await eventually(async () => Number((await cursor()).number) === tip);
    // Each of the blocks before the last one is missing once.
    const missing = new Set(Array.from({ length: 8 }, (_, index) => tip - 1 - index));
    proxies[0]!.rewrite = (request) =>
      request.method === 'eth_getBlockByNumber' && missing.delete(Number(request.params[0]))
        ? { result: null }
        : request;
    await gateway.rpc.call('anvil_reorg', [1, []]);
    await gateway.rpc.call('evm_mine');
    await eventually(async () => Number((await cursor()).number) === tip + 1);
    expect(missing.size).toBe(0);
    expect(await gateway.knex('alerts').where({ kind: 'deep_reorganisation' })).toEqual([]);
    await gateway.rpc.call('evm_setIntervalMining', [1]);
  });
});

describe('A hole in the chain of the only endpoint', () => {
  it('is shown on payments in flight, and no longer once it is filled', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ ...among(1), watch: { unreachable: 500 } }));
    const payment = await ready();
    const hole = Number((await cursor()).number) + 2;
    proxies[0]!.tamper = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && Number(params[0]) === hole ? null : result;
    await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'a merchant' }));
    await decideCancel(gateway.knex, payment.id);
    const [late] = await gateway.pay(1);
    const detailsAre = (detail: string | null) =>
      eventually(async () =>
        (await Promise.all([rowOf(payment), rowOf(late!)])).every(
          ({ status, status_detail }) =>
            ['canceling', 'pending'].includes(status as string) && status_detail === detail,
        ),
      );
    await detailsAre('network_unreachable');
    // The lane has sent both.
    await eventually(async () =>
      (await gateway.knex('tx_intents').whereIn('payment_id', [payment.id, late!.id])).every(
        ({ state }: { state: string }) => state !== 'queued',
      ),
    );
    await detailsAre('network_unreachable');
    expect(Number((await cursor()).number)).toBeLessThan(hole);
    const alert = () =>
      gateway.knex('alerts').where({ kind: 'network_unreachable' }).orderBy('created_at', 'desc').first();
    expect((await alert()).message).toContain('its own newest blocks do not fit together');
    proxies[0]!.tamper = null;
    await allAre(gateway, [payment], 'canceled');
    await allAre(gateway, [late!], 'awaiting_payment');
    for (const one of [payment, late!]) expect((await rowOf(one)).status_detail).toBeNull();
    await eventually(async () => (await alert()).closed_at !== null);
  });
});

describe('A chain that makes a block only for a transaction', () => {
  beforeEach(() => gateway.rpc.call('evm_setIntervalMining', [0]));
  afterEach(async () => {
    await gateway.rpc.call('evm_setAutomine', [false]);
    await gateway.rpc.call('evm_setIntervalMining', [1]);
  });
  /** Waits until the newest block is read, after which there is none. */
  const stands = async (): Promise<void> => {
    await gateway.rpc.call('evm_setAutomine', [true]);
    const tip = Number(await gateway.rpc.call('eth_blockNumber'));
    await eventually(async () => Number((await cursor()).number) === tip);
  };
  const alone = (): RunOptions => ({ ...among(1), network: { quorum: 1, confirmations: 1 } });

  it('reads a word again that could not be read once, without another block', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher(alone()));
    await gateway.rpc.call('evm_setAutomine', [true]);
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    await stands();
    let failures = 0;
    proxies[0]!.rewrite = (request) => {
      if (request.method !== 'eth_call' || failures > 0) return request;
      failures += 1;
      return { error: { code: -32_005, message: 'rate limit exceeded' } };
    };
    await gateway.buy(payment!);
    await allAre(gateway, [payment!], 'completed', 10_000);
    expect(failures).toBe(1);
  });

  it('reads a word again that could not be read once, of a payment that is back after its end, without another block', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher(alone()));
    await gateway.rpc.call('evm_setAutomine', [true]);
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    const raw = await gateway.rpc.call('eth_getRawTransactionByHash', [await gateway.buy(payment!)]);
    await allAre(gateway, [payment!], 'completed');
    await stands();
    const last = async () =>
      (await gateway.knex('payment_logs').where({ payment_id: payment!.id }).orderBy('sequence', 'desc').first())
        .event_type;
    const { seen } = proxies[0]!;
    seen.length = 0;
    await gateway.rpc.call('anvil_reorg', [1, []]);
    await eventually(async () => (await last()) === 'payment_reversed');
    // That its money is not there is known by its word as well, and nothing is under way.
    await eventually(() => seen.includes('eth_call'));
    let failures = 0;
    proxies[0]!.rewrite = (request) => {
      const isOfBlock = (request.params[0] as { blockHash?: string } | undefined)?.blockHash !== undefined;
      if (request.method === 'eth_getLogs' && isOfBlock) return { result: [] };
      if (request.method !== 'eth_call' || failures > 0) return request;
      failures += 1;
      return { error: { code: -32_000, message: 'missing trie node' } };
    };
    await gateway.rpc.call('eth_sendRawTransaction', [raw]);
    await eventually(async () => (await last()) === 'payment_anomaly', 10_000);
    expect(failures).toBe(1);
  });

  it('closes the slot of a receipt that comes after its block was judged, without another block', async () => {
    keep(gateway.startWatcher(alone()));
    const late = proxies[1]!;
    late.tamper = ({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result);
    keep(gateway.startLane({ urls: [late.url] }));
    await gateway.rpc.call('evm_setAutomine', [true]);
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    await stands();
    late.tamper = null;
    await eventually(
      async () => (await gateway.knex('tx_slots').whereNot({ state: 'confirmed' })).length === 0,
      10_000,
    );
    expect(Number(await gateway.rpc.call('eth_blockNumber'))).toBe(Number((await cursor()).number));
  });

  it('finds a log that was missing at first, without another block', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ ...alone(), watch: { recheck: 1_000 } }));
    await gateway.rpc.call('evm_setAutomine', [true]);
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    await stands();
    let isHidden = true;
    proxies[0]!.tamper = ({ method, params: [filter] }, result) => {
      const isOfBlock = (filter as { blockHash?: string } | undefined)?.blockHash !== undefined;
      return method === 'eth_getLogs' && isOfBlock && isHidden ? [] : result;
    };
    const hash = await gateway.buy(payment!);
    await allAre(gateway, [payment!], 'completed', 10_000);
    isHidden = false;
    expect(await rowOf(payment!)).toMatchObject({ paid_tx_hash: hash });
  });

  it('needs no word before another block for an expiry that has passed', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ ...alone(), watch: { again: 0, recheck: 3_600_000 } }));
    await gateway.rpc.call('evm_setAutomine', [true]);
    await gateway.rpc.call('evm_mine');
    const [payment] = await gateway.pay(1, { expiresIn: 8 });
    await allAre(gateway, [payment!], 'awaiting_payment');
    await stands();
    await eventually(async () => (await gateway.knex('tx_slots').whereNot({ state: 'confirmed' })).length === 0);
    await eventually(() => Date.now() / 1_000 > Number(payment!.terms.expiresAt) + 1);
    const { seen } = proxies[0]!;
    seen.length = 0;
    await eventually(() => seen.length > 20);
    expect(seen).not.toContain('eth_call');
    // By name: a reorganisation sets back the clock of this node by the age of the block that it keeps.
    await gateway.rpc.call('evm_setNextBlockTimestamp', [Number(payment!.terms.expiresAt) + 1]);
    await gateway.rpc.call('evm_mine');
    await allAre(gateway, [payment!], 'expired', 10_000);
  });

  it('raises the alert of unreadable words without another block', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher({ ...alone(), watch: { unreadable: 1_000 } }));
    await gateway.rpc.call('evm_setAutomine', [true]);
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    await gateway.knex('alerts').where({ kind: 'endpoint_refuses' }).delete();
    await stands();
    proxies[0]!.rewrite = (request) =>
      request.method === 'eth_call' ? { error: { code: -32_000, message: 'missing trie node' } } : request;
    await gateway.buy(payment!);
    const open = () => gateway.knex('alerts').where({ kind: 'endpoint_refuses', closed_at: null });
    await eventually(async () => (await open()).length === 1);
    proxies[0]!.rewrite = null;
    await allAre(gateway, [payment!], 'completed', 10_000);
    await eventually(async () => (await open()).length === 0);
  });
});
