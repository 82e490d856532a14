import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { NONSENSE_CODE } from '../support/liar.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3 });
});
afterAll(() => gateway.close());

const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();

it('unreadable words of a payment without a due judgement raise one alert, also in the next run, until they are read', async () => {
  const alerts = () => gateway.knex('alerts').where({ kind: 'words_unreadable' });
  const watch = { unreadable: 500, recheck: 200, again: 50 };
  keep(gateway.startLane());
  const first = keep(gateway.startWatcher({ watch }));
  const [payment] = await gateway.pay(1, { expiresIn: 3_600 });
  await allAre(gateway, [payment!], 'awaiting_payment');
  await gateway.knex('alerts').delete();
  const { diamondAddress } = gateway.world;
  const code = await gateway.rpc.call('eth_getCode', [diamondAddress, 'latest']);
  await gateway.rpc.call('anvil_setCode', [diamondAddress, NONSENSE_CODE]);
  const row = () => gateway.knex('payments').where({ id: payment!.id }).first();
  const detail = async () => (await row()).status_detail;
  await eventually(async () => (await detail()) === 'words_unreadable');
  const blocks = async () => {
    const from = Number((await cursor()).number);
    await eventually(async () => Number((await cursor()).number) > from + 8);
  };
  await blocks();
  await first.stop();
  keep(gateway.startWatcher({ watch }));
  await blocks();
  expect(await alerts()).toMatchObject([{ closed_at: null }]);
  await gateway.rpc.call('anvil_setCode', [diamondAddress, code]);
  await eventually(async () => (await alerts())[0].closed_at !== null);
  await eventually(async () => (await detail()) === null);
  expect(await alerts()).toHaveLength(1);
  expect((await row()).status).toBe('awaiting_payment');
});
