import { toBeHex, Transaction } from 'ethers';
import { laneResume } from '../../../cli/lane.ts';
import { restored } from '../../../cli/backup/restore.ts';
import { encodeCreateDeals } from '../../../chain/pure/deal-encoding.ts';
import { batcherAddress } from '../../../chain/pure/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { callCommand } from '../../support/carat.ts';
import { hex } from '../../support/fixtures.ts';
import { registryCall, startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';
import { allAre, stopAfterEach, timesCreated } from '../support/running.ts';
import { keepState, setBack } from '../support/set-back.ts';

/*
 * A database that was restored and marked, while the chain went on. Transactions without an explanation must pause the
 * lane as in any database.
 */

let gateway: Gateway;
const keep = stopAfterEach();
const proxies: Proxy[] = [];
const openProxy = async (): Promise<Proxy> => {
  const proxy = await startProxy(gateway.chain.url);
  proxies.push(proxy);
  return proxy;
};

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, blockTime: 0.2 });
  const runs = startAll();
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  await Promise.all(runs.map((run) => run.stop()));
});

afterAll(() => gateway.close());

const account = () => gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId }).first();
const alertsOf = (kind: string) => gateway.knex('alerts').where({ kind });
const env = () => ({ CARAT_DATABASE_URL: gateway.databaseUrl });
const startLane = () => gateway.startLane({ timing: { foreign: 500 } });
const startAll = () => [keep(gateway.startWatcher()), keep(startLane())];
const outcomes = () =>
  gateway
    .knex('restored_lanes')
    .where({ account_id: gateway.world.operatorAccountId })
    .orderBy('restore_id')
    .pluck('outcome');

const mark = (): Promise<void> => callCommand(restored, [], env(), []);

/** Keeps the state, lets the lane create deals that the database then loses, and goes back. */
const loseDeals = async (
  count: number,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ known: TestPayment[]; lost: TestPayment[] }> => {
  const known = await gateway.pay(2);
  await keepState(gateway.knex);
  const runs = startAll();
  const lost = await gateway.pay(count);
  await allAre(gateway, [...known, ...lost], 'awaiting_payment');
  await Promise.all(runs.map((run) => run.stop()));
  await meanwhile();
  await setBack(gateway.knex);
  return { known, lost };
};

/** Waits until the lane has judged and pauses. @returns why */
const whyPaused = async (): Promise<string> => {
  await eventually(async () => (await account()).status === 'paused');
  expect((await outcomes()).at(-1)).toBe('paused');
  expect(await alertsOf('lane_resumed')).toHaveLength(0);
  const [alert] = await alertsOf('lane_paused').where({ closed_at: null });
  return alert.data.why as string;
};

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  if ((await account()).status !== 'active')
    await callCommand(laneResume, [gateway.network.name, gateway.keys.operator.address], env(), []);
  await gateway.knex('alerts').whereIn('kind', ['lane_paused', 'lane_resumed']).del();
});

/** A transaction of the operator's key that Carat did not make. */
const asThief = (to: string, data: string, value = 0n) => gateway.send(gateway.keys.operator, to, data, value);

it('a lane goes on by itself once: it records its lost transactions, and lists the unknown ones', async () => {
  const { known, lost } = await loseDeals(3);
  await mark();
  startAll();
  const later = await gateway.pay(2);
  await allAre(gateway, [...known, ...later], 'awaiting_payment');
  expect(await timesCreated(gateway, [...known, ...lost, ...later])).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(await account()).toMatchObject({ status: 'active' });
  expect(await outcomes()).toEqual(['resumed']);
  const [alert] = await alertsOf('lane_resumed');
  expect(alert.data.deals_unknown.map(({ deal_id }: { deal_id: string }) => deal_id).sort()).toEqual(
    lost.map(({ dealId }) => dealId.toString()).sort(),
  );
  expect(alert.data.nonces.length).toBeGreaterThan(0);
  // Every nonce has its slot and the bytes that the chain has.
  const used = Number(await gateway.rpc.call('eth_getTransactionCount', [gateway.keys.operator.address, 'latest']));
  const slots = await gateway.knex('tx_slots').where({ account_id: gateway.world.operatorAccountId }).orderBy('nonce');
  expect(slots.map(({ nonce }) => Number(nonce))).toEqual(Array.from({ length: used }, (_, index) => index));
  await eventually(async () =>
    (await gateway.knex('tx_slots').where({ account_id: gateway.world.operatorAccountId })).every(
      ({ state, tx_hash: hash }) => state === 'confirmed' && hash !== null,
    ),
  );
  expect(await gateway.knex('payments').where('retries_used', '>', 0)).toEqual([]);
  const listed: string[] = [];
  await callCommand(restored, ['--show'], env(), listed);
  for (const { dealId } of lost) expect(listed.join('\n')).toMatch(new RegExp(`${dealId} +created 0x`));

  // The mark is used up: the next foreign nonce pauses the lane.
  await asThief(gateway.keys.stranger.address, '0x', 1n);
  await gateway.pay(1);
  await eventually(async () => (await account()).status === 'paused');
});

