import { laneResume } from '../../../cli/lane.ts';
import { eventually } from '../../support/eventually.ts';
import { refusal } from '../support/data-chains.ts';
import { startGateway, type Gateway, type RunOptions, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { keepState, setBack } from '../support/set-back.ts';
import { allAre, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * Nonces used by other bytes than those in the database: a stranger's with the key, or Carat's own after PostgreSQL has
 * lost its last commits. The node keeps the state of a few blocks only.
 */

const KEPT_BLOCKS = 8;

let gateway: Gateway;
let pruned: Proxy;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
  pruned = await startProxy(gateway.chain.url);
  pruned.rewrite = async (request) => {
    const block = String(request.params[1]);
    if (request.method !== 'eth_getTransactionCount' || !block.startsWith('0x')) return request;
    const tip = Number(await gateway.rpc.call('eth_blockNumber'));
    return Number(block) < tip - KEPT_BLOCKS ? refusal('missing trie node') : request;
  };
});

afterAll(async () => {
  await pruned.close();
  await gateway.close();
});

const account = () => gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId }).first();
const openSlots = () =>
  gateway.knex('tx_slots').where({ account_id: gateway.world.operatorAccountId, state: 'signed' });
const mine = (count: number) => gateway.rpc.call('anvil_mine', [`0x${count.toString(16)}`]);
const setMining = (on: boolean) => gateway.rpc.call('evm_setIntervalMining', [on ? 1 : 0]);

const startLane = (timing: RunOptions['timing'] = {}) =>
  gateway.startLane({ urls: [pruned.url], timing: { foreign: 500, ...timing } });

/** Nothing more of the environment. */
const need = () => {
  throw new Error('the command asks for more');
};
const resume = async (): Promise<void> => {
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(line);
  const args = [gateway.network.name, gateway.keys.operator.address];
  await laneResume.run({ args, config: { databaseUrl: gateway.databaseUrl }, need, print, report: print });
  expect(printed).toEqual([expect.stringContaining('resumes at nonce')]);
};

/** Payments whose slot is in the pool and in no block, and that no lane follows. */
const leaveInPool = async (): Promise<TestPayment[]> => {
  await setMining(false);
  const lane = keep(startLane());
  const payments = await gateway.pay(2);
  await eventually(
    async () =>
      (
        await gateway
          .knex('tx_attempts')
          .whereNotNull('last_sent_at')
          .whereIn(
            'slot_id',
            (await openSlots()).map(({ id }) => id as string),
          )
      ).length > 0,
  );
  await lane.stop();
  return payments;
};

it('a nonce used by a stranger is closed where the node keeps no state of its block, and the resumed lane goes on', async () => {
  const { operator } = gateway.keys;
  keep(gateway.startWatcher({ urls: [pruned.url] }));
  const payments = await leaveInPool();
  const [slot] = await openSlots();
  // Dearer, and then out of reach of the state.
  await gateway.send1559(operator, Number(slot.nonce));
  await mine(1);
  await mine(KEPT_BLOCKS * 3);
  await setMining(true);
  const lane = keep(startLane());
  await eventually(async () => (await account()).status === 'paused' && (await openSlots()).length === 0);
  await resume();
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
  expect(await gateway.knex('payments').where('retries_used', '>', 0)).toEqual([]);
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  expect((await account()).status).toBe('active');
  await lane.stop();
});

it('a database that lost its last commits recovers: nothing is created twice, and the lane goes on once it is resumed', async () => {
  const watcher = keep(gateway.startWatcher({ urls: [pruned.url] }));
  await setMining(true);
  const known = await leaveInPool();
  await keepState(gateway.knex);
  // Lost: an attempt that was dearer, the slots of others, and payments.
  const lane = keep(startLane({ bump: 0, bumpBlocks: 0 }));
  const [slot] = await openSlots();
  await eventually(
    async () => (await gateway.knex('tx_attempts').where({ slot_id: slot.id }).whereNotNull('last_sent_at')).length > 1,
  );
  await setMining(true);
  const lost = await gateway.pay(2);
  await allAre(gateway, [...known, ...lost], 'awaiting_payment');
  await Promise.all([lane.stop(), watcher.stop()]);
  await mine(KEPT_BLOCKS * 3);
  await setBack(gateway.knex);
  expect(await gateway.statuses([...known, ...lost])).toEqual(['pending', 'pending', 'missing', 'missing']);

  keep(gateway.startWatcher({ urls: [pruned.url] }));
  keep(startLane());
  await allAre(gateway, known, 'awaiting_payment');
  await eventually(async () => (await account()).status === 'paused' && (await openSlots()).length === 0);
  expect(await gateway.knex('alerts').where({ kind: 'deal_unknown' })).toHaveLength(2);
  await resume();
  const later = await gateway.pay(2);
  await allAre(gateway, later, 'awaiting_payment');
  expect(await timesCreated(gateway, [...known, ...lost, ...later])).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await account()).toMatchObject({ status: 'active' });
  expect(await gateway.knex('payments').where('retries_used', '>', 0)).toEqual([]);
});

it.each(['0x0', '0xffffff'])(
  'a lane resumes at the count of most endpoints, though the leading one counts %s',
  async (count) => {
    const liar = await startProxy(gateway.chain.url);
    liar.tamper = ({ method }, result) => (method === 'eth_getTransactionCount' ? count : result);
    const { rpcUrls } = gateway.network;
    const setUrls = (urls: readonly string[]) => gateway.knex('networks').update({ rpc_urls: urls });
    await setUrls([liar.url, ...rpcUrls, gateway.chain.url]);
    const { operator } = gateway.keys;
    await gateway.send(operator, operator.address, '0x');
    await gateway.knex('signer_accounts').where({ address: operator.address }).update({ status: 'paused' });
    await resume();
    const used = Number(await gateway.rpc.call('eth_getTransactionCount', [operator.address, 'latest']));
    expect(Number((await account()).next_nonce)).toBe(used);
    await setUrls(rpcUrls);
    await liar.close();
  },
);

it('a lane does not resume by one of two endpoints while the other one is silent', async () => {
  const silent = await startProxy(gateway.chain.url);
  silent.mode = '500';
  const { rpcUrls } = gateway.network;
  const setUrls = (urls: readonly string[]) => gateway.knex('networks').update({ rpc_urls: urls });
  await setUrls([...rpcUrls, silent.url]);
  await expect(resume()).rejects.toThrow('too few endpoints report the next nonce');
  await setUrls(rpcUrls);
  await silent.close();
});
