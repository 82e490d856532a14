import { MockActivityEnvironment } from '@temporalio/testing';
import type { Knex } from 'knex';
import { createDeploymentActivities, type StepOutcome } from '../../../activities/deployment.ts';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { quantity } from '../../../chain/rpc/calls.ts';
import { createRpc } from '../../../chain/rpc/rpc.ts';
import { connect } from '../../../db/connection.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { requestUpdate } from '../../../db/wallets/request-deployment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld } from '../../support/fixtures.ts';
import { newest, startDiamonds, type Diamonds } from '../support/diamonds.ts';
import { quiet } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

/* A diamond was cut to the newest release by hand, so that its update has nothing to do. */

let diamonds: Diamonds;
let knex: Knex;
let proxies: Proxy[];

beforeAll(async () => {
  const [started, { url }] = await Promise.all([startDiamonds(), createTestDatabase()]);
  diamonds = started;
  knex = connect(url, { pool: 3 });
  proxies = await Promise.all([1, 2].map(() => startProxy(diamonds.chain.url)));
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await knex.destroy();
  await diamonds.stop();
});

it('the update waits where its last step asks an endpoint that has not confirmed the cut, and ends well', async () => {
  const { network, rpc, keys, chain, create, setRelease, send, deployer } = diamonds;
  const [prompt, late] = proxies as [Proxy, Proxy];
  const { address, ...made } = await create();
  await setRelease(newest.version);
  const { cut } = await deployer.inspect(address);
  await send(keys.upgrader, { what: 'cut', to: cut!.to, data: cut!.data });
  const filter = { fromBlock: '0x0', toBlock: 'latest', address };
  const logs = (await rpc.call('eth_getLogs', [filter])) as { blockNumber: string }[];
  const own = await createWorld(knex, { diamondAddress: address, ...made });
  await requestUpdate(knex, { ...own, integrationId: null }, null);
  const asked = createRpc({ urls: proxies.map(({ url }) => url), eip155: chain.chainId });
  const { nextStep, runStep } = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: () => Promise.resolve(createDeployer({ network, rpc: asked })),
    networkTrouble: () => null,
    log: quiet,
    failpoint: () => {},
  });
  const step = async (): Promise<string> => {
    const { id, key } = (await nextStep(own.walletId, own.networkId))!;
    const trying = new MockActivityEnvironment().run(() => runStep(own.walletId, own.networkId, id));
    const { status } = (await trying) as StepOutcome;
    return `${key}:${status}`;
  };
  const done = ['preflight', 'deploy_facets', 'cut', 'verify'].map((key) => `${key}:completed`);
  for (const outcome of done) expect(await step()).toBe(outcome);

  // The newest confirmed block of this endpoint is the one before the cut.
  const tip = quantity(Number(logs.at(-1)!.blockNumber) + network.confirmations - 2);
  prompt.mode = '500';
  late.rewrite = (request) => {
    if (request.method === 'eth_blockNumber') return { result: tip };
    return request.method === 'eth_getBlockByNumber' && request.params[0] === 'latest'
      ? { ...request, params: [tip, false] }
      : request;
  };
  expect(await step()).toBe('activate:waiting');
  [prompt.mode, late.rewrite] = ['pass', null];
  expect(await step()).toBe('activate:completed');
});
