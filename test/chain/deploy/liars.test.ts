import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Knex } from 'knex';
import { createDeploymentActivities, type StepOutcome } from '../../../activities/deployment.ts';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { changeRole } from '../../../chain/deploy/registry-changes.ts';
import { makeChange, registryCall, setRoleCall } from '../../../chain/deploy/registry.ts';
import { sendCalls, type PlannedCall } from '../../../chain/deploy/send-calls.ts';
import { diamondAddress, registryAddress } from '../../../chain/pure/platform.ts';
import { codes } from '../../../chain/rpc/calls.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { connect } from '../../../db/connection.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { requestDeployment, requestUpdate } from '../../../db/wallets/request-deployment.ts';
import type { Deployer } from '../../../domain/ports/deployment.ts';
import { deployTestToken, type TestToken } from '../../../tools/stack/tokens.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld, hex, type World } from '../../support/fixtures.ts';
import { first, newest, startDiamonds, strange, type Diamonds } from '../support/diamonds.ts';
import { quiet } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

/*
 * The first of three endpoints lies about one contract and tells the truth about everything else, so that only the
 * comparison with the others exposes it. Each step asks anew, the liar first.
 */

let diamonds: Diamonds;
let knex: Knex;
let liar: Proxy;
/** A diamond that is as it should be, of a node that is within reach. */
let genuine: string;
const nodeId = randomUUID();

beforeAll(async () => {
  const [started, { url }] = await Promise.all([startDiamonds(), createTestDatabase()]);
  diamonds = started;
  knex = connect(url, { pool: 3 });
  liar = await startProxy(diamonds.chain.url);
  ({ address: genuine } = await diamonds.create(nodeId));
});

afterEach(() => {
  [liar.rewrite, liar.tamper] = [null, null];
});

afterAll(async () => {
  await liar.close();
  await knex.destroy();
  await diamonds.stop();
});

/** Every request about the one address is answered as for the other one. */
const liesThat = (one: string, isLike: string = hex(20)): void => {
  const [from, to] = [one, isLike].map((address) => address.slice(2).toLowerCase());
  liar.rewrite = (request) => {
    if (!['eth_call', 'eth_getCode'].includes(request.method)) return request;
    const params = JSON.parse(JSON.stringify(request.params).replaceAll(from!, to!)) as unknown[];
    return { ...request, params };
  };
};

const beside = (): Rpc => {
  const { url, chainId: eip155 } = diamonds.chain;
  return createRpc({ urls: [liar.url, url, url], eip155 });
};
const deployerOf = (network: Partial<Diamonds['network']> = {}): Deployer =>
  createDeployer({ network: { ...diamonds.network, ...network, quorum: 2 }, rpc: beside() });

interface Wallet {
  readonly address: string;
  readonly nodeId: string;
  readonly walletId: string;
}

/** A wallet whose deployment was requested. */
const begin = async ({ address, ...ids }: Partial<Wallet> & { address: string }, adopted = false): Promise<World> => {
  const own = await createWorld(knex, { diamondStatus: null, diamondAddress: address, ...ids });
  const { walletId, networkId } = own;
  await knex('wallets').where({ id: walletId }).update({ adopted });
  await requestDeployment(knex, { walletId, networkId, integrationId: null });
  return own;
};

/** Runs steps until one waits, or none is left. */
const play = async ({ walletId, networkId }: World, network?: Partial<Diamonds['network']>): Promise<string[]> => {
  const { nextStep, runStep } = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: () => Promise.resolve(deployerOf(network)),
    networkTrouble: () => null,
    log: quiet,
    failpoint: () => {},
  });
  const tried: string[] = [];
  for (;;) {
    const step = await nextStep(walletId, networkId);
    if (step === null) return tried;
    const trying = new MockActivityEnvironment().run(() => runStep(walletId, networkId, step.id));
    const { status } = (await trying) as StepOutcome;
    tried.push(`${step.key}:${status}`);
    if (status === 'waiting') return tried;
  }
};