it('a lane found unjudged by a second mark goes on, although the watcher has passed its lost transactions', async () => {
  await loseDeals(1);
  await mark();
  const watcher = keep(gateway.startWatcher());
  await eventually(async () => !(await gateway.knex('watch_cursors').first()).is_behind_restore);
  await watcher.stop();
  await mark();
  startAll();
  await eventually(async () => (await outcomes()).at(-1) !== null);
  expect((await outcomes()).slice(-2)).toEqual(['superseded', 'resumed']);
});

it('a nonce used after the mark pauses the lane', async () => {
  await loseDeals(1);
  await mark();
  await asThief(gateway.keys.stranger.address, '0x', 1n);
  startAll();
  expect(await whyPaused()).toContain('more transactions than were counted');
});

const strangeDeal = () => ({ diamond: gateway.world.diamondAddress, dealId: 7n, termsHash: hex(32) });

it.each<[string, () => Promise<unknown>, string]>([
  ['sends coins', () => asThief(gateway.keys.stranger.address, '0x', 1n), 'no block since the restored state has'],
  [
    'calls something else',
    () => asThief(gateway.registry, registryCall('createDiamond', hex(16), hex(16))),
    'is none that Carat makes',
  ],
  [
    'creates deals past the batcher of Carat',
    () =>
      asThief(
        gateway.keys.stranger.address,
        encodeCreateDeals([strangeDeal()], () => 100_000n),
      ),
    'is none that Carat makes',
  ],
  [
    'encodes as Carat does not',
    () => asThief(batcherAddress(gateway.platform), `${encodeCreateDeals([strangeDeal()], () => 100_000n)}00`),
    'is none that Carat makes',
  ],
  [
    'creates deals without effect',
    () =>
      asThief(
        batcherAddress(gateway.platform),
        encodeCreateDeals([strangeDeal()], () => 1n),
      ),
    'does not bear out its transaction',
  ],
  [
    'creates deals on a diamond of nobody',
    () =>
      asThief(
        batcherAddress(gateway.platform),
        encodeCreateDeals([{ ...strangeDeal(), diamond: hex(20) }], () => 100_000n),
      ),
    'which is no active diamond of this database',
  ],
])('a thief who %s in the lost time pauses the lane', async (_, steal, why) => {
  await loseDeals(1, steal);
  await mark();
  startAll();
  expect(await whyPaused()).toContain(why);
});

it("a database without a mark pauses its lane, though all transactions are Carat's own", async () => {
  await loseDeals(1);
  startAll();
  await gateway.pay(1);
  await eventually(async () => (await account()).status === 'paused');
  expect(await alertsOf('lane_resumed')).toHaveLength(0);
});

it('an endpoint that hides a transaction pauses no lane, and one that invents it releases none', async () => {
  const liar = await openProxy();
  const { known } = await loseDeals(2);
  // It shows its blocks without transactions.
  liar.tamper = ({ method }, result) =>
    method === 'eth_getBlockByNumber' && result !== null ? { ...(result as object), transactions: [] } : result;
  await mark();
  const urls = [liar.url, gateway.chain.url];
  keep(gateway.startWatcher({ urls: [gateway.chain.url] }));
  keep(gateway.startLane({ urls, timing: { foreign: 500 } }));
  await allAre(gateway, known, 'awaiting_payment');
  await eventually(async () => (await outcomes()).at(-1) === 'resumed');
  expect((await account()).status).toBe('active');
});

const isWhole = ({ method, params }: WireRequest): boolean => method === 'eth_getBlockByNumber' && params[1] === true;
const isResumed = async () => (await outcomes()).at(-1) === 'resumed';
const openAlert = (kind: string) => eventually(() => alertsOf(kind).where({ closed_at: null }).first());

/** Runs the lane with a liar as its first endpoint, beside the chain's own. */
const startBeside = async (
  lie: Partial<Pick<Proxy, 'tamper' | 'rewrite'>>,
  more: readonly string[],
): Promise<Proxy> => {
  const liar = Object.assign(await openProxy(), lie);
  keep(gateway.startWatcher({ urls: [gateway.chain.url] }));
  keep(gateway.startLane({ urls: [liar.url, ...more], timing: { foreign: 500, unreachable: 500 } }));
  return liar;
};

