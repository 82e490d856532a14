import { keccak256 } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall, startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * Trouble that depends on the order of things: blocks are made by hand here.
 */

let gateway: Gateway;
let miner: { stop(): void } | null = null;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3 });
  await gateway.rpc.call('evm_setIntervalMining', [0]);
});

afterAll(() => gateway.close());

beforeEach(() => mineFromNowOn());
afterEach(() => stopMining());

const mine = () => gateway.rpc.call('evm_mine');
const mineFromNowOn = (): void => {
  const timer = setInterval(() => void mine().catch(() => {}), 150);
  miner = { stop: () => clearInterval(timer) };
};
const stopMining = (): void => {
  miner?.stop();
  miner = null;
};

/** Hashes in the pool of an account, by nonce. */
const pool = async (address: string): Promise<Map<number, string>> => {
  const { pending } = (await gateway.rpc.call('txpool_content')) as {
    pending: Record<string, Record<string, { hash: string }>>;
  };
  const own = Object.entries(pending).find(([account]) => account.toLowerCase() === address)?.[1] ?? {};
  return new Map(Object.entries(own).map(([nonce, { hash }]) => [Number(nonce), hash]));
};

/** Lets the lane send one transaction that stays in the pool. */
const sendUnmined = async (count = 2) => {
  stopMining();
  const payments = await gateway.pay(count);
  const sent = await eventually(async () => {
    const found = await pool(gateway.keys.operator.address);
    return found.size > 0 ? found : null;
  });
  await eventually(async () => (await gateway.knex('tx_slots').where({ state: 'signed' })).length > 0);
  return { payments, sent };
};

it('a transaction that the node dropped is sent again', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  const { payments, sent } = await sendUnmined();
  for (const hash of sent.values()) await gateway.rpc.call('anvil_dropTransaction', [hash]);
  expect((await pool(gateway.keys.operator.address)).size).toBe(0);
  await eventually(async () => (await pool(gateway.keys.operator.address)).size === sent.size);
  expect(await pool(gateway.keys.operator.address)).toEqual(sent);
  mineFromNowOn();
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
});

it('both fees, and nothing else, rise by an eighth or more when the base fee jumps', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane({ timing: { bump: 60_000 } }));
  const { payments } = await sendUnmined();
  // A hundred gwei, far above the fee that the lane saw.
  await gateway.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x174876e800']);
  await mine();
  const slot = await eventually(async () => {
    const [row] = await gateway.knex('tx_slots').where({ state: 'signed' });
    const attempts = await gateway.knex('tx_attempts').where({ slot_id: row.id }).orderBy('seq');
    return attempts.length > 1 ? { row, attempts } : null;
  });
  const [first, second] = slot.attempts as { max_fee_per_gas: string; max_priority_fee_per_gas: string }[];
  for (const field of ['max_fee_per_gas', 'max_priority_fee_per_gas'] as const) {
    expect(BigInt(second![field]) * 8n).toBeGreaterThanOrEqual(BigInt(first![field]) * 9n);
  }
  mineFromNowOn();
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
  const mined = await gateway.knex('tx_slots').where({ id: slot.row.id }).first();
  expect(mined.data).toEqual(slot.row.data);
});

it('the fees of the oldest transaction rise when it waits too long', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane({ timing: { bump: 200, bumpBlocks: 0 } }));
  const { payments } = await sendUnmined();
  const attempts = await eventually(async () => {
    const [slot] = await gateway.knex('tx_slots').where({ state: 'signed' });
    const rows = await gateway.knex('tx_attempts').where({ slot_id: slot.id });
    return rows.length >= 3 ? rows : null;
  });
  expect(new Set(attempts.map((attempt) => attempt.tx_hash)).size).toBe(attempts.length);
  mineFromNowOn();
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
});

it('deals wait while fees are above the ceiling', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane({ network: { maxFeePerGas: 10n } }));
  const payments = await gateway.pay(1);
  await allWait(gateway, payments, 'fees_above_ceiling');
  expect(await gateway.knex('tx_slots').where({ state: 'signed' })).toEqual([]);
  keep(gateway.startLane());
  await allAre(gateway, payments, 'awaiting_payment');
});

