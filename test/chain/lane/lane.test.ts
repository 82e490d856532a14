import { facetDeployCall } from '../../../chain/deploy/deployer.ts';
import { deployTestToken, testTokenAddress, tokenDeployCall } from '../../../tools/stack/tokens.ts';
import { eventually } from '../../support/eventually.ts';
import type { Signer } from '../../../chain/signing/signer.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { release } from '../../../chain/pure/releases.ts';
import { hex } from '../../support/fixtures.ts';
import { refusal } from '../support/data-chains.ts';
import { wantFacets } from '../support/facets.ts';
import { startProxy, type WireRequest } from '../support/proxy.ts';
import { registryCall, startGateway, type Gateway } from '../support/gateway.ts';
import { allAre, allWait, laneFailpoints, stopAfterEach, throwOnceAt, timesCreated } from '../support/running.ts';

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const allConfirmed = () =>
  eventually(async () => (await gateway.knex('tx_slots').whereNot({ state: 'confirmed' })).length === 0);

it('a lane puts many deals on the chain, each once, in few transactions', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  const payments = await gateway.pay(200);
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual(payments.map(() => 1));
  const slots = await gateway.knex('tx_slots').select('*');
  expect(slots.length).toBeLessThan(20);
  await allConfirmed();
  const [account] = await gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId });
  expect(Number(account.next_nonce)).toBe(slots.length);
});

it('a lane stores signed bytes before it sends them', async () => {
  keep(gateway.startWatcher());
  const sent: string[] = [];
  const stored: string[] = [];
  const spy = keep(
    gateway.startLane({
      failpoint: (point) => {
        if (point === 'runLane:before_send') throw new Error('killed');
      },
    }),
  );
  const payments = await gateway.pay(3);
  await expect(spy.ended).rejects.toThrow('killed');
  for (const row of await gateway.knex('tx_attempts').where({ sends: 0 }).select('tx_hash')) {
    stored.push(row.tx_hash as string);
    if ((await gateway.rpc.call('eth_getTransactionByHash', [row.tx_hash])) !== null) sent.push(row.tx_hash as string);
  }
  expect(stored.length).toBeGreaterThan(0);
  expect(sent).toEqual([]);
  keep(gateway.startLane());
  await allAre(gateway, payments, 'awaiting_payment');
  for (const hash of stored) expect(await gateway.rpc.call('eth_getTransactionReceipt', [hash])).not.toBeNull();
});

it.each(laneFailpoints)('a lane that dies at %s is continued by the next run', async (point) => {
  keep(gateway.startWatcher());
  const killer = throwOnceAt(point);
  const first = keep(gateway.startLane({ failpoint: killer.failpoint }));
  const payments = await gateway.pay(5);
  await expect(first.ended).rejects.toThrow(point);
  keep(gateway.startLane());
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1, 1, 1, 1]);
  await allConfirmed();
});

it('a lane gives way to a newer run, and both together create each deal once', async () => {
  keep(gateway.startWatcher());
  const first = keep(gateway.startLane());
  const early = await gateway.pay(10);
  const second = keep(gateway.startLane());
  const late = await gateway.pay(10);
  await allAre(gateway, [...early, ...late], 'awaiting_payment');
  expect(await timesCreated(gateway, [...early, ...late])).toEqual(Array.from({ length: 20 }, () => 1));
  // The older run only notices when it wants to write.
  await gateway.pay(1);
  await first.ended;
  const [account] = await gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId });
  expect(Number(account.fence)).toBeGreaterThan(1);
  await second.stop();
});

it('a lane waits without funds, and goes on when it has some', async () => {
  const { address } = gateway.keys.operator;
  const balance = await gateway.rpc.call('eth_getBalance', [address, 'latest']);
  await gateway.rpc.call('anvil_setBalance', [address, '0x0']);
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  const payments = await gateway.pay(2);
  await allWait(gateway, payments, 'operator_underfunded');
  expect(await gateway.knex('alerts').where({ kind: 'operator_underfunded' })).toHaveLength(1);
  await gateway.rpc.call('anvil_setBalance', [address, balance]);
  await allAre(gateway, payments, 'awaiting_payment');
  const rows = await gateway.knex('payments').where({ id: payments[0]?.id });
  expect(rows[0]).toMatchObject({ status_detail: null, retries_used: 0 });
});

it('a lane waits while the registry is paused and while its role is revoked', async () => {
  const { root, guardian, operator } = gateway.keys;
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  await gateway.send(guardian, gateway.registry, registryCall('setPaused', true));
  const paused = await gateway.pay(2);
  await allWait(gateway, paused, 'network_paused');
  await gateway.send(root, gateway.registry, registryCall('setPaused', false));
  await allAre(gateway, paused, 'awaiting_payment');

  await gateway.send(guardian, gateway.registry, registryCall('setRole', roleIds.operator, operator.address, false));
  const revoked = await gateway.pay(2);
  await allWait(gateway, revoked, 'operator_revoked');
  await gateway.send(root, gateway.registry, registryCall('setRole', roleIds.operator, operator.address, true));
  await allAre(gateway, revoked, 'awaiting_payment');
  const rows = await gateway.knex('payments').where('retries_used', '>', 0);
  expect(rows).toEqual([]);
});