it('an endpoint that invents a far block keeps no lane waiting', async () => {
  await loseDeals(1, () => asThief(gateway.keys.stranger.address, '0x', 1n));
  await mark();
  const far = `0x${(2 ** 53 - 1).toString(16)}`;
  await startBeside(
    {
      tamper: ({ method, params }, result) => {
        if (method === 'eth_blockNumber') return far;
        return method === 'eth_getBlockByNumber' && params[0] === 'latest'
          ? { ...(result as object), number: far }
          : result;
      },
    },
    [gateway.chain.url],
  );
  expect(await whyPaused()).toContain('no block since the restored state has');
});

it('an endpoint that shows another signed attempt of a nonce pauses no lane', async () => {
  const { known } = await loseDeals(1);
  await mark();
  const { next_nonce: nonce } = await account();
  let shown = 0;
  const attempt = async (wire: Record<string, string>): Promise<object> => {
    shown += 1;
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n };
    const request = {
      nonce: Number(wire.nonce),
      to: wire.to!,
      data: wire.input!,
      value: 0n,
      gasLimit: BigInt(wire.gas!),
    };
    const { raw } = await gateway.keys.operator.sign({ eip155: gateway.network.eip155, ...request, ...fees });
    const { hash, signature } = Transaction.from(raw);
    const { r, s, yParity } = signature!;
    const hex = { maxFeePerGas: toBeHex(fees.maxFeePerGas), maxPriorityFeePerGas: '0x1' };
    return { ...wire, ...hex, hash, r, s, yParity: `0x${yParity}`, v: `0x${yParity}` };
  };
  await startBeside(
    {
      rewrite: async (request) => {
        if (!isWhole(request)) return request;
        const block = (await gateway.rpc.call(request.method, request.params)) as {
          transactions: Record<string, string>[];
        };
        const isOurs = (wire: Record<string, string>) =>
          wire.from === gateway.keys.operator.address.toLowerCase() && Number(wire.nonce) >= Number(nonce);
        const transactions = await Promise.all(
          block.transactions.map((wire) => (isOurs(wire) ? attempt(wire) : Promise.resolve(wire))),
        );
        return { result: { ...block, transactions } };
      },
    },
    [gateway.chain.url],
  );
  await allAre(gateway, known, 'awaiting_payment');
  await eventually(isResumed);
  expect(shown).toBeGreaterThan(0);
  expect((await account()).status).toBe('active');
});

it('whole blocks that every endpoint refuses are reported, and the lane goes on once an endpoint gives them', async () => {
  await loseDeals(1);
  await mark();
  const endpoint = await startBeside(
    {
      rewrite: (request) =>
        isWhole(request) ? { error: { code: -32_000, message: 'old blocks need another plan' } } : request,
    },
    [],
  );
  const { data } = await openAlert('endpoint_refuses');
  expect(data).toMatchObject({
    method: 'eth_getBlockByNumber of whole blocks',
    reason: 'old blocks need another plan',
  });
  endpoint.rewrite = null;
  await eventually(isResumed);
  await eventually(async () => (await alertsOf('endpoint_refuses').where({ closed_at: null })).length === 0);
});

it('blocks that no endpoint has are reported before the lane pauses', async () => {
  await loseDeals(1);
  await mark();
  await startBeside({ tamper: (request, result) => (isWhole(request) ? null : result) }, []);
  expect((await openAlert('outcome_unknown')).message).toContain('no endpoint gives its blocks from');
  expect(await whyPaused()).toContain('no endpoint gives its blocks from');
  await eventually(async () => (await alertsOf('outcome_unknown').where({ closed_at: null })).length === 0);
});

it('blocks that are together too large are read one by one', async () => {
  const { known } = await loseDeals(1);
  await mark();
  const sizes: number[] = [];
  const endpoint = await openProxy();
  endpoint.refuseBatch = (requests) => {
    const whole = requests.filter(isWhole).length;
    if (whole > 0) sizes.push(whole);
    return whole > 1
      ? { jsonrpc: '2.0', id: null, error: { code: -32_003, message: 'response too large' } }
      : undefined;
  };
  keep(gateway.startWatcher({ urls: [gateway.chain.url] }));
  keep(gateway.startLane({ urls: [endpoint.url], timing: { foreign: 500 } }));
  await allAre(gateway, known, 'awaiting_payment');
  await eventually(isResumed);
  expect(sizes.some((size) => size > 1)).toBe(true);
});

it('a lane whose transactions are all known goes on at once', async () => {
  await mark();
  startAll();
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  expect((await outcomes()).at(-1)).toBe('unneeded');
});
