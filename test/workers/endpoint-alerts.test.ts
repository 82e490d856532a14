import { randomUUID } from 'node:crypto';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { raiseAlerts } from '../../db/alerts/alerts.ts';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { connect } from '../../db/connection.ts';
import { recordLife } from '../../db/processes/processes.ts';
import { watchedNetwork } from '../../db/watcher/networks.ts';
import { rpc as ask, type Chain } from '../../tools/stack/chain.ts';
import { createEndpointAlerts } from '../../workers/networks.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { startTestChain } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createWorld } from '../support/fixtures.ts';

let knex: ReturnType<typeof connect>;
let chain: Chain;
let proxy: Proxy;
const lines: string[] = [];
const note = (message: string): void => void lines.push(message);
const log = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  chain = await startTestChain();
  proxy = await startProxy(chain.url);
});
afterAll(async () => {
  await proxy.close();
  await chain.stop();
  await knex.destroy();
});

const storeNetwork = async (rpcUrls: string[], eip155?: number) => {
  const { networkId } = await createWorld(knex, { rpcUrls, ...(eip155 === undefined ? {} : { eip155 }) });
  return (await watchedNetwork(knex, networkId))!;
};
/** Shows another block than the one that was asked for. */
const lie: Proxy['tamper'] = (_, result) => ({ ...(result as object), number: '0x5' });
const firstBlock = { method: 'eth_getBlockByNumber', params: ['0x0', false] };
const openOf = ({ id }: { id: string }) =>
  knex('alerts').where({ network_id: id, closed_at: null }).orderBy('id').select('kind', 'data', 'message');

it('a demoted endpoint has one alert, which ends once the endpoint was well for a while', async () => {
  const network = await storeNetwork([chain.url, proxy.url], Number(await ask(chain.url, 'eth_chainId')));
  const alerts = createEndpointAlerts(network, { knex, log, wellMs: 0 });
  const { eip155, blockTimeMs } = network;
  const rpc = createRpc({ urls: network.rpcUrls, eip155, blockTimeMs, report: alerts.report });
  proxy.tamper = lie;
  await rpc.everyone([firstBlock]);
  const [open] = await eventually(async () => {
    const rows = await openOf(network);
    return rows.length > 0 && rows;
  });
  expect(open).toMatchObject({ kind: 'endpoint_at_rest', data: { endpoint: 2 } });
  // It is demoted for half a minute because it lies.
  await eventually(() => rpc.preferred().length === 1);
  await alerts.closeWell(rpc);
  expect(await openOf(network)).toHaveLength(1);

  await alerts.closeOwn(rpc);
  expect(await openOf(network)).toHaveLength(1);

  // Another client, which has called no endpoint, has no evidence that it is well.
  const idle = createRpc({ urls: network.rpcUrls, eip155, blockTimeMs });
  await createEndpointAlerts(network, { knex, log, wellMs: 0 }).closeWell(idle);
  expect(await openOf(network)).toHaveLength(1);

  // A client that starts anew has nothing against the endpoint.
  proxy.tamper = null;
  const later = createEndpointAlerts(network, { knex, log, wellMs: 1_000 });
  const fresh = createRpc({ urls: network.rpcUrls, eip155, blockTimeMs, report: later.report });
  await fresh.everyone([{ method: 'eth_blockNumber' }]);
  await later.closeWell(fresh);
  expect(await openOf(network)).toHaveLength(1);
  await eventually(async () => {
    await later.closeWell(fresh);
    return (await openOf(network)).length === 0;
  });
  expect(lines.filter((line) => line.startsWith('Over: '))).toHaveLength(1);
});

it('the process that has raised the alert ends it as soon as the endpoint was well for a while', async () => {
  const network = await storeNetwork([chain.url, proxy.url]);
  const alerts = createEndpointAlerts(network, { knex, log, wellMs: 500 });
  const { rpcUrls: urls, blockTimeMs } = network;
  const rpc = createRpc({ urls, eip155: null, blockTimeMs, report: alerts.report });
  const poll = () => rpc.everyone([{ method: 'eth_blockNumber' }]);
  proxy.mode = 'refuse';
  await eventually(async () => {
    await poll();
    return (await openOf(network)).length === 1;
  });
  proxy.mode = 'pass';
  // For another process, which does not decide, it was well all the time.
  const other = createEndpointAlerts(network, { knex, log, wellMs: 0 });
  const another = createRpc({ urls, eip155: null, blockTimeMs, report: other.report });
  await another.everyone([{ method: 'eth_blockNumber' }]);
  await other.closeOwn(another);
  expect(await openOf(network)).toHaveLength(1);
  await eventually(async () => {
    await poll();
    await alerts.closeOwn(rpc);
    return (await openOf(network)).length === 0;
  });
});

