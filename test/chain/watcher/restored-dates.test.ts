import { restored } from '../../../cli/backup/restore.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { callCommand } from '../../support/carat.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import { keepState, setBack } from '../support/set-back.ts';
import { eventually } from '../../support/eventually.ts';

/* After a restore, one endpoint of three, with a quorum of two, dates the blocks that it shows to hours from now. */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, blockTime: 0.2 });
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const startAll = () => [keep(gateway.startWatcher()), keep(gateway.startLane({ timing: { foreign: 500 } }))];
const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();

it('one endpoint alone does not end the lost time, and with it a payment whose deal is on the chain', async () => {
  let runs = startAll();
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  await Promise.all(runs.map((run) => run.stop()));
  const [known] = await gateway.pay(1);
  await keepState(gateway.knex);
  const at = Number((await cursor()).number);
  await eventually(async () => Number(await gateway.rpc.call('eth_blockNumber')) > at + 6);
  runs = startAll();
  await allAre(gateway, [known!], 'awaiting_payment');
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  const height = Number((await rowOf(known!)).deal_block_number) - 1;
  expect(height).toBeGreaterThan(at + 4);
  await Promise.all(runs.map((run) => run.stop()));
  await setBack(gateway.knex);
  await callCommand(restored, [], { CARAT_DATABASE_URL: gateway.databaseUrl }, []);
  await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: known!.id, actorId: null }));
  await decideCancel(gateway.knex, known!.id);
  expect((await rowOf(known!)).status).toBe('canceling');

  const troubles: string[] = [];
  const still = `0x${height.toString(16)}`;
  const later = `0x${Math.floor(Date.now() / 1_000 + 7_200).toString(16)}`;
  const liar = proxies[0]!;
  liar.rewrite = (request) => {
    const [block] = request.params;
    if (request.method === 'eth_blockNumber') return { result: still };
    if (request.method !== 'eth_getBlockByNumber') return request;
    if (block === 'latest') return { ...request, params: [still, false] };
    return Number(block) > Number(still) ? { result: null } : request;
  };
  liar.tamper = ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && params[0] !== '0x0' && result !== null
      ? { ...(result as object), timestamp: later }
      : result;
  keep(
    gateway.startWatcher({
      urls: proxies.map(({ url }) => url),
      network: { quorum: 2 },
      report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
      log: {
        debug: () => {},
        info: (text, more) => void troubles.push(`${text} ${JSON.stringify(more)}`),
        warn: (text, more) => void troubles.push(`${text} ${JSON.stringify(more)}`),
        error: (text, more) => void troubles.push(`${text} ${JSON.stringify(more)}`),
      },
    }),
  );
  await eventually(async () => Number((await cursor()).number) >= height);
  const seen = liar.exchanges.length;
  await eventually(() => liar.exchanges.length > seen + 10 || troubles.some((trouble) => trouble.startsWith('0: ')));
  // The chain goes on, and leaves the liar behind.
  await gateway.rpc.call('anvil_mine', ['0x28']);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
  // The lost blocks are read, by whichever endpoint: the deal is there, so only a transaction can cancel it, and no lane is at work.
  await eventually(async () => {
    const row = await cursor();
    return Number(row.confirmed_number) > height && row.is_behind_restore === false;
  }, 30_000);
  const { status, status_detail: detail } = await rowOf(known!);
  expect({ status, detail, troubles }).toMatchObject({ status: 'canceling', detail: null });
});
