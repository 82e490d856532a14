import { transition } from '../../../db/payments/transition.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { startGateway, type Gateway, type RunOptions, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * Endpoints that are late, and endpoints that lie about it: a nonce that one of a slot's own attempts has used is
 * Carat's own, and a stranger's is reported.
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
const unknown = () => gateway.knex('alerts').where({ kind: 'outcome_unknown' }).orderBy('id');
const unknownOpen = async () => {
  const rows = await unknown();
  return rows.length > 0 && rows;
};
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
/** Denies all transactions. */
const isLate =
  (methods: RegExp): Proxy['tamper'] =>
  ({ method }, result) =>
    methods.test(method) ? null : result;

/** Number of exchanges that asked this endpoint both for the count of used nonces and for transactions. */
const hearings = ({ exchanges }: Proxy): number =>
  exchanges.filter((own) => ['eth_getTransactionCount', 'eth_getTransactionByHash'].every((one) => own.includes(one)))
    .length;

/** As if buyers had paid, and a reorganisation had taken that and the deals away. */
const payAndReorganise = (payments: readonly TestPayment[]): Promise<void> =>
  gateway.knex.transaction(async (trx) => {
    const which = { where: 'p.id = ANY(:ids)', bindings: { ids: payments.map(({ id }) => id) } };
    const moves = ['payment_detected', 'payment_reorged_to_pending'] as const;
    for (const name of moves) {
      expect(await transition(trx, { name, ...which, actor: { type: 'chain' } })).toHaveLength(payments.length);
    }
  });

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

  it.each([0, 1])('is not paused when one of two fails to report its block after %i proofs', async (proofs) => {
    const [shows, fails] = proxies as [Proxy, Proxy];
    shows.tamper = isLate(receipts);
    fails.tamper = isLate(lookups);
    fails.rewrite = (request) => {
      const isOfBlock = request.method === 'eth_getBlockByNumber' && Number(request.params[0]) > 0;
      return isOfBlock && hearings(shows) > proofs ? { error: { code: -32_000, message: 'not now' } } : request;
    };
    keep(gateway.startLane(among(2, 1, impatient)));
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    await eventually(() => hearings(shows) >= proofs + 4);
    expect(await account()).toMatchObject({ status: 'active', status_detail: null });
    expect(await pauses()).toEqual([]);
    for (const proxy of proxies) Object.assign(proxy, { tamper: null, rewrite: null });
    await eventually(async () => (await slotOf(payment!)).state === 'confirmed');
  });
});

describe('A lane whose own transaction is in a block', () => {
  const lines: string[] = [];
  const note = (message: string, fields: Record<string, unknown> = {}): void =>
    void (fields['alert'] === 'outcome_unknown' && lines.push(message));
  const log = { debug: note, info: note, warn: note, error: note };

  it('raises one alert by name when no endpoint has the receipt, until one does', async () => {
    proxies[0]!.tamper = isLate(receipts);
    keep(gateway.startLane({ ...among(1, 1, { foreign: 300 }), log }));
    const [payment] = await gateway.pay(1);
    const [alert] = await eventually(unknownOpen);
    const { nonce } = await slotOf(payment!);
    const address = gateway.keys.operator.address;
    const data = { role: 'operator', address, nonces: [Number(nonce)], endpoints: [1] };
    expect(alert).toMatchObject({ is_condition: true, closed_at: null, data });
    expect(alert.message).toContain(
      `The outcome of transactions of the operator ${address} on ${gateway.network.name}`,
    );
    expect(alert.message).toMatch(/too few endpoints have the receipt \(endpoint 1\)$/);
    expect(await pauses()).toEqual([]);
    proxies[0]!.tamper = null;
    await eventually(async () => (await unknown())[0].closed_at !== null, 30_000);
    expect(await unknown()).toHaveLength(1);
    expect(lines).toEqual([alert.message, `Over: ${alert.message}`]);
  });

  it("pauses as usual when a stranger's transaction replaces it", async () => {
    const [proxy] = proxies as [Proxy];
    proxy.tamper = isLate(receipts);
    keep(gateway.startLane(among(1, 1, { foreign: 300 })));
    const [payment] = await gateway.pay(1);
    await eventually(async () => (await unknown()).length > 0);
    const { nonce } = await slotOf(payment!);
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 10n };
    const { operator } = gateway.keys;
    const theirs = { nonce: Number(nonce), to: operator.address, data: '0x', value: 0n, gasLimit: 21_000n, ...fees };
    const { raw } = await operator.sign({ eip155: gateway.network.eip155, ...theirs });
    const { blockNumber } = (await gateway.rpc.call('eth_getTransactionReceipt', [
      (
        await gateway
          .knex('tx_attempts')
          .where({ slot_id: (await slotOf(payment!)).id })
          .first()
      ).tx_hash,
    ])) as { blockNumber: string };
    const tip = Number(await gateway.rpc.call('eth_blockNumber'));
    await gateway.rpc.call('anvil_reorg', [tip - Number(blockNumber) + 1, [[raw, 0]]]);
    await gateway.rpc.call('evm_setIntervalMining', [1]);
    await eventually(async () => (await account()).status === 'paused', 30_000);
    expect(await pauses()).toHaveLength(1);
    await eventually(async () => (await unknown()).every(({ closed_at }) => closed_at !== null));
    proxy.tamper = null;
    await gateway.knex('signer_accounts').update({ status: 'active', status_detail: null });
    await allAre(gateway, [payment!], 'awaiting_payment');
  });
});

