import { restored } from '../../../cli/backup/restore.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { callCommand } from '../../support/carat.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import { keepState, setBack } from '../support/set-back.ts';

/* Payments of a backup whose deals were created in the lost time, in blocks that are not confirmed when the watcher reads them. */

let gateway: Gateway;
const keep = stopAfterEach();

// Each test leaves a lane that does not know its transactions.
beforeEach(async () => {
  gateway = await startGateway({ confirmations: 40, blockTime: 0.2 });
  const runs = [keep(gateway.startWatcher()), keep(gateway.startLane())];
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment', 60_000);
  await Promise.all(runs.map((run) => run.stop()));
});
afterEach(() => gateway.close());

const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();
const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const mark = () => callCommand(restored, [], { CARAT_DATABASE_URL: gateway.databaseUrl }, []);
const cancel = async (payment: TestPayment): Promise<string> => {
  await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: null }));
  await decideCancel(gateway.knex, payment.id);
  return (await rowOf(payment)).status as string;
};

it('a deal of an unknown diamond whose block is not confirmed yet does not end as absent', async () => {
  const [known] = await gateway.pay(1);
  await keepState(gateway.knex);
  const runs = [keep(gateway.startWatcher()), keep(gateway.startLane())];
  await eventually(async () => (await rowOf(known!)).deal_block_number !== null, 30_000);
  const { deal_block_number: block } = await rowOf(known!);
  await Promise.all(runs.map((run) => run.stop()));
  await setBack(gateway.knex);
  await gateway.knex('diamonds').update({ status: 'deploying' });
  await mark();
  expect(await cancel(known!)).toBe('canceling');
  keep(gateway.startWatcher({ watch: { recheck: 200 } }));
  await eventually(async () => Number((await cursor()).confirmed_number) > Number(block) + 2, 60_000);
  // The deal is on the chain, and its buyer can pay it.
  await gateway.buy(known!);
  expect(await gateway.statuses([known!])).toEqual(['canceling']);
});

it('a payment whose deal a reorganisation removes before it is confirmed does not end as never sent', async () => {
  const [known] = await gateway.pay(1);
  await keepState(gateway.knex);
  const runs = [keep(gateway.startWatcher()), keep(gateway.startLane())];
  await eventually(async () => (await rowOf(known!)).deal_block_number !== null, 30_000);
  const { deal_block_number: block, deal_tx_hash: hash } = await rowOf(known!);
  await Promise.all(runs.map((run) => run.stop()));
  await setBack(gateway.knex);
  await mark();
  keep(gateway.startWatcher());
  await eventually(async () => (await rowOf(known!)).deal_block_number !== null, 30_000);
  // At the head.
  const { number: seen } = await cursor();
  await eventually(async () => Number((await cursor()).number) > Number(seen) + 5);
  const raw = (await gateway.rpc.call('eth_getRawTransactionByHash', [hash])) as string;
  // No block comes between the reading of the tip and the reorganisation.
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  const tip = Number(await gateway.rpc.call('eth_blockNumber'));
  await gateway.rpc.call('anvil_reorg', [tip - Number(block) + 1, []]);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
  await eventually(async () => (await rowOf(known!)).deal_block_number === null, 30_000);
  const status = await cancel(known!);
  // Its transaction is in the pools of the nodes, and comes back.
  await gateway.rpc.call('eth_sendRawTransaction', [raw]);
  await eventually(async () => (await gateway.rpc.call('eth_getTransactionReceipt', [hash])) !== null, 30_000);
  await gateway.buy(known!);
  expect(status).toBe('canceling');
});