it('deals sent before fees rose above the ceiling show that they wait, until the fees fall', async () => {
  keep(gateway.startWatcher());
  const ceiling = 10n ** 11n;
  keep(gateway.startLane({ network: { maxFeePerGas: ceiling }, timing: { foreign: 200 } }));
  const { payments } = await sendUnmined();
  await gateway.rpc.call('anvil_setNextBlockBaseFeePerGas', [`0x${(ceiling * 2n).toString(16)}`]);
  await mine();
  await allWait(gateway, payments, 'fees_above_ceiling');
  expect(await gateway.knex('alerts').where({ kind: 'fees_above_ceiling', closed_at: null })).toHaveLength(1);
  await gateway.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00']);
  await mine();
  await allWait(gateway, payments, null);
  mineFromNowOn();
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
});

it('a base fee that swings around the ceiling makes one write for deals in flight', async () => {
  keep(gateway.startWatcher());
  const ceiling = 10n ** 11n;
  let ticks = 0;
  const heartbeat = (): void => void (ticks += 1);
  keep(gateway.startLane({ network: { maxFeePerGas: ceiling }, timing: { foreign: 60_000 }, heartbeat }));
  const { payments } = await sendUnmined();
  const mineAt = async (fee: bigint): Promise<void> => {
    await gateway.rpc.call('anvil_setNextBlockBaseFeePerGas', [`0x${fee.toString(16)}`]);
    await mine();
  };
  const shown = (): Promise<unknown> =>
    gateway
      .knex('payment_waits')
      .whereIn(
        'payment_id',
        payments.map(({ id }) => id),
      )
      .select('event_type', 'reason');
  await mineAt(ceiling * 2n);
  await allWait(gateway, payments, 'fees_above_ceiling');
  const once = payments.map(() => ({ event_type: 'waiting_started', reason: 'fees_above_ceiling' }));
  // At the first fee the lane signs again, but the block does not include the transactions signed before.
  for (const fee of [(ceiling * 2n) / 5n, ceiling * 2n]) {
    await mineAt(fee);
    const from = ticks;
    await eventually(async () => ticks > from + 2);
    expect(await shown()).toEqual(once);
  }
  await mineAt(10n ** 9n);
  mineFromNowOn();
  await allAre(gateway, payments, 'awaiting_payment');
});

it('a pause mined before the deals uses up no retry', async () => {
  const { root, guardian } = gateway.keys;
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  const { payments } = await sendUnmined();
  const nonce = Number(await gateway.rpc.call('eth_getTransactionCount', [guardian.address, 'latest']));
  const { raw } = await guardian.sign({
    eip155: gateway.network.eip155,
    nonce,
    to: gateway.registry,
    data: registryCall('setPaused', true),
    value: 0n,
    gasLimit: 200_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  });
  // Its tip puts it before the deals in the block.
  await gateway.rpc.call('eth_sendRawTransaction', [raw]);
  mineFromNowOn();
  await allWait(gateway, payments, 'network_paused');
  expect(await timesCreated(gateway, payments)).toEqual([0, 0]);
  await gateway.send(root, gateway.registry, registryCall('setPaused', false));
  await allAre(gateway, payments, 'awaiting_payment');
  const rows = await gateway.knex('payments').whereIn(
    'id',
    payments.map((payment) => payment.id),
  );
  expect(rows.map((row) => row.retries_used)).toEqual([0, 0]);
});

it('a transaction that runs out of gas in its block uses up no retry, and the next one gets more gas', async () => {
  const { diamondAddress } = gateway.world;
  const code = await gateway.rpc.call('eth_getCode', [diamondAddress, 'latest']);
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  stopMining();
  const payments = await gateway.pay(2, { retryCount: 0 });
  await eventually(async () => (await pool(gateway.keys.operator.address)).size > 0);
  // No estimate suffices for this.
  await gateway.rpc.call('anvil_setCode', [diamondAddress, '0x5b600056']);
  await mine();
  await gateway.rpc.call('anvil_setCode', [diamondAddress, code]);
  mineFromNowOn();
  await allAre(gateway, payments, 'awaiting_payment');
  const slots = await gateway
    .knex('tx_slots as s')
    .join('tx_intents as i', 'i.slot_id', 's.id')
    .whereIn(
      'i.payment_id',
      payments.map(({ id }) => id),
    )
    .distinct<{ nonce: string; receipt_status: number; gas_limit: string }[]>(
      's.nonce',
      's.receipt_status',
      's.gas_limit',
    )
    .orderBy('s.nonce');
  expect(slots.map((slot) => slot.receipt_status)).toEqual([0, 1]);
  expect(Number(slots[1]!.gas_limit)).toBeGreaterThan(Number(slots[0]!.gas_limit) * 1.2);
  expect(await gateway.knex('alerts').where({ kind: 'transaction_failed' })).toHaveLength(1);
});

