import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { startGateway, type Gateway, type RunOptions, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';
import { allAre, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * Endpoints that are late, and endpoints that lie about it: a nonce that one of a slot's own attempts has used is ours,
 * and a stranger's is told.
 */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  await gateway.knex('alerts').delete();
  keep(gateway.startWatcher());
});
afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

const account = () => gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId }).first();
const pauses = () => gateway.knex('alerts').where({ kind: 'lane_paused' });
const slotOf = ({ id }: TestPayment) =>
  gateway.knex('tx_slots as s').join('tx_intents as i', 'i.slot_id', 's.id').where({ 'i.payment_id': id }).first('s.*');
const among = (count: number, quorum: number, timing: RunOptions['timing']): RunOptions => ({
  urls: proxies.slice(0, count).map(({ url }) => url),
  network: { quorum },
  timing,
});
const blocks = async (count: number): Promise<void> => {
  const from = Number(await gateway.rpc.call('eth_blockNumber'));
  await eventually(async () => Number(await gateway.rpc.call('eth_blockNumber')) >= from + count);
};

const receipts = /^eth_getTransactionReceipt$/;
const lookups = /^eth_getTransaction(Receipt|ByHash)$/;
/** Says of transactions that there are none. */
const isLate =
  (methods: RegExp): Proxy['tamper'] =>
  ({ method }, result) =>
    methods.test(method) ? null : result;

describe('A lane whose own transaction is mined', () => {
  const impatient = { foreign: 300 };

  it.each<[string, number, number, RegExp, RunOptions['timing']]>([
    ['the only endpoint is late with receipts', 1, 1, receipts, impatient],
    ['the only endpoint is late with everything for many short blocks', 1, 1, lookups, {}],
    ['two of three are late with everything', 3, 1, lookups, impatient],
    ['two of three are late with everything and the quorum is two', 3, 2, lookups, impatient],
  ])('is not paused when %s', async (_, count, quorum, methods, timing) => {
    for (const proxy of proxies.slice(0, Math.max(1, count - 1))) proxy.tamper = isLate(methods);
    keep(gateway.startLane(among(count, quorum, timing)));
    const [payment] = await gateway.pay(1);
    // Its logs and words are there.
    await allAre(gateway, [payment!], 'awaiting_payment');
    await blocks(10);
    expect(await account()).toMatchObject({ status: 'active', status_detail: null });
    expect(await pauses()).toEqual([]);
    for (const proxy of proxies) proxy.tamper = null;
    const own = await eventually(async () => {
      const slot = await slotOf(payment!);
      return slot.state === 'confirmed' && slot;
    });
    const hashes: string[] = await gateway.knex('tx_attempts').where({ slot_id: own.id }).pluck('tx_hash');
    expect(hashes).toContain(own.tx_hash);
    const later = await gateway.pay(1);
    await allAre(gateway, later, 'awaiting_payment');
    expect(await timesCreated(gateway, [payment!, ...later])).toEqual([1, 1]);
    expect(await pauses()).toEqual([]);
  });
});

describe('A nonce that a stranger has used', () => {
  /** Says that the attempt is in a block of the chain, which does not have it. */
  const claims = async (proxy: Proxy): Promise<void> => {
    const block = (await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
    const place = { blockHash: block['hash'], blockNumber: block['number'] };
    const receipt = { ...place, status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x1', logs: [] };
    proxy.rewrite = (request: WireRequest) => {
      const [hash] = request.params;
      if (request.method === 'eth_getTransactionReceipt') return { result: { transactionHash: hash, ...receipt } };
      return request.method === 'eth_getTransactionByHash' ? { result: { hash, ...place } } : request;
    };
  };
  const passes = (): void => {};
  /** Never tells of a used nonce, and takes whatever is sent. */
  const hides = (proxy: Proxy, nonce: number): void => {
    proxy.rewrite = (request) => {
      if (request.method === 'eth_getTransactionCount') return { result: `0x${nonce.toString(16)}` };
      if (request.method === 'eth_sendRawTransaction') return { result: hex(32) };
      return request.method === 'eth_getTransactionByHash' ? { result: { hash: request.params[0] } } : request;
    };
  };

  it.each<[string, number, number, (proxy: Proxy, nonce: number) => Promise<void> | void]>([
    ['is told by the only endpoint', 1, 1, passes],
    ['is told though the leading one of three claims that it is ours', 3, 2, claims],
    ['is told though the leading one of three hides it', 3, 1, hides],
  ])(
    '%s within a minute, and closed',
    async (_, count, quorum, lie) => {
      const { operator } = gateway.keys;
      await gateway.rpc.call('evm_setIntervalMining', [0]);
      const lane = keep(gateway.startLane(among(count, quorum, {})));
      const payments = await gateway.pay(1);
      const slot = await eventually(async () => {
        const own = await slotOf(payments[0]!);
        return own?.state === 'signed' && own;
      });
      await eventually(
        async () => Number(((await gateway.rpc.call('txpool_status')) as { pending: string }).pending) > 0,
      );
      await lie(proxies[0]!, Number(slot.nonce));
      await gateway.send1559(operator, Number(slot.nonce));
      await gateway.rpc.call('evm_setIntervalMining', [1]);
      await eventually(async () => (await account()).status === 'paused', 50_000);
      expect(await pauses()).toHaveLength(1);
      const closed = await eventually(async () => {
        const row = await gateway.knex('tx_slots').where({ id: slot.id }).first();
        return row.state === 'confirmed' && row;
      });
      expect(closed).toMatchObject({ tx_hash: null, receipt_status: 0 });
      expect(await timesCreated(gateway, payments)).toEqual([0]);
      await gateway.knex('signer_accounts').update({ status: 'active', status_detail: null });
      proxies[0]!.rewrite = null;
      await allAre(gateway, payments, 'awaiting_payment');
      expect(await gateway.knex('payments').where('retries_used', '>', 0)).toEqual([]);
      expect(await pauses()).toHaveLength(1);
      await lane.stop();
    },
    120_000,
  );
});
