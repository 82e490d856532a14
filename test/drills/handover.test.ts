import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HDNodeWallet } from 'ethers';
import type { Knex } from 'knex';
import { dump } from 'js-yaml';
import { createDeploymentActivities, type StepOutcome } from '../../activities/deployment.ts';
import { deployCall } from '../../chain/deploy/deployer.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { release } from '../../chain/pure/releases.ts';
import { termsHash } from '../../chain/pure/deal-encoding.ts';
import { batcherAddress, diamondAddress, platformInitCodes, registryAddress } from '../../chain/pure/platform.ts';
import { decodeRevert } from '../../chain/pure/revert-reason.ts';
import { roleIds } from '../../chain/pure/roles.ts';
import { codes, views } from '../../chain/rpc/calls.ts';
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import { createKeystore, openKeystore, PUBLIC_KEYS_COST, type Keystore } from '../../chain/signing/keystore.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { derivedId } from '../../db/catalogue/apply.ts';
import { platformOfChain } from '../../db/catalogue/reads.ts';
import { connect } from '../../db/connection.ts';
import { isLaneOver, accountsWithLane } from '../../db/lane/accounts.ts';
import { createNotifications, type Notifications } from '../../db/outbox/notifications.ts';
import { insertDealIntents } from '../../db/intents/deals.ts';
import { createDeploymentStore } from '../../db/wallets/deployment-store.ts';
import { requestDeployment } from '../../db/wallets/request-deployment.ts';
import { insertWallet } from '../../db/wallets/wallets.ts';
import { watchedNetworks } from '../../db/watcher/networks.ts';
import { devMnemonic, type Chain } from '../../tools/stack/chain.ts';
import { ZERO_ADDRESS, type DealTerms } from '../../domain/deal.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createChainParts, type ChainParts } from '../../workers/chain.ts';
import { createNetworks } from '../../workers/networks.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { carat, type Outcome } from '../support/carat.ts';
import { startTestChain } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, hex, type World } from '../support/fixtures.ts';

/*
 * The life of an installation as in docs/operations: root is handed over, a network comes later, keys are rotated. The
 * commands are processes; lanes, watchers and deployments are those of a worker.
 */

