import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { HDNodeWallet } from 'ethers';
import type { Knex } from 'knex';
import { createDeploymentActivities, type StepOutcome } from '../../../activities/deployment.ts';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { diamondAddress } from '../../../chain/pure/platform.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { connect } from '../../../db/connection.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { requestDeployment } from '../../../db/wallets/request-deployment.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { Deployer } from '../../../domain/ports/deployment.ts';
import { faultOf } from '../../../domain/version-check.ts';
import { devMnemonic, type Chain } from '../../../tools/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld, hex, type World } from '../../support/fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { quiet } from '../support/gateway.ts';
import '../support/running.ts';

let chain: Chain;
let rpc: Rpc;
let knex: Knex;
let world: World;
let deployer: Deployer;
const [root, operator, upgrader, guardian, stranger] = [0, 1, 2, 3, 4].map((index) =>
  createKeySigner(HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`).privateKey),
);
const ours: Platform = { firstRoot: root!.address, approvalDelay: 0n, id: hex(32) };
/** The same contracts by the same root, with a registry of their own. */
const others: Platform = { ...ours, id: hex(32) };
const networkOf = (platform: Platform) => ({
  name: 'test',
  eip155: 31337,
  confirmations: 3,
  quorum: 1,
  platform,
  root: root!.address,
  guardian: guardian!.address,
});

beforeAll(async () => {
  const [started, { url }] = await Promise.all([startTestChain(), createTestDatabase()]);
  chain = started;
  knex = connect(url, { pool: 5 });
  rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
  deployer = createDeployer({ network: networkOf(ours), rpc });
  for (const platform of [ours, others]) {
    await prepareNetwork({
      network: networkOf(platform),
      rpc,
      rootSigner: root!,
      operators: [operator!.address],
      upgraders: [upgrader!.address],
    });
  }
});

afterAll(async () => {
  await knex.destroy();
  await chain.stop();
});

beforeEach(async () => {
  world = await createWorld(knex, { diamondStatus: null });
});

/** Within reach are all nodes. */
const anybody = () => Promise.resolve(true);

/** A diamond that anybody made at a registry for some node and wallet. */
const createDiamond = async (
  platform: Platform,
  [nodeId, walletId]: readonly [string, string] = [world.nodeId, randomUUID()],
): Promise<string> => {
  const call = createDeployer({ network: networkOf(platform), rpc }).createDiamondCall(nodeId, walletId);
  await sendCalls(rpc, stranger!, chain.chainId, [{ what: 'diamond', ...call }]);
  return diamondAddress(platform, nodeId, walletId);
};

/** Runs the deployment of the wallet, at an address that somebody has given it, as far as it goes. */
const deployAt = async (
  address: string,
  adoptedBy: string | null = null,
  integrationId: string | null = null,
): Promise<StepOutcome> => {
  const activities = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: () => Promise.resolve(deployer),
    networkTrouble: () => null,
    log: quiet,
    failpoint: () => {},
  });
  const { walletId, networkId } = world;
  await knex('wallets').where({ id: walletId }).update({ address, adopted: true, adopted_by: adoptedBy });
  await requestDeployment(knex, { walletId, networkId, integrationId });
  let outcome: StepOutcome | null = null;
  await eventually(async () => {
    const step = await activities.nextStep(walletId, networkId);
    if (step === null) return true;
    outcome = await new MockActivityEnvironment().run(() => activities.runStep(walletId, networkId, step.id));
    return false;
  });
  return outcome!;
};

const diamond = () => knex('diamonds').where({ wallet_id: world.walletId }).first();
const failedStep = () =>
  knex('deployment_steps').where({ status: 'failed' }).orderBy('updated_at', 'desc').first('key', 'error_code');
/** The intents of the deployment. */
const intents = () => knex('tx_intents').where({ account_id: world.upgraderAccountId });

it('a diamond that our registry created for another wallet is adopted without a transaction', async () => {
  const address = await createDiamond(ours);
  expect(await deployAt(address)).toMatchObject({ status: 'completed', detail: null });
  expect(await diamond()).toMatchObject({ address, status: 'active' });
  expect(await intents()).toEqual([]);
});

describe("Only diamonds in the caller's reach are adopted", () => {
  /** Another merchant of the same platform, and an integration of a node. */
  const merchant = async (parent: string | null): Promise<string> => {
    const id = randomUUID();
    const path = parent === null ? [id] : [parent, id];
    await knex('nodes').insert({ id, name: 'other', parent_id: parent, path });
    return id;
  };
  const integrationOf = async (nodeId: string): Promise<string> => {
    const id = randomUUID();
    await knex('integrations').insert({
      id,
      node_id: nodeId,
      name: id,
      api_key: id,
      secret_hash: Buffer.alloc(32),
      permissions: [],
    });
    return id;
  };

  it('a diamond that the registry made for another merchant is refused', async () => {
    const address = await createDiamond(ours, [await merchant(null), randomUUID()]);
    for (const adoptedBy of [null, world.nodeId]) {
      expect(await deployAt(address, adoptedBy)).toMatchObject({ status: 'failed' });
      expect(await failedStep()).toEqual({ key: 'deploy_diamond', error_code: 'not_our_diamond' });
    }
    expect(await diamond()).toMatchObject({ status: 'deploying' });
  });

  it('a diamond made for a node below the caller is adopted', async () => {
    const address = await createDiamond(ours, [await merchant(world.nodeId), randomUUID()]);
    expect(await deployAt(address, world.nodeId)).toMatchObject({ status: 'completed' });
  });

  it("a parent's deployment lends its child no reach, unless the parent gave the address itself", async () => {
    const [parent, child] = [world.nodeId, await merchant(world.nodeId)];
    const address = await createDiamond(ours, [await merchant(parent), randomUUID()]);
    await knex('wallets').where({ id: world.walletId }).update({ node_id: child });
    const caller = await integrationOf(parent);
    expect(await deployAt(address, child, caller)).toMatchObject({ status: 'failed' });
    expect(await failedStep()).toEqual({ key: 'deploy_diamond', error_code: 'not_our_diamond' });
    expect(await deployAt(address, parent, caller)).toMatchObject({ status: 'completed' });
  });
});

it("a diamond of another registry is refused, though its code and its loupe are a diamond's", async () => {
  const address = await createDiamond(others);
  const theirs = createDeployer({ network: networkOf(others), rpc });
  expect(faultOf(await theirs.inspect(address, 'newest'))).toBeNull();
  expect(await deployAt(address)).toMatchObject({ status: 'failed' });
  expect(await failedStep()).toEqual({ key: 'deploy_diamond', error_code: 'not_our_diamond' });
  expect(await diamond()).toMatchObject({ status: 'deploying' });
  expect(await intents()).toEqual([]);
});

it('Carat creates nothing for an adopted wallet; the deployment goes on once somebody else did', async () => {
  const salt: [string, string] = [world.nodeId, randomUUID()];
  const address = diamondAddress(ours, ...salt);
  expect(await deployAt(address)).toMatchObject({ status: 'failed' });
  expect(await failedStep()).toEqual({ key: 'deploy_diamond', error_code: 'adopted_diamond_missing' });
  expect(await intents()).toEqual([]);
  await createDiamond(ours, salt);
  expect(await deployAt(address)).toMatchObject({ status: 'completed', detail: null });
  expect(await diamond()).toMatchObject({ address, status: 'active' });
  expect(await intents()).toEqual([]);
});

it('an account without code and a contract of another kind are refused', async () => {
  expect(await deployer.refuseAdoption(stranger!.address, anybody)).toMatchObject({ code: 'adopted_diamond_missing' });
  expect(await deployer.refuseAdoption('0x4e59b44847b379578588920ca78fbf26c0b4956c', anybody)).toMatchObject({
    code: 'not_our_diamond',
  });
});
