import { restored } from '../../../cli/backup/restore.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { callCommand } from '../../support/carat.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type Running, type TestPayment } from '../support/gateway.ts';
import { askedForDepth, hex, inventBlocks, scannedBy, tipOf } from '../support/invented-blocks.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import { keepState, setBack } from '../support/set-back.ts';

/* Three endpoints and twelve confirmations. The first endpoint invents blocks on top of the newest one, and so confirms what is not deep. */

const CONFIRMATIONS = 12;
let gateway: Gateway;
let liar: Proxy;
let honest: Proxy[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: CONFIRMATIONS, blockTime: 0.2 });
  [liar, ...honest] = (await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)))) as [Proxy, ...Proxy[]];
});
afterEach(async () => {
  await Promise.all([liar, ...honest].map((proxy) => proxy.close()));
  await gateway.close();
});

const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();
const mine = (blocks: number) => gateway.rpc.call('anvil_mine', [hex(blocks)]);
const stopMining = async (): Promise<void> => {
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.rpc.call('evm_setAutomine', [false]);
};
const watch = (quorum = 2): Running =>
  // So long a block time that the number of the liar's blocks does not tell them apart.
  keep(
    gateway.startWatcher({
      urls: [liar, ...honest].map(({ url }) => url),
      network: { quorum, blockTimeMs: 12_000 },
    }),
  );
/** Waits until the watcher has stored all blocks up to this one. */
const isScanned = (number: number) => eventually(async () => (await scannedBy(gateway)) === number, 60_000);
/** Lets the liar confirm the newest block, and waits until the watcher has asked the others about it. */
const lie = async (): Promise<void> => {
  const head = await tipOf(gateway);
  await inventBlocks(gateway, liar, CONFIRMATIONS - 1);
  await isScanned(head + CONFIRMATIONS - 1);
  await askedForDepth(honest);
};

it.each([2, 3])('a payment needs its confirmations at as many endpoints as the quorum of %i', async (quorum) => {
  const first = [keep(gateway.startWatcher()), keep(gateway.startLane())];
  const [payment] = await gateway.pay(1);
  await allAre(gateway, [payment!], 'awaiting_payment', 60_000);
  await stopMining();
  await Promise.all(first.map((run) => run.stop()));
  watch(quorum);
  await gateway.buy(payment!);
  await mine(1);
  await isScanned(await tipOf(gateway));
  await lie();
  expect(await gateway.statuses([payment!])).not.toContain('completed');
  liar.rewrite = null;
  await mine(CONFIRMATIONS - 2);
  await isScanned(await tipOf(gateway));
  expect(await gateway.statuses([payment!])).not.toContain('completed');
  await mine(1);
  await allAre(gateway, [payment!], 'completed', 60_000);
});

it('a slot without a payment, as of a deployment, needs them too', async () => {
  const first = [keep(gateway.startWatcher()), keep(gateway.startLane())];
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment', 60_000);
  await eventually(async () => (await gateway.knex('tx_slots').whereNot({ state: 'confirmed' })).length === 0);
  await stopMining();
  await Promise.all(first.map((run) => run.stop()));
  await mine(1);
  const { number, hash } = (await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as Record<
    string,
    string
  >;
  watch();
  await isScanned(Number(number));
  // Its intent has ended; such are the slots of deployments for the watcher.
  const mined = { state: 'mined', block_number: Number(number), block_hash: hash, confirmed_at: null };
  await gateway.knex('tx_slots').update(mined);
  await lie();
  expect(await gateway.knex('tx_slots').pluck('state')).toEqual(['mined']);
});

it('a payment whose buyer’s block is reorganised away waits for the confirmations of its deal', async () => {
  const lane = keep(gateway.startLane());
  watch();
  const [payment] = await gateway.pay(1);
  await eventually(async () => (await rowOf(payment!)).deal_block_number !== null);
  await stopMining();
  await lane.stop();
  await gateway.buy(payment!);
  await mine(1);
  await allAre(gateway, [payment!], 'processing');
  const { deal_block_number: deal } = await rowOf(payment!);
  expect((await tipOf(gateway)) - Number(deal)).toBeLessThan(CONFIRMATIONS - 1);
  await lie();
  liar.rewrite = null;
  await gateway.rpc.call('anvil_reorg', [1, []]);
  await eventually(async () => (await rowOf(payment!)).status !== 'processing');
  expect(await rowOf(payment!)).toMatchObject({ status: 'pending', deal_block_number: deal });
});

it('the blocks after a restore need them, before a deal counts as never sent', async () => {
  const first = [keep(gateway.startWatcher()), keep(gateway.startLane())];
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment', 60_000);
  await Promise.all(first.map((run) => run.stop()));
  const [known] = await gateway.pay(1);
  await keepState(gateway.knex);
  const runs = [keep(gateway.startWatcher()), keep(gateway.startLane())];
  await eventually(async () => (await rowOf(known!)).deal_block_number !== null);
  const { deal_block_number: block } = await rowOf(known!);
  await stopMining();
  await Promise.all(runs.map((run) => run.stop()));
  await setBack(gateway.knex);
  await callCommand(restored, [], { CARAT_DATABASE_URL: gateway.databaseUrl }, []);
  const restoredAt = Math.ceil(Date.now() / 1_000);
  await eventually(() => Date.now() / 1_000 > restoredAt + 1);
  await mine(2);
  const head = await tipOf(gateway);
  expect(head - Number(block)).toBeLessThan(CONFIRMATIONS - 2);
  watch();
  await isScanned(head);
  await lie();
  const isBehind = async () => (await gateway.knex('watch_cursors').first('is_behind_restore')).is_behind_restore;
  expect(await isBehind()).toBe(true);
  // A reorganisation of fewer blocks than the confirmations removes the deal, and the merchant cancels.
  liar.rewrite = null;
  await eventually(async () => (await rowOf(known!)).deal_block_number !== null);
  await gateway.rpc.call('anvil_reorg', [head - Number(block) + 1, []]);
  await eventually(async () => (await rowOf(known!)).deal_block_number === null);
  await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: known!.id, actorId: null }));
  await decideCancel(gateway.knex, known!.id);
  expect(await rowOf(known!)).toMatchObject({ status: 'canceling', status_detail: null });
});