/** Makes blocks one by one, each seen by the watcher. */
const mineSeen = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await mine();
  const tip = Number(await gateway.rpc.call('eth_blockNumber'));
  await eventually(async () => {
    const [cursor] = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id });
    return Number(cursor.number) === tip;
  });
};

it.each([1, 2])('a reorganisation of depth %i around deal and payment leaves one of each', async (depth) => {
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  const { payments } = await sendUnmined(1);
  const payment = payments[0]!;
  await mineSeen(depth);
  expect(await timesCreated(gateway, payments)).toEqual([1]);
  await gateway.rpc.call('anvil_reorg', [depth, []]);
  expect(await timesCreated(gateway, payments)).toEqual([0]);
  mineFromNowOn();
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1]);

  stopMining();
  const hash = await gateway.buy(payment);
  const raw = (await gateway.rpc.call('eth_getRawTransactionByHash', [hash])) as string;
  await mineSeen(depth);
  await allAre(gateway, payments, 'processing');
  await gateway.rpc.call('anvil_reorg', [depth, []]);
  await allAre(gateway, payments, 'awaiting_payment');
  // A wallet sends its transaction again; anvil forgets it together with the block.
  await gateway.rpc.call('eth_sendRawTransaction', [raw]);
  mineFromNowOn();
  await allAre(gateway, payments, 'completed');
  expect(await timesCreated(gateway, payments)).toEqual([1]);
  const log = await gateway.knex('payment_logs').where({ payment_id: payment.id }).orderBy('sequence');
  expect(log.map((entry) => entry.event_type as string)).toEqual([
    'payment_created',
    'deal_confirmed',
    'payment_detected',
    'payment_reorged',
    'payment_detected',
    'payment_confirmed',
  ]);
  expect(await gateway.knex('alerts').where({ kind: 'deep_reorganisation' })).toEqual([]);
});

it('a stranger with the key: the lane stops, and its slots are retried once it may go on', async () => {
  const { operator } = gateway.keys;
  keep(gateway.startWatcher());
  keep(gateway.startLane({ timing: { foreign: 500 } }));
  const { payments, sent } = await sendUnmined();
  const [nonce] = sent.keys();
  // The same nonce, dearer: this one is mined.
  await gateway.send1559(operator, nonce!);
  mineFromNowOn();
  await eventually(async () => {
    const account = await gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId }).first();
    return account.status === 'paused' && account.status_detail === 'nonce_used_elsewhere';
  });
  await allWait(gateway, payments, 'lane_paused');
  expect(await gateway.knex('alerts').where({ kind: 'lane_paused' })).toHaveLength(1);
  expect(await timesCreated(gateway, payments)).toEqual([0, 0]);
  await gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId }).update({ status: 'active' });
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
  const rows = await gateway.knex('payments').where('retries_used', '>', 0);
  expect(rows).toEqual([]);
});

it('a used nonce without a receipt stops no lane before its endpoints have had time to show whose it is', async () => {
  const { operator } = gateway.keys;
  const proxy = await startProxy(gateway.chain.url);
  keep({ ended: Promise.resolve(), stop: () => proxy.close() });
  keep(gateway.startWatcher());
  const own = { urls: [proxy.url], network: { quorum: 1 } };
  const patient = keep(gateway.startLane({ ...own, timing: { foreign: 3_600_000 } }));
  const { payments, sent } = await sendUnmined();
  const [nonce] = sent.keys();
  await gateway.send1559(operator, nonce!);
  mineFromNowOn();
  const used = async () => Number(await gateway.rpc.call('eth_getTransactionCount', [operator.address, 'latest']));
  await eventually(async () => (await used()) > nonce!);
  const account = () => gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId });
  const status = async (): Promise<string> => (await account().first()).status;
  const asked = () => proxy.seen.filter((method) => method === 'eth_getTransactionReceipt').length;
  const before = asked();
  const tip = Number(await gateway.rpc.call('eth_blockNumber'));
  const isLater = async () => asked() > before + 6 && Number(await gateway.rpc.call('eth_blockNumber')) > tip + 6;
  await eventually(async () => (await status()) !== 'active' || (await isLater()));
  expect(await status()).toBe('active');
  expect(await gateway.knex('tx_slots').where({ state: 'signed' })).toHaveLength(1);
  await patient.stop();
  keep(gateway.startLane({ ...own, timing: { foreign: 500 } }));
  await eventually(async () => (await status()) === 'paused');
  await account().update({ status: 'active' });
  await allAre(gateway, payments, 'awaiting_payment');
});