const steps = ['preflight', 'deploy_facets', 'deploy_diamond', 'verify', 'activate'] as const;
/** All steps until one, which ended so. */
const until = (last: (typeof steps)[number], status: string): string[] => [
  ...steps.slice(0, steps.indexOf(last)).map((key) => `${key}:completed`),
  `${last}:${status}`,
];
const diamondOf = ({ walletId }: World) => knex('diamonds').where({ wallet_id: walletId }).first('status', 'release');
const intentsOf = ({ upgraderAccountId }: World): Promise<{ purpose: string }[]> =>
  knex('tx_intents').where({ account_id: upgraderAccountId });
const errorOf = ({ walletId }: World) =>
  knex('deployment_steps')
    .join('deployments', 'deployments.id', 'deployment_id')
    .where({ wallet_id: walletId, 'deployment_steps.status': 'failed' })
    .first('key', 'error_code');

describe('a deployment', () => {
  it("begins although the liar lacks Cancun's instructions", async () => {
    const reverted = { error: { code: 3, message: 'execution reverted' } };
    const isCancunCode = ([call]: readonly unknown[]): boolean => (call as { to?: string }).to === undefined;
    liar.rewrite = (request) => (request.method === 'eth_call' && isCancunCode(request.params) ? reverted : request);
    expect(await deployerOf().preflight()).toBeNull();
  });

  it('creates an absent diamond although the liar shows one', async () => {
    const ids = { nodeId: randomUUID(), walletId: randomUUID() };
    const address = diamondAddress(diamonds.platform, ids.nodeId, ids.walletId);
    const own = await begin({ address, ...ids });
    liesThat(address, genuine);
    expect(await play(own)).toEqual(until('deploy_diamond', 'waiting'));
    expect(await intentsOf(own)).toMatchObject([{ purpose: 'create_diamond' }]);
    expect(await diamondOf(own)).toMatchObject({ status: 'deploying' });
  });

  it('finds an existing diamond and sends nothing although the liar shows none', async () => {
    const made = await diamonds.create();
    const own = await begin(made);
    liesThat(made.address);
    expect(await play(own)).toEqual(until('activate', 'completed'));
    expect(await intentsOf(own)).toEqual([]);
    expect(await diamondOf(own)).toMatchObject({ status: 'active', release: first.version });
  });

  it('neither deploys an existing facet nor omits an absent one', async () => {
    const [{ address, name }, { address: other }] = [first.facets[0]!, first.facets[1]!];
    const missing = async () => (await deployerOf().missingFacets()).facets.map((facet) => facet.name);
    liesThat(address);
    expect(await missing()).toEqual([]);
    const code = await diamonds.rpc.call('eth_getCode', [address, 'latest']);
    const put = async (own: unknown): Promise<void> => {
      await diamonds.rpc.call('anvil_setCode', [address, own]);
      await diamonds.rpc.call('anvil_mine', ['0x1']);
    };
    await put('0x');
    liesThat(address, other);
    expect(await missing()).toEqual([name]);
    await put(code);
  });

  it('fails on a diamond that was cut by hand although the liar shows an intact one', async () => {
    const made = await diamonds.create();
    await diamonds.cut(made.address, await diamonds.approveStranger([strange]), 'add', [strange]);
    const own = await begin(made);
    liesThat(made.address, genuine);
    expect(await play(own)).toEqual(until('verify', 'failed'));
    expect(await errorOf(own)).toEqual({ key: 'verify', error_code: 'loupe_mismatch' });
    expect(await diamondOf(own)).toMatchObject({ status: 'deploying' });
  });

  it('waits for confirmations although the liar reports them', async () => {
    const patient = { confirmations: 150 };
    await diamonds.rpc.call('anvil_mine', ['0xa0']);
    const made = await diamonds.create();
    const own = await begin(made);
    liesThat(made.address, genuine);
    expect(await play(own, patient)).toEqual(until('activate', 'waiting'));
    expect(await diamondOf(own)).toMatchObject({ status: 'deploying' });
    await diamonds.rpc.call('anvil_mine', ['0xa0']);
    expect(await play(own, patient)).toEqual(['activate:completed']);
  });

  it("records the diamond's release, not the liar's", async () => {
    const made = await diamonds.create();
    await diamonds.setRelease(newest.version);
    const newer = await diamonds.create();
    const own = await begin(made);
    liesThat(made.address, newer.address);
    expect(await play(own)).toEqual(until('activate', 'completed'));
    expect(await diamondOf(own)).toMatchObject({ status: 'active', release: first.version });
    await diamonds.setRelease(first.version);
  });
});