it('the finding of a check ends when a later check does not find it, or the endpoint has left the catalogue', async () => {
  // Another chain than the catalogue says, which is found anew.
  const network = await storeNetwork([chain.url]);
  const stale = { kind: 'endpoint_unfit', subject: network.id, cause: 'a', message: 'an endpoint was unfit' } as const;
  const gone = {
    kind: 'endpoint_at_rest',
    subject: network.id,
    cause: '3',
    message: 'the third is demoted',
    data: { endpoint: 3 },
  } as const;
  await raiseAlerts(knex, network.id, [stale, gone]);
  const alerts = createEndpointAlerts(network, { knex, log, wellMs: 0 });
  await alerts.check();
  const unfit = (await openOf(network)).filter(({ kind }) => kind === 'endpoint_unfit');
  expect(unfit).toEqual([expect.objectContaining({ message: expect.stringContaining('serves chain') })]);
  await alerts.closeWell(createRpc({ urls: network.rpcUrls, eip155: network.eip155 }));
  expect((await openOf(network)).map(({ kind }) => kind)).not.toContain('endpoint_at_rest');
});

it('a silent endpoint without another one logs one line, and raises no alert about a failover', async () => {
  proxy.mode = 'refuse';
  const network = await storeNetwork([proxy.url]);
  const alerts = createEndpointAlerts(network, { knex, log, wellMs: 100 });
  const rpc = createRpc({ urls: network.rpcUrls, eip155: null, report: alerts.report });
  lines.length = 0;
  for (let failures = 0; failures < 4; failures += 1) await rpc.call('eth_blockNumber').catch(() => undefined);
  proxy.mode = 'pass';
  proxy.tamper = lie;
  await rpc.batch([firstBlock]).catch(() => undefined);
  await eventually(async () => (await openOf(network)).length > 0);
  // A liar raises an alert also where no other endpoint is asked.
  const [told, ...others] = (await openOf(network)).map(({ message }) => message as string);
  expect([told, others]).toEqual([expect.stringContaining('1 of 1 is not trusted for now'), []]);
  expect(lines.filter((line) => line === 'An RPC endpoint was demoted')).toHaveLength(2);
  proxy.tamper = null;
});

it('two endpoints that contradict each other share an alert, because neither is known to be right', async () => {
  const network = await storeNetwork([proxy.url, proxy.url]);
  const { report } = createEndpointAlerts(network, { knex, log, wellMs: 0 });
  const reason = 'is behind the other one, or the other one reports blocks that do not exist';
  report({ endpoint: 1, reason, demotionMs: 1, isLasting: true, isLie: false, against: 0, hasOther: true });
  const [told] = await eventually(async () => {
    const rows = await openOf(network);
    return rows.length > 0 && rows;
  });
  expect(told).toMatchObject({
    kind: 'endpoint_at_rest',
    message: expect.stringContaining('RPC endpoints 2 and 1 contradict each other, and nobody knows which is right'),
  });
});

it('an alert of a lost worker ends soon, unless another worker finds the same', async () => {
  const network = await storeNetwork([proxy.url, proxy.url, proxy.url]);
  const lasting = { reason: 'silent', demotionMs: 1, isLasting: true, isLie: false, against: null, hasOther: true };
  const told = async (process: string, endpoint: number): Promise<void> => {
    createEndpointAlerts(network, { knex, log, wellMs: 0, process }).report({ ...lasting, endpoint });
    await eventually(async () =>
      (await openOf(network)).some(({ data }) => data.process === process && data.endpoint === endpoint + 1),
    );
  };
  const live = (name: string) => recordLife(knex, { id: randomUUID(), kind: 'worker', name }, true);
  await live('1@gone');
  await told('1@gone', 0);
  await told('1@gone', 1);
  await live('2@here');
  await told('2@here', 1);
  const ended = (): Promise<unknown> => knex('processes').where({ name: '1@gone' }).update({ stopped_at: new Date() });
  await ended();
  await closeWhatIsOver(knex);
  // The next worker has two minutes to see for itself.
  expect(await openOf(network)).toHaveLength(2);
  const silentFor = "clock_timestamp() - interval '121 seconds'";
  await knex('processes')
    .where({ name: '1@gone' })
    .update({ beat_at: knex.raw(silentFor) });
  await closeWhatIsOver(knex);
  expect((await openOf(network)).map(({ data }) => data.endpoint)).toEqual([2]);
});

it('an endpoint that keeps its place in spite of a failure logs a line', async () => {
  const network = await storeNetwork([proxy.url]);
  const { report } = createEndpointAlerts(network, { knex, log, wellMs: 0 });
  lines.length = 0;
  const trouble = {
    endpoint: 0,
    reason: 'silent',
    demotionMs: 1,
    isLasting: false,
    isLie: false,
    against: null,
    hasOther: true,
  };
  for (let times = 0; times < 3; times += 1) report(trouble);
  await eventually(() => lines.length > 1);
  expect(lines).toEqual(['An RPC endpoint was demoted', 'An RPC endpoint has recovered']);
});