describe('A nonce used by a stranger', () => {
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
  /** Never shows a used nonce, and accepts every transaction. */
  const hides = (proxy: Proxy, nonce: number): void => {
    proxy.rewrite = (request) => {
      if (request.method === 'eth_getTransactionCount') return { result: `0x${nonce.toString(16)}` };
      if (request.method === 'eth_sendRawTransaction') return { result: hex(32) };
      return request.method === 'eth_getTransactionByHash' ? { result: { hash: request.params[0] } } : request;
    };
  };

  /** A slot of a lane that is at work, and whose nonce a stranger uses while its own transaction is in the pool. */
  const steal = async (options: RunOptions, lie: (nonce: number) => Promise<void> | void) => {
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    const lane = keep(gateway.startLane(options));
    const payments = await gateway.pay(1);
    const slot = await eventually(async () => {
      const own = await slotOf(payments[0]!);
      return own?.state === 'signed' && own;
    });
    await eventually(
      async () => Number(((await gateway.rpc.call('txpool_status')) as { pending: string }).pending) > 0,
    );
    await lie(Number(slot.nonce));
    await gateway.send1559(gateway.keys.operator, Number(slot.nonce));
    await gateway.rpc.call('evm_setIntervalMining', [1]);
    return { lane, payments, slot };
  };

  it.each<[string, number, number, (proxy: Proxy, nonce: number) => Promise<void> | void]>([
    ['is reported by the only endpoint', 1, 1, passes],
    ['is reported though the leading one of three claims that it is ours', 3, 2, claims],
    ['is reported though the leading one of three hides it', 3, 1, hides],
  ])('%s within a minute, and closed', async (_, count, quorum, lie) => {
    const { lane, payments, slot } = await steal(among(count, quorum, {}), (nonce) => lie(proxies[0]!, nonce));
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
  });

  it('is believed of one of two endpoints only when the other one counts it too, even after payments were reorganised away', async () => {
    const [tells, silent] = proxies as [Proxy, Proxy];
    const { max_inflight: room } = await account();
    // Before the lane starts: a turn that has begun keeps the room that it has read.
    await gateway.knex('signer_accounts').update({ max_inflight: 1 });
    const { payments, slot } = await steal(among(2, 1, { foreign: 300 }), () => {
      [silent.mode, tells.exchanges.length] = ['500', 0];
    });
    await allWait(gateway, payments, 'outcome_unknown');
    const behind = await gateway.pay(1);
    await allWait(gateway, behind, 'outcome_unknown');
    await payAndReorganise(payments);
    await allWait(gateway, payments, 'outcome_unknown');
    const [alert] = await eventually(unknownOpen);
    expect(alert).toMatchObject({ closed_at: null, data: { nonces: [Number(slot.nonce)], endpoints: [2] } });
    await eventually(() => hearings(tells) >= 3);
    expect(await account()).toMatchObject({ status: 'active', status_detail: null });
    expect((await slotOf(payments[0]!)).id).toBe(slot.id);
    silent.mode = 'pass';
    await eventually(async () => (await account()).status === 'paused');
    expect(await pauses()).toHaveLength(1);
    await eventually(async () => (await unknown())[0].closed_at !== null);
    expect(await unknown()).toHaveLength(1);
    await gateway.knex('signer_accounts').update({ status: 'active', status_detail: null, max_inflight: room });
    await allAre(gateway, [...payments, ...behind], 'awaiting_payment');
  });

  it("and beyond the lane's own is believed of one of two endpoints only when the other one counts it too", async () => {
    const [tells, silent] = proxies as [Proxy, Proxy];
    keep(gateway.startLane(among(2, 1, { unreachable: 500 })));
    await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
    const nonce = Number((await account()).next_nonce);
    await gateway.send1559(gateway.keys.operator, nonce);
    silent.mode = '500';
    const payments = await gateway.pay(1);
    const questions = () =>
      tells.exchanges.filter((own) => own.join() === 'eth_getTransactionCount,eth_getTransactionCount');
    await eventually(() => questions().length >= 3);
    expect(await account()).toMatchObject({ status: 'active', status_detail: null });
    await allWait(gateway, payments, 'network_unreachable');
    const [alert] = await eventually(unknownOpen);
    expect(alert.message).toMatch(/count different numbers of transactions.*: endpoint 2$/);
    silent.mode = 'pass';
    await eventually(async () => (await account()).status === 'paused');
    expect(await pauses()).toHaveLength(1);
    await eventually(async () => (await unknown())[0].closed_at !== null);
    await gateway.knex('signer_accounts').update({ status: 'active', status_detail: null, next_nonce: nonce + 1 });
    await allAre(gateway, payments, 'awaiting_payment');
  });
});

describe('A lane whose only endpoint still gives receipts of blocks that it has lost', () => {
  // As geth does after it was killed, until something is reorganised.
  const isForgetless = (): Proxy['tamper'] => {
    const first = new Map<unknown, unknown>();
    return ({ method, params: [hash] }, result) => {
      if (!receipts.test(method)) return result;
      if (result !== null && !first.has(hash)) first.set(hash, result);
      return first.get(hash) ?? result;
    };
  };

  it('sends the lost transaction once more, and those after it', async () => {
    proxies[0]!.tamper = isForgetless();
    keep(gateway.startLane(among(1, 1, { foreign: 300 })));
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    const { block_number: block } = await slotOf(payment!);
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    const tip = Number(await gateway.rpc.call('eth_blockNumber'));
    await gateway.rpc.call('anvil_reorg', [tip - Number(block) + 1, []]);
    await gateway.rpc.call('evm_setIntervalMining', [1]);
    await allAre(gateway, [payment!], 'pending');
    const later = await gateway.pay(1);
    await allAre(gateway, [payment!, ...later], 'awaiting_payment');
    await blocks(10);
    expect(await timesCreated(gateway, [payment!, ...later])).toEqual([1, 1]);
    expect(await pauses()).toEqual([]);
  });
});