it('a role lost in the block of the deals is no failed transaction, whatever one endpoint says of it', async () => {
  const { root, guardian, operator } = gateway.keys;
  const { interface: abi } = contracts.registry;
  const proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  for (const proxy of proxies) keep({ ended: Promise.resolve(), stop: () => proxy.close() });
  let asked = 0;
  proxies[0]!.tamper = ({ method, params: [call, block] }, result) => {
    const isRole =
      method === 'eth_call' && (call as { data: string }).data.startsWith(abi.getFunction('roleState')!.selector);
    if (!isRole || !String(block).startsWith('0x')) return result;
    asked += 1;
    return abi.encodeFunctionResult('roleState', [true, false]);
  };
  await gateway.knex('alerts').delete();
  keep(gateway.startWatcher());
  keep(gateway.startLane({ urls: proxies.map(({ url }) => url), network: { quorum: 2 } }));
  const { payments } = await sendUnmined();
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  const { raw } = await guardian.sign({
    eip155: gateway.network.eip155,
    nonce: Number(await gateway.rpc.call('eth_getTransactionCount', [guardian.address, 'latest'])),
    to: gateway.registry,
    data: registryCall('setRole', roleIds.operator, operator.address, false),
    value: 0n,
    gasLimit: 200_000n,
    ...fees,
  });
  await gateway.rpc.call('eth_sendRawTransaction', [raw]);
  mineFromNowOn();
  await allWait(gateway, payments, 'operator_revoked');
  expect(asked).toBeGreaterThan(0);
  await gateway.send(root, gateway.registry, registryCall('setRole', roleIds.operator, operator.address, true));
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await gateway.knex('alerts').where({ kind: 'transaction_failed' })).toEqual([]);
});

it('one endpoint of three that counts a nonce as used neither closes its slot nor stops the lane', async () => {
  const { operator } = gateway.keys;
  const liar = await startProxy(gateway.chain.url);
  const proxies = [liar, await startProxy(gateway.chain.url), await startProxy(gateway.chain.url)];
  const urls = proxies.map(({ url }) => url);
  for (const proxy of proxies) keep({ ended: Promise.resolve(), stop: () => proxy.close() });
  // Only one passes transactions on, so that no other puts dropped ones back.
  for (const honest of proxies.slice(1)) {
    honest.rewrite = (request) =>
      request.method === 'eth_sendRawTransaction' ? { result: keccak256(String(request.params[0])) } : request;
  }
  keep(gateway.startWatcher());
  stopMining();
  const payments = await gateway.pay(2);
  // Its transactions stay out of all blocks while the liar reports otherwise.
  const patient = { missing: 600_000, rebroadcast: 600_000, bump: 600_000, foreign: 500 };
  const lane = keep(gateway.startLane({ urls, timing: patient }));
  const sent = await eventually(async () => {
    const found = await pool(operator.address);
    return found.size > 0 ? found : null;
  });
  for (const hash of sent.values()) await gateway.rpc.call('anvil_dropTransaction', [hash]);
  liar.tamper = ({ method, params: [, tag] }, result) =>
    method === 'eth_getTransactionCount' && tag === 'latest' ? `0x${(Number(result) + 1).toString(16)}` : result;
  mineFromNowOn();
  const asked = () => liar.seen.filter((method) => method === 'eth_getTransactionReceipt').length;
  const before = asked();
  const tip = Number(await gateway.rpc.call('eth_blockNumber'));
  await eventually(async () => Number(await gateway.rpc.call('eth_blockNumber')) > tip + 8);
  expect(asked()).toBeGreaterThan(before);
  expect((await gateway.knex('tx_slots').where({ state: 'signed' })).length).toBe(1);
  await lane.stop();
  for (const proxy of proxies) proxy.rewrite = null;
  keep(gateway.startLane({ urls }));
  await allAre(gateway, payments, 'awaiting_payment');
  const account = await gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId }).first();
  expect(account.status).toBe('active');
});

it("a nonce beyond the lane's own in the pool stops the lane before it sends anything", async () => {
  const { operator } = gateway.keys;
  await gateway.send(operator, operator.address, '0x');
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  const before = (await gateway.knex('tx_slots').select('id')).length;
  const payments = await gateway.pay(1);
  await allWait(gateway, payments, 'lane_paused');
  expect((await gateway.knex('tx_slots').select('id')).length).toBe(before);
});