describe('an adoption', () => {
  it("refuses another registry's diamond although the liar says that ours has made it", async () => {
    const { keys, network, send } = diamonds;
    const elsewhere = { ...network, platform: { ...network.platform, id: hex(32) } };
    await prepareNetwork({
      network: elsewhere,
      rpc: diamonds.rpc,
      rootSigner: keys.root,
      operators: [],
      upgraders: [],
    });
    const walletId = randomUUID();
    const theirs = createDeployer({ network: elsewhere, rpc: diamonds.rpc }).createDiamondCall(nodeId, walletId);
    await send(keys.operator, { what: 'diamond', ...theirs });
    const address = diamondAddress(elsewhere.platform, nodeId, walletId);
    const own = await begin({ address, nodeId }, true);
    liesThat(address, genuine);
    expect(await play(own)).toEqual(until('deploy_diamond', 'failed'));
    expect(await errorOf(own)).toEqual({ key: 'deploy_diamond', error_code: 'not_our_diamond' });
    expect(await diamondOf(own)).toMatchObject({ status: 'deploying' });
  });

  it("accepts our registry's diamond although the liar shows none", async () => {
    const { address, nodeId: madeFor } = await diamonds.create();
    const own = await begin({ address, nodeId: madeFor }, true);
    liesThat(address);
    expect(await play(own)).toEqual(until('activate', 'completed'));
  });
});

it('an update with nothing to do is verified and ends although the liar shows no diamond', async () => {
  const made = await diamonds.create();
  const own = await createWorld(knex, { diamondAddress: made.address, nodeId: made.nodeId, walletId: made.walletId });
  await requestUpdate(knex, { ...own, integrationId: null }, null);
  liesThat(made.address);
  expect(await play(own)).toEqual(
    ['preflight', 'deploy_facets', 'cut', 'verify', 'activate'].map((key) => `${key}:completed`),
  );
});