const keyAt = (index: number) => HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`);
const names = ['root', 'newRoot', 'guardian', 'operator', 'upgrader', 'newOperator', 'newUpgrader', 'buyer'] as const;
type Name = (typeof names)[number];
const keys = Object.fromEntries(
  names.map((name, index) => [name, createKeySigner(keyAt(index).privateKey)]),
) as unknown as Record<Name, ReturnType<typeof createKeySigner>>;
const addressOf = (name: Name): string => keys[name].address;

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const networks = { alpha: 31_337, beta: 31_338 } as const;
type NetworkName = keyof typeof networks;

let chains: Record<NetworkName, Chain>;
let rpcs: Record<NetworkName, Rpc>;
let knex: Knex;
let dir: string;
let env: Record<string, string>;
let parts: ChainParts;
let notifications: Notifications;
const stopping = new AbortController();
const engines = new Map<string, Promise<unknown>>();

beforeAll(async () => {
  const [alpha, beta, { url }] = await Promise.all([
    startTestChain({ chainId: networks.alpha }),
    startTestChain({ chainId: networks.beta }),
    createTestDatabase(),
  ]);
  chains = { alpha, beta };
  rpcs = {
    alpha: createRpc({ urls: [alpha.url], eip155: networks.alpha }),
    beta: createRpc({ urls: [beta.url], eip155: networks.beta }),
  };
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-handover-'));
  env = { CARAT_DATABASE_URL: url, CARAT_KEYSTORE_PASSPHRASE: 'correct horse' };
  knex = connect(url, { pool: 10 });
  notifications = createNotifications({ url, log: quiet });
  for (const name of ['root', 'newRoot', 'guardian'] as const) await keystoreOf(name, [name]);
  const keystore = await keystoreOf('worker', ['operator', 'upgrader', 'newOperator', 'newUpgrader']);
  const known = createNetworks({ knex, log: quiet });
  parts = createChainParts({
    lowFunds: 0,
    knex,
    keystore,
    networks: known,
    notifications,
    masterKey: randomBytes(32),
    log: quiet,
    failpoint: () => {},
  });
});

afterAll(async () => {
  stopping.abort();
  await Promise.allSettled(engines.values());
  await notifications.stop();
  await knex.destroy();
  await Promise.all(Object.values(chains).map((chain) => chain.stop()));
  fs.rmSync(dir, { recursive: true, force: true });
});

const fileOf = (keystore: string): string => path.join(dir, `${keystore}.json`);

const keystoreOf = async (file: string, owners: readonly Name[]): Promise<Keystore> => {
  const privateKeys = owners.map((owner) => keyAt(names.indexOf(owner)).privateKey);
  await createKeystore(fileOf(file), 'correct horse', privateKeys, PUBLIC_KEYS_COST);
  return openKeystore(fileOf(file), 'correct horse');
};

const done = async (...args: string[]): Promise<Outcome> => {
  const outcome = await carat(args, env);
  if (outcome.code !== 0) throw new Error(`carat ${args.join(' ')}: ${outcome.err}`);
  return outcome;
};

/** Chains by name; tests of refusals change them. */
const chainOf = {
  Main: { root: 'root', id: `0x${'01'.repeat(32)}` },
  Later: { root: 'newRoot', id: `0x${'02'.repeat(32)}` },
};

interface Entry {
  readonly name: NetworkName;
  readonly chain: keyof typeof chainOf;
  readonly operators: readonly Name[];
  readonly upgrader: Name;
  readonly root?: Name;
}

const apply = (entries: readonly Entry[]): Promise<Outcome> => {
  const file = path.join(dir, 'catalogue.yaml');
  const catalogue = {
    nodes: [{ name: 'shop' }],
    chains: Object.entries(chainOf)
      .filter(([name]) => entries.some(({ chain }) => chain === name))
      .map(([name, { root, id }]) => ({
        name,
        first_root: addressOf(root as Name),
        platform_id: id,
        approval_delay: 0,
      })),
    networks: entries.map(({ name, chain, operators, upgrader, root }) => ({
      name,
      chain,
      eip155: networks[name],
      rpc_urls: [chains[name].url],
      confirmations: 2,
      finality: 64,
      block_time_ms: 200,
      max_fee_per_gas_gwei: 500,
      operators: operators.map(addressOf),
      upgrader: addressOf(upgrader),
      guardian: addressOf('guardian'),
      ...(root === undefined ? {} : { root: addressOf(root) }),
    })),
    currencies: [
      { symbol: 'ETH', name: 'Ether', decimals: 18, tokens: entries.map(({ name }) => ({ network: name })) },
    ],
  };
  fs.writeFileSync(file, dump(catalogue));
  return carat(['catalogue', 'apply', file], env);
};

/** Runs watchers and lanes that do not run yet, as a worker does twice a minute. */
const keepRunning = async (): Promise<void> => {
  const run = () => ({ signal: stopping.signal, heartbeat: () => {}, deadlineMs: Infinity });
  const start = (id: string, work: () => Promise<unknown>): void => {
    if (!engines.has(id)) engines.set(id, work());
  };
  for (const { id } of await watchedNetworks(knex)) start(id, () => parts.runWatcher(id, run()));
  for (const { id, networkId, address } of await accountsWithLane(knex)) {
    start(id, () => parts.runLane({ networkId, accountId: id, address }, run()));
  }
};

const networkId = (name: NetworkName): string => derivedId('network', name);

/** A new wallet of the chain, deployed on the network. */
const deployWallet = async (chain: keyof typeof chainOf, network: NetworkName): Promise<World> => {
  const nodeId = derivedId('node', 'shop');
  const chainId = derivedId('chain', chain);
  const id = randomUUID();
  const platform = (await platformOfChain(knex, chainId))!;
  const address = diamondAddress(platform, nodeId, id);
  await insertWallet(knex, { id, node_id: nodeId, chain_id: chainId, name: 'wallet', address });
  const request = { walletId: id, networkId: networkId(network), integrationId: null };
  await requestDeployment(knex, request);
  const activities = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: parts.deployer,
    networkTrouble: () => null,
    log: quiet,
    failpoint: () => {},
  });
  await eventually(async () => {
    const step = await activities.nextStep(id, request.networkId);
    if (step === null) return true;
    const run = () => activities.runStep(id, request.networkId, step.id);
    const outcome = (await new MockActivityEnvironment().run(run)) as StepOutcome;
    if (outcome.status === 'failed') await requestDeployment(knex, request);
    throw new Error(`${step.key}: ${outcome.detail}`);
  }, 30_000);
  return {
    nodeId,
    chainId,
    networkId: request.networkId,
    currencyId: derivedId('currency', 'ETH'),
    tokenAddress: ZERO_ADDRESS,
    walletId: id,
    diamondAddress: address,
    operatorAccountId: '',
    upgraderAccountId: '',
  };
};

/** One payment through the diamond of the wallet, from its row to `completed`. */
const payThrough = async (network: NetworkName, world: World): Promise<void> => {
  const rpc = rpcs[network];
  const amount = 1_000n;
  const common = { token: ZERO_ADDRESS, payer: ZERO_ADDRESS, amount };
  let terms: DealTerms | null = null;
  const { id } = await createPaymentRow(knex, world, {
    amount,
    termsHash: ({ dealId, payee, expiresUnix }) => {
      terms = { ...common, dealId, payee, expiresAt: BigInt(expiresUnix) };
      return termsHash(networks[network], world.diamondAddress, terms);
    },
  });
  await insertDealIntents(knex, [id]);
  const is = (status: string) =>
    eventually(async () => {
      const row = await knex('payments').where({ id }).first('status', 'status_detail');
      if (row.status !== status) throw new Error(`${row.status}: ${row.status_detail}`);
      return true;
    }, 30_000);
  await is('awaiting_payment');
  const { dealId, token, payee, payer, expiresAt } = terms!;
  const data = contracts.deal.interface.encodeFunctionData('payNative', [
    [dealId, token, payee, payer, amount, expiresAt],
  ]);
  const pay = { what: 'pay', to: world.diamondAddress, data, value: amount };
  await sendCalls(rpc, keys.buyer, networks[network], [pay]);
  await is('completed');
};

const platformOn = async (name: NetworkName) =>
  (await watchedNetworks(knex)).find((network) => network.name === name)!.platform;
const registryOn = async (name: NetworkName): Promise<string> => registryAddress(await platformOn(name));

/** A diamond's parts: its code, and the facet of each selector. */
const lookOf = async ({ diamondAddress: to }: World): Promise<readonly unknown[]> => [
  ...(await codes(rpcs.alpha, [to])),
  ...(await views(rpcs.alpha, [{ to, interface: contracts.loupe.interface, name: 'facets' }])),
];

/** The name of the error with which a call of this key reverts; null when it does not. */
const refusal = async (key: Name, to: string, data: string): Promise<string | null> => {
  const request = { method: 'eth_call', params: [{ from: addressOf(key), to, data }, 'latest'] };
  const [outcome] = (await rpcs.alpha.batch([request])).outcomes;
  return outcome!.ok ? null : decodeRevert(outcome!.error.revertData ?? '0x').name;
};

const alphaBefore: Entry = { name: 'alpha', chain: 'Main', operators: ['operator'], upgrader: 'upgrader' };
const alphaHandedOver: Entry = { ...alphaBefore, root: 'newRoot' };
const beta: Entry = { name: 'beta', chain: 'Later', operators: ['operator'], upgrader: 'upgrader' };
const alphaRotated: Entry = { ...alphaHandedOver, operators: ['newOperator'], upgrader: 'newUpgrader' };

let first: World;

it('before the handover, a wallet is deployed and paid', async () => {
  expect(await apply([alphaBefore])).toMatchObject({ code: 0 });
  await done('network', 'prepare', 'alpha', '--root-keystore', fileOf('root'));
  await keepRunning();
  first = await deployWallet('Main', 'alpha');
  await payThrough('alpha', first);
});

it('root is handed over; payments and deployments go on, and the dismissed root can do nothing', async () => {
  await done('registry', 'transfer-root', 'alpha', addressOf('newRoot'), '--keystore', fileOf('root'));
  expect(await apply([alphaHandedOver])).toMatchObject({ code: 0 });
  const early = await carat(['network', 'prepare', 'alpha', '--root-keystore', fileOf('newRoot')], env);
  expect(early).toMatchObject({ code: 1, err: expect.stringContaining(`is ${addressOf('root')}, but the catalogue`) });
  await done('registry', 'accept-root', 'alpha', '--keystore', fileOf('newRoot'));
  const { out } = await done('network', 'prepare', 'alpha', '--root-keystore', fileOf('newRoot'));
  expect(out).toContain(' 0 transactions sent');
  await payThrough('alpha', await deployWallet('Main', 'alpha'));

  const registry = await registryOn('alpha');
  const { address, runtimeCodeHash, salt } = release.facets[0]!;
  const calls: [string, unknown[], string][] = [
    ['transferRoot', [addressOf('root')], 'NotRoot'],
    ['acceptRoot', [], 'NotPendingRoot'],
    ['setRole', [roleIds.operator, addressOf('root'), true], 'NotRoot'],
    ['setRole', [roleIds.operator, addressOf('operator'), false], 'NotGuardian'],
    ['setPaused', [true], 'NotGuardian'],
    ['setPaused', [false], 'NotRoot'],
    ['approveFacets', [[[address, runtimeCodeHash, salt]]], 'NotRoot'],
    ['revokeFacet', [address, runtimeCodeHash], 'NotGuardian'],
    ['setRelease', ['9', [address]], 'NotRoot'],
  ];
  for (const [name, args, error] of calls) {
    const data = contracts.registry.interface.encodeFunctionData(name, args);
    expect([name, await refusal('root', registry, data)]).toEqual([name, error]);
  }
});

it('a later network joins a new chain, on which the dismissed root has no power', async () => {
  expect(await apply([alphaHandedOver, { ...beta, chain: 'Main' }])).toMatchObject({
    code: 1,
    err: expect.stringContaining('network beta cannot join the chain Main, whose root was handed over on alpha'),
  });
  expect(await apply([alphaHandedOver, beta])).toMatchObject({ code: 0 });
  await done('network', 'prepare', 'beta', '--root-keystore', fileOf('newRoot'));
  // The reason for a new chain: on a fresh network, anybody may create the registry of the old one.
  const main = await platformOn('alpha');
  const own = { what: 'the registry of Main', ...deployCall(platformInitCodes(main).registry) };
  await sendCalls(rpcs.beta, keys.root, networks.beta, [own]);
  const ask = { interface: contracts.registry.interface, name: 'root' };
  const roots = await views(rpcs.beta, [
    { to: registryAddress(main), ...ask },
    { to: await registryOn('beta'), ...ask },
  ]);
  expect(roots.map((root) => String(root).toLowerCase())).toEqual([addressOf('root'), addressOf('newRoot')]);
  await keepRunning();
  await payThrough('beta', await deployWallet('Later', 'beta'));
});

it('operator and upgrader are rotated; old and new diamonds are served, and the dismissed keys can do nothing', async () => {
  const look = await lookOf(first);
  const give = ['role', 'give', 'alpha'];
  const root = ['--keystore', fileOf('newRoot')];
  await done(...give, 'operator', addressOf('newOperator'), ...root);
  await done(...give, 'upgrader', addressOf('newUpgrader'), ...root);
  await apply([alphaRotated, beta]);
  await keepRunning();
  await payThrough('alpha', first);
  await payThrough('alpha', await deployWallet('Main', 'alpha'));
  const drained = (key: Name) => new RegExp(`${addressOf(key)} of alpha: nothing is in flight`);
  await eventually(async () => {
    const { out } = await apply([alphaRotated, beta]);
    if (!drained('operator').test(out) || !drained('upgrader').test(out)) throw new Error(out);
    return true;
  }, 60_000);

  const guardian = ['--keystore', fileOf('guardian')];
  await done('role', 'take', 'alpha', 'operator', addressOf('operator'), ...guardian);
  await done('role', 'take', 'alpha', 'upgrader', addressOf('upgrader'), ...guardian);
  const old = await knex('signer_accounts')
    .where({ network_id: networkId('alpha') })
    .whereNotNull('dismissed_at');
  expect(await Promise.all(old.map(({ id }) => isLaneOver(knex, id)))).toEqual([true, true]);

  const deal = contracts.deal.interface.encodeFunctionData('createDeals', [[[1n, hex(32)]]]);
  const batches = [[first.diamondAddress, 200_000n, [[1n, hex(32)]]]];
  const batch = contracts.batcher.interface.encodeFunctionData('createDeals', [batches]);
  const cut = contracts.cut.interface.encodeFunctionData('diamondCut', [[], ZERO_ADDRESS, '0x']);
  const batcher = batcherAddress(await platformOn('alpha'));
  expect([
    await refusal('operator', first.diamondAddress, deal),
    await refusal('operator', batcher, batch),
    await refusal('upgrader', first.diamondAddress, cut),
  ]).toEqual(['NotOperator', 'NotOperator', 'NotUpgrader']);
  expect(await refusal('newOperator', batcher, batch)).toBeNull();
  expect(await refusal('newUpgrader', first.diamondAddress, cut)).toBeNull();
  expect(await lookOf(first)).toEqual(look);
  await payThrough('alpha', first);

  await payThrough('alpha', await deployWallet('Main', 'alpha'));
  await payThrough('beta', await deployWallet('Later', 'beta'));
});