it('a deal that waits shows the present reason, also one that it has shown before', async () => {
  const { root, guardian, operator } = gateway.keys;
  const setRole = (signer: Signer, enabled: boolean) =>
    gateway.send(signer, gateway.registry, registryCall('setRole', roleIds.operator, operator.address, enabled));
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  await setRole(guardian, false);
  const payments = await gateway.pay(2);
  await allWait(gateway, payments, 'operator_revoked');
  await gateway.send(guardian, gateway.registry, registryCall('setPaused', true));
  await setRole(root, true);
  await allWait(gateway, payments, 'network_paused');
  await setRole(guardian, false);
  // The lane tells a later payment what it tells all of them.
  const [later] = await gateway.pay(1);
  await allWait(gateway, [later!], 'operator_revoked');
  const ids = payments.map(({ id }) => id);
  const details = await gateway.knex('payments').whereIn('id', ids).pluck('status_detail');
  expect(details).toEqual(['operator_revoked', 'operator_revoked']);
  await setRole(root, true);
  await gateway.send(root, gateway.registry, registryCall('setPaused', false));
  await allAre(gateway, [...payments, later!], 'awaiting_payment');
});

it('an endpoint that denies access to transactions is reported once it has done so for long, and not before', async () => {
  const proxy = await startProxy(gateway.chain.url);
  keep({ ended: Promise.resolve(), stop: () => proxy.close() });
  proxy.rewrite = (request) =>
    request.method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message: 'unauthorized' } } : request;
  const sends = (): number => proxy.seen.filter((method) => method === 'eth_sendRawTransaction').length;
  const reports = () => gateway.knex('alerts').where({ kind: 'endpoint_refuses' }).pluck('message');
  const startLane = (unreachable: number) =>
    keep(gateway.startLane({ urls: [proxy.url], network: { quorum: 1 }, timing: { missing: 100, unreachable } }));
  keep(gateway.startWatcher());
  const patient = startLane(3_600_000);
  const payments = await gateway.pay(1);
  await eventually(() => sends() > 2);
  expect(await reports()).toEqual([]);
  await patient.stop();
  startLane(300);
  await eventually(async () => (await reports()).length > 0);
  expect(await reports()).toEqual([
    expect.stringContaining('eth_sendRawTransaction, which sending needs: unauthorized'),
  ]);
  proxy.rewrite = null;
  await allAre(gateway, payments, 'awaiting_payment');
});

it("a lane sends a deployment's call in a slot of its own, and skips a facet that somebody else has deployed", async () => {
  keep(gateway.startWatcher());
  const token = { name: 'Lane', symbol: 'LANE', decimals: 6 };
  const { upgrader, settled } = await wantFacets(gateway, {
    present: facetDeployCall(release.facets.at(-1)!),
    missing: tokenDeployCall(token),
  });
  keep(gateway.startLane(upgrader));
  const intents = await settled();
  expect(intents.map((intent) => [intent.outcome, intent.slot_id === null])).toEqual([
    ['effective', false],
    ['effective', true],
  ]);
  expect(await gateway.rpc.call('eth_getCode', [testTokenAddress(token), 'latest'])).not.toBe('0x');
  expect(await deployTestToken(gateway.rpc, gateway.keys.stranger, gateway.network.eip155, token)).toBe(
    testTokenAddress(token),
  );
});

/** Code whose memory costs about 18 million gas, and an endpoint no time. */
const DEAR_CODE = '0x5f622ee0005200';

it.each([
  ['by its estimate', (request: WireRequest) => request],
  [
    'by the endpoint, which gives no estimate',
    (request: WireRequest) => {
      const { to } = (request.params[0] ?? {}) as { to?: string };
      const isDear = request.method === 'eth_estimateGas' && to?.startsWith('0xdea4');
      return isDear ? refusal('gas required exceeds allowance (16777216)') : request;
    },
  ],
])('a call that needs more gas than a transaction may have, %s, delays no other', async (how, rewrite) => {
  const dear = { to: `0xdea4${hex(18).slice(2)}`, data: hex(64) };
  await gateway.rpc.call('anvil_setCode', [dear.to, DEAR_CODE]);
  const token = { name: how, symbol: 'NEXT', decimals: 6 };
  const { upgrader } = await wantFacets(gateway, { dear, next: tokenDeployCall(token) });
  const proxy = await startProxy(gateway.chain.url);
  keep({ ended: Promise.resolve(), stop: () => proxy.close() });
  proxy.rewrite = rewrite;
  keep(gateway.startWatcher());
  keep(gateway.startLane({ ...upgrader, urls: [proxy.url], timing: { unreachable: 1_000 } }));
  await eventually(async () => (await gateway.rpc.call('eth_getCode', [testTokenAddress(token), 'latest'])) !== '0x');
  const intent = await gateway.knex('tx_intents').where({ to_address: dear.to }).first();
  expect(intent).toMatchObject({ state: 'queued', waiting: 'simulation_failed' });
  const [alert] = await gateway.knex('alerts').where({ kind: 'simulation_failed', data: { to: dear.to } });
  expect(alert.message).toMatch(/cannot be sent: .*gas/);
  await gateway.knex('tx_intents').where({ id: intent.id }).update({ state: 'withdrawn', waiting: null });
});

it('a lane skips a deployed facet although one of three endpoints says that it is absent', async () => {
  const { upgrader, settled } = await wantFacets(gateway, { present: facetDeployCall(release.facets[0]!) });
  const { url } = gateway.chain;
  const liar = await startProxy(url);
  liar.rewrite = (request) => (request.method === 'eth_getCode' ? { result: '0x' } : request);
  keep(gateway.startLane({ ...upgrader, urls: [liar.url, url, url], network: { quorum: 2 } }));
  expect(await settled()).toMatchObject([{ outcome: 'effective', slot_id: null }]);
  await liar.close();
});