describe('a command of a person', () => {
  const prepare = (platform: Diamonds['platform']) => {
    const { keys, network } = diamonds;
    const roles = { operators: [keys.operator.address], upgraders: [keys.upgrader.address] };
    return prepareNetwork({
      network: { ...network, platform, quorum: 2 },
      rpc: beside(),
      rootSigner: keys.root,
      ...roles,
      release: first,
    });
  };
  const another = (): Diamonds['platform'] => ({ ...diamonds.platform, id: hex(32) });

  it('prepares a network although the liar shows its registry', async () => {
    const platform = another();
    liesThat(registryAddress(platform), registryAddress(diamonds.platform));
    await prepare(platform);
    expect(await deployerOf({ platform }).preflight()).toBeNull();
  });

  it('stops where root was handed over although the liar says that it was not', async () => {
    const { keys, send } = diamonds;
    const platform = another();
    await prepare(platform);
    const registry = registryAddress(platform);
    await send(keys.root, registryCall(registry, 'offer', 'transferRoot', keys.guardian.address));
    await send(keys.guardian, registryCall(registry, 'accept', 'acceptRoot'));
    liesThat(registry, registryAddress(diamonds.platform));
    await expect(prepare(platform)).rejects.toThrow(`the root of its registry is ${keys.guardian.address}`);
  });

  it("pays by the other endpoints' fees although the liar wants a tip of a million gwei", async () => {
    const { keys, platform, chain, rpc } = diamonds;
    liar.tamper = ({ method }, result) => (method === 'eth_maxPriorityFeePerGas' ? '0x38d7ea4c68000' : result);
    const call = registryCall(registryAddress(platform), 'look', 'root');
    const [hash] = await sendCalls(beside(), keys.upgrader, chain.chainId, [call], { quorum: 2 });
    const receipt = (await rpc.call('eth_getTransactionReceipt', [hash])) as { effectiveGasPrice: string };
    expect(BigInt(receipt.effectiveGasPrice)).toBeLessThan(10n ** 12n);
  });

  it.each<[string, Proxy['tamper'], Proxy['rewrite']]>([
    ['nothing (control)', null, null],
    ['too high a nonce', ({ method }, result) => (method === 'eth_getTransactionCount' ? '0x3e8' : result), null],
    ['too little gas', ({ method }, result) => (method === 'eth_estimateGas' ? '0x5300' : result), null],
    ['too much gas', ({ method }, result) => (method === 'eth_estimateGas' ? '0x3b9aca00' : result), null],
    [
      'that the call reverts',
      null,
      (request) =>
        request.method === 'eth_estimateGas' ? { error: { code: 3, message: 'execution reverted' } } : request,
    ],
  ])("takes a stolen key's role although the liar says %s", async (_, tamper, rewrite) => {
    const { keys, network, platform, send } = diamonds;
    const account = hex(20);
    await send(keys.root, setRoleCall(registryAddress(platform), 'operator', account, true));
    Object.assign(liar, { tamper, rewrite });
    const take = async () => {
      const at = { network: { ...network, quorum: 2 }, rpc: beside() };
      const change = await changeRole(at, 'operator', account, false);
      if ('nothing' in change) return null;
      return makeChange(at, change, { addresses: [keys.guardian.address], signer: () => keys.guardian });
    };
    expect(await take()).toMatchObject({ sender: keys.guardian.address });
    expect(await take()).toBeNull();
  });

  it('ends when `latest` includes its transactions although the endpoint shows the receipts before', async () => {
    const { keys, chain, rpc } = diamonds;
    const before = (await rpc.call('eth_blockNumber')) as string;
    let shown = 0;
    const isBehind = () => shown < 3;
    liar.tamper = ({ method }, result) => {
      if (method === 'eth_getTransactionReceipt' && result !== null) shown += 1;
      return method === 'eth_blockNumber' && isBehind() ? before : result;
    };
    liar.rewrite = ({ params, ...request }) => ({
      ...request,
      params: params.map((param) => (param === 'latest' && isBehind() ? before : param)),
    });
    const alone = createRpc({ urls: [liar.url], eip155: chain.chainId });
    const token: TestToken = { name: 'Test', symbol: hex(4), decimals: 2 };
    const address = await deployTestToken(alone, keys.upgrader, chain.chainId, token);
    expect(await codes(alone, [address])).not.toEqual(['0x']);
  });

  it.each([
    ['has reverted', '0x1', 'acceptRoot', /reverted$/],
    ['has succeeded', '0x0', 'root', null],
  ] as const)(
    'reports the true outcome of a call that %s although the liar reports the other one',
    async (_how, status, name, error) => {
      const { keys, platform, chain } = diamonds;
      liar.tamper = ({ method }, result) =>
        method === 'eth_getTransactionReceipt' && result !== null ? { ...result, status } : result;
      const call: PlannedCall = { ...registryCall(registryAddress(platform), name, name), gasLimit: 100_000n };
      const sent = sendCalls(beside(), keys.upgrader, chain.chainId, [call], { quorum: 2 });
      await (error === null ? expect(sent).resolves.toHaveLength(1) : expect(sent).rejects.toThrow(error));
    },
  );
});
