import { randomUUID } from 'node:crypto';
import { HDNodeWallet } from 'ethers';
import { codes, views } from '../../../chain/rpc/calls.ts';
import { approveFacetsCall, setReleaseCall } from '../../../chain/deploy/registry.ts';
import { createDeployer, facetDeployCall } from '../../../chain/deploy/deployer.ts';
import { deployTestToken } from '../../../tools/stack/tokens.ts';
import { checkNetwork } from '../../../chain/deploy/network-check.ts';
import { planNetwork, prepareNetwork, type PrepareOptions } from '../../../chain/deploy/prepare.ts';
import { batcherAddress, diamondAddress, registryAddress } from '../../../chain/pure/platform.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { release, releases } from '../../../chain/pure/releases.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { Deployer } from '../../../domain/ports/deployment.ts';
import { faultOf, type Depth } from '../../../domain/version-check.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import { createKeySigner, type Signer } from '../../../chain/signing/signer.ts';
import { devMnemonic, type Chain } from '../../../tools/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { hex } from '../../support/fixtures.ts';
import { emptyChainLies, startProxy } from '../support/proxy.ts';
import '../support/running.ts';

let chain: Chain;
let rpc: Rpc;
let options: PrepareOptions;
const signerAt = (index: number) =>
  createKeySigner(HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`).privateKey);
const [root, operator, upgrader, guardian, stranger] = [0, 1, 2, 3, 4].map(signerAt);
const platform: Platform = { firstRoot: root!.address, approvalDelay: 0n, id: hex(32) };
const network = {
  name: 'test',
  eip155: 31337,
  confirmations: 3,
  quorum: 1,
  platform,
  root: root!.address,
  guardian: guardian!.address,
};
/** The same by the same root, with a registry of its own. */
const otherNetwork = () => ({ ...network, platform: { ...platform, id: hex(32) } });

beforeAll(async () => {
  chain = await startTestChain();
  rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
  options = {
    network,
    rpc,
    rootSigner: root!,
    operators: [operator!.address],
    upgraders: [upgrader!.address],
  };
});

afterAll(() => chain.stop());

const registryAnswers = async (name: string, ...args: unknown[]): Promise<unknown> =>
  (await views(rpc, [{ to: registryAddress(platform), interface: contracts.registry.interface, name, args }]))[0];

/** A registry of its own on the same chain, prepared. */
const prepareOther = async () => {
  const own = { ...options, network: otherNetwork() };
  await prepareNetwork(own);
  return { network: own.network, options: own };
};

/** The faults of a diamond as it is now. */
const fault = async (deployer: Deployer, address: string) => faultOf(await deployer.inspect(address, 'newest'));

/** A call of the registry of a network. */
const tell = async (signer: Signer, of: typeof network, name: string, ...args: unknown[]): Promise<void> => {
  const data = contracts.registry.interface.encodeFunctionData(name, args);
  await sendCalls(rpc, signer, chain.chainId, [{ what: name, to: registryAddress(of.platform), data }]);
};

describe('the preparation of a network', () => {
  it('is required by the preflight, and satisfies it; repeated, it changes nothing', async () => {
    const deployer = createDeployer({ network, rpc });
    expect(await deployer.preflight()).toMatchObject({ code: 'registry_missing' });
    const said: string[] = [];
    const first = await prepareNetwork({ ...options, onProgress: (message) => said.push(message) });
    expect(first).toMatchObject({
      registry: registryAddress(platform),
      batcher: batcherAddress(platform),
      releaseFrom: null,
    });
    expect(said.length).toBe(first.transactions.length);
    expect((await prepareNetwork(options)).transactions).toEqual([]);
    expect(await deployer.preflight()).toBeNull();
    expect((await deployer.missingFacets()).facets).toEqual([]);
    for (const [role, account] of [
      ['operator', operator!.address],
      ['operator', batcherAddress(platform)],
      ['upgrader', upgrader!.address],
      ['guardian', guardian!.address],
    ] as const) {
      expect(await registryAnswers('roleState', roleIds[role], account)).toEqual([true, false]);
    }
  });

  it('adds missing contracts and shares the facets with other platforms', async () => {
    const signers = [createKeySigner(hex(32)).address];
    const more = await prepareNetwork({ ...options, operators: [operator!.address, stranger!.address], signers });
    expect(more.transactions).toHaveLength(2);
    expect(await registryAnswers('roleState', roleIds.signer, signers[0]!)).toEqual([true, false]);
    const other = { ...options, network: otherNetwork() };
    const said: string[] = [];
    await prepareNetwork({ ...other, onProgress: (message) => said.push(message) });
    expect(said.filter((message) => /^deploy .*Facet/.test(message))).toEqual([]);
  });

  it("deploys with anybody's key and leaves root's calls to root, ready to be sent", async () => {
    const other = { ...options, rootSigner: stranger!, network: otherNetwork() };
    const { rootCalls, registry } = await prepareNetwork(other);
    expect(rootCalls.length).toBeGreaterThan(0);
    expect(rootCalls.every(({ to }) => to === registry)).toBe(true);
    await sendCalls(rpc, root!, chain.chainId, rootCalls);
    expect(await prepareNetwork(other)).toMatchObject({ transactions: [], rootCalls: [], releaseFrom: null });
  });
});

describe('the next release', () => {
  it("is approved at once and set when the registry's delay has passed, by the clock of the chain", async () => {
    const own = { ...network, platform: { ...platform, approvalDelay: 3_600n, id: hex(32) } };
    const to = registryAddress(own.platform);
    const [older] = releases;
    const shared = { ...options, network: own };
    await prepareNetwork({ ...shared, rootSigner: stranger! });
    const facets = older!.facets.map((facet) => ({
      what: facet.name,
      address: facet.address,
      ...facetDeployCall(facet),
    }));
    const found = await codes(
      rpc,
      facets.map(({ address }) => address),
    );
    await sendCalls(
      rpc,
      stranger!,
      chain.chainId,
      facets.filter((_, index) => found[index] === '0x'),
    );
    await sendCalls(rpc, root!, chain.chainId, [
      { ...approveFacetsCall(to, older!.facets), gasLimit: 2_000_000n },
      { ...setReleaseCall(to, older!), gasLimit: 2_000_000n },
    ]);
    const released = async (): Promise<unknown> => {
      const ask = { to, interface: contracts.registry.interface, name: 'release' };
      return ((await views(rpc, [ask])) as [[string]])[0][0];
    };
    const planned = await planNetwork(shared);
    expect(planned.rootCalls.map(({ what }) => what)).toEqual([
      expect.stringContaining('give the role operator'),
      expect.stringContaining('give the role operator'),
      expect.stringContaining('give the role upgrader'),
      expect.stringContaining('give the role guardian'),
      expect.stringMatching(/^approve DiamondLoupeFacet 1.2.0 at .*, DealFacet 1.2.0 at .*, OfferFacet 1.0.0 at /),
    ]);
    const first = await prepareNetwork(shared);
    expect([first.transactions.length, await released()]).toEqual([5, older!.version]);
    const again = await prepareNetwork(shared);
    expect(again).toMatchObject({ transactions: [], releaseFrom: expect.any(Number) });
    expect(Math.abs(again.releaseFrom! - first.releaseFrom!)).toBeLessThan(60);
    await rpc.call('evm_increaseTime', [3_601]);
    await rpc.call('anvil_mine', [1]);
    const last = await prepareNetwork(shared);
    expect([last.transactions.length, last.releaseFrom, await released()]).toEqual([1, null, release.version]);
  });
});

it('a preparation leaves an unknown release alone, and gives roles all the same', async () => {
  const { network: other, options: own } = await prepareOther();
  await tell(
    root!,
    other,
    'setRelease',
    '9.0.0',
    release.facets.map(({ address }) => address),
  );
  await tell(guardian!, other, 'setRole', roleIds.operator, operator!.address, false);
  expect(await planNetwork(own)).toMatchObject({ unknownRelease: '9.0.0', releaseFrom: null, revoked: [] });
  expect((await prepareNetwork(own)).transactions).toHaveLength(1);
  expect(await createDeployer({ network: other, rpc }).preflight()).toMatchObject({ code: 'release_mismatch' });
});

describe('the preflight', () => {
  it('compares the registry with the configuration', async () => {
    const missing = createDeployer({ network, rpc, operators: [hex(20)] });
    expect(await missing.preflight()).toMatchObject({ code: 'role_missing' });
    const elsewhere = createDeployer({
      network: { ...network, eip155: 5 },
      rpc: createRpc({ urls: [chain.url], eip155: null }),
    });
    expect(await elsewhere.preflight()).toMatchObject({ code: 'wrong_chain' });
  });

  it('does not fail because one of three endpoints lies', async () => {
    const { network: other } = await prepareOther();
    const liar = await startProxy(chain.url);
    for (const lie of emptyChainLies) {
      liar.tamper = lie;
      const beside = createRpc({ urls: [liar.url, chain.url, chain.url], eip155: chain.chainId });
      expect(await createDeployer({ network: { ...other, quorum: 2 }, rpc: beside }).preflight()).toBeNull();
    }
    await liar.close();
  });

  it('requires a guardian without another role', async () => {
    const { network: other } = await prepareOther();
    const preflight = (more: object) => createDeployer({ network: { ...other, ...more }, rpc }).preflight();
    expect(await preflight({ guardian: stranger!.address })).toMatchObject({
      code: 'role_missing',
      message: expect.stringContaining(`${stranger!.address} (guardian)`),
    });
    await tell(root!, other, 'setRole', roleIds.upgrader, guardian!.address, true);
    expect(await preflight({})).toMatchObject({
      code: 'guardian_mismatch',
      message: expect.stringContaining(`${guardian!.address} is upgrader as well`),
    });
    await tell(root!, other, 'setRole', roleIds.guardian, root!.address, true);
    expect(await preflight({ guardian: root!.address })).toMatchObject({ code: 'guardian_mismatch' });
  });

  it('requires facets that are still approved; a revoked one stays revoked, and no preparation brings it back', async () => {
    const { network: other, options: own } = await prepareOther();
    const [nodeId, walletId] = [randomUUID(), randomUUID()];
    const deployer = createDeployer({ network: other, rpc });
    const create = deployer.createDiamondCall(nodeId, walletId);
    await sendCalls(rpc, stranger!, chain.chainId, [{ what: 'diamond', ...create }]);
    const address = diamondAddress(other.platform, nodeId, walletId);
    expect(await fault(deployer, address)).toBeNull();
    const facet = release.facets[0]!;
    await tell(guardian!, other, 'revokeFacet', facet.address, facet.runtimeCodeHash);
    const refusal = { code: 'facet_not_approved', message: expect.stringContaining(facet.name) };
    expect(await deployer.preflight()).toMatchObject(refusal);
    expect(await fault(deployer, address)).toMatchObject(refusal);
    expect(await prepareNetwork(own)).toMatchObject({ transactions: [], revoked: [facet.name] });
  });

  it('restores the roles that a thief of a guardian took, even if he revoked the release as well', async () => {
    const { network: other, options: own } = await prepareOther();
    const facet = release.facets[0]!;
    await tell(guardian!, other, 'revokeFacet', facet.address, facet.runtimeCodeHash);
    await tell(guardian!, other, 'setRole', roleIds.operator, operator!.address, false);
    await tell(guardian!, other, 'setRole', roleIds.operator, batcherAddress(other.platform), false);
    const { transactions, revoked } = await prepareNetwork(own);
    expect([transactions.length, revoked]).toEqual([2, [facet.name]]);
    expect(await createDeployer({ network: other, rpc }).preflight()).toMatchObject({ code: 'facet_not_approved' });
  });

  it('refuses a diamond whose facet has lost its code', async () => {
    const { network: other } = await prepareOther();
    const [nodeId, walletId] = [randomUUID(), randomUUID()];
    const deployer = createDeployer({ network: other, rpc });
    const create = deployer.createDiamondCall(nodeId, walletId);
    await sendCalls(rpc, stranger!, chain.chainId, [{ what: 'diamond', ...create }]);
    const { address, name } = release.facets.at(-1)!;
    const code = await rpc.call('eth_getCode', [address, 'latest']);
    for (const changed of ['0x', '0x5f']) {
      await rpc.call('anvil_setCode', [address, changed]);
      expect(await deployer.preflight()).toMatchObject({ code: 'facet_not_approved' });
      expect(await fault(deployer, diamondAddress(other.platform, nodeId, walletId))).toMatchObject({
        code: 'code_mismatch',
        message: expect.stringContaining(name),
      });
    }
    await rpc.call('anvil_setCode', [address, code]);
    expect(await deployer.preflight()).toBeNull();
  });
});

describe('after a handover of root', () => {
  it('only the present root is accepted, and a preparation stops before it sends a transaction', async () => {
    const { network: other, options: own } = await prepareOther();
    await tell(root!, other, 'transferRoot', stranger!.address);
    expect(await createDeployer({ network: other, rpc }).preflight()).toBeNull();
    await tell(stranger!, other, 'acceptRoot');
    expect(await createDeployer({ network: other, rpc }).preflight()).toMatchObject({ code: 'root_mismatch' });
    const more = { ...own, operators: [hex(20)] };
    await expect(prepareNetwork(more)).rejects.toThrow(
      `test: the root of its registry is ${stranger!.address}, but the catalogue expects ${root!.address}. ` +
        `If root was handed over there, write root: '${stranger!.address}' at this network of the catalogue and apply it`,
    );
    const now = { ...other, root: stranger!.address };
    expect(await createDeployer({ network: now, rpc }).preflight()).toBeNull();
    expect(await prepareNetwork({ ...own, network: now })).toMatchObject({ transactions: [], rootCalls: [] });
    expect((await prepareNetwork({ ...more, network: now })).rootCalls).toHaveLength(1);
  });

  it('no further registry of that chain is created, whether the catalogue or only the chain knows of the handover', async () => {
    const { network: handedOver } = await prepareOther();
    const elsewhere = await startTestChain({ chainId: 31338 });
    try {
      const fresh = {
        ...options,
        network: { ...handedOver, name: 'fresh', eip155: 31338 },
        rpc: createRpc({ urls: [elsewhere.url], eip155: 31338 }),
      };
      const refuses = async (attempt: PrepareOptions) => {
        await expect(prepareNetwork(attempt)).rejects.toThrow(
          `${root!.address} could make the same registry on fresh and be its root. Give fresh a new chain in the ` +
            `catalogue, with first_root: '${stranger!.address}' and a platform_id of its own`,
        );
      };
      await refuses({ ...fresh, network: { ...fresh.network, root: stranger!.address } });
      await refuses({ ...fresh, others: [{ network: { ...handedOver, root: stranger!.address }, rpc }] });
      await tell(root!, handedOver, 'transferRoot', stranger!.address);
      await tell(stranger!, handedOver, 'acceptRoot');
      await refuses({ ...fresh, others: [{ network: handedOver, rpc }] });
      const silent = createRpc({ urls: ['http://127.0.0.1:1'], eip155: 1 });
      const unheard = { network: { ...handedOver, name: 'quiet' }, rpc: silent };
      await expect(prepareNetwork({ ...fresh, others: [unheard] })).rejects.toThrow(
        'quiet gives no usable response: the connection failed. fresh has no registry yet',
      );
      // Values of the catalogue are not requested from endpoints.
      await refuses({ ...fresh, others: [unheard, { network: { ...handedOver, root: stranger!.address }, rpc }] });
      expect(await fresh.rpc.call('eth_getTransactionCount', [root!.address, 'latest'])).toBe('0x0');
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('a diamond', () => {
  it('is created once at the predicted address, verified against the release, and confirmed at depth', async () => {
    const [nodeId, walletId] = [randomUUID(), randomUUID()];
    const deployer = createDeployer({ network, rpc });
    const address = diamondAddress(platform, nodeId, walletId);
    const isThere = async (depth?: Depth) => (await deployer.inspect(address, depth)).isThere;
    expect([await isThere('newest'), await isThere()]).toEqual([false, false]);
    expect(await fault(deployer, address)).toMatchObject({ code: 'not_our_diamond' });
    const call = { what: 'diamond', ...deployer.createDiamondCall(nodeId, walletId) };
    const [hash] = await sendCalls(rpc, stranger!, chain.chainId, [call, call]);
    expect(await isThere('newest')).toBe(true);
    expect(await fault(deployer, address)).toBeNull();
    const { blockNumber } = (await rpc.call('eth_getTransactionReceipt', [hash])) as { blockNumber: string };
    for (;;) {
      const before = Number(await rpc.call('eth_blockNumber'));
      const confirmed = await isThere();
      const after = Number(await rpc.call('eth_blockNumber'));
      if (after - Number(blockNumber) + 1 < network.confirmations) expect(confirmed).toBe(false);
      if (before - Number(blockNumber) + 1 >= network.confirmations) {
        expect(confirmed).toBe(true);
        break;
      }
    }
  });

  it('of another owner, or cut to other facets, is not accepted', async () => {
    const other = otherNetwork();
    await prepareNetwork({ ...options, network: other });
    const [nodeId, walletId] = [randomUUID(), randomUUID()];
    const theirs = createDeployer({ network: other, rpc });
    await sendCalls(rpc, stranger!, chain.chainId, [
      { what: 'diamond', ...theirs.createDiamondCall(nodeId, walletId) },
    ]);
    const address = diamondAddress(other.platform, nodeId, walletId);
    expect(await fault(theirs, address)).toBeNull();
    const ours = createDeployer({ network, rpc });
    expect(await fault(ours, address)).toMatchObject({ code: 'not_our_diamond' });
    const cut = [[`0x${'00'.repeat(20)}`, 2, [contracts.deal.interface.getFunction('sweep')?.selector]]];
    const data = contracts.cut.interface.encodeFunctionData('diamondCut', [cut, `0x${'00'.repeat(20)}`, '0x']);
    await sendCalls(rpc, upgrader!, chain.chainId, [{ what: 'cut', to: address, data }]);
    expect(await fault(theirs, address)).toMatchObject({ code: 'loupe_mismatch' });
  });
});

describe('the check of a network', () => {
  it('finds wrong chains, tokens and decimals, and never shows a URL', async () => {
    const token = await deployTestToken(rpc, root!, chain.chainId, { name: 'Six', symbol: 'SIX', decimals: 6 });
    const claim = {
      name: 'net',
      eip155: 31337,
      rpcUrls: [chain.url],
      quorum: 1,
      confirmations: 3,
      platform,
      tokens: [{ symbol: 'SIX', address: token, decimals: 6 }],
    };
    const fine = await checkNetwork(claim);
    expect(fine).toMatchObject({ problems: [], hasRegistry: true });
    expect(await checkNetwork({ ...claim, ...otherNetwork(), name: 'net' })).toMatchObject({ hasRegistry: false });
    expect(fine.genesisHash).toMatch(/^0x[0-9a-f]{64}$/);
    const wrong = await checkNetwork({
      ...claim,
      tokens: [
        { symbol: 'SIX', address: token, decimals: 18 },
        { symbol: 'NONE', address: hex(20), decimals: 6 },
        { symbol: 'CUT', address: release.facets[0]!.address, decimals: 6 },
      ],
    });
    expect(wrong.problems).toHaveLength(3);
    expect((await checkNetwork({ ...claim, eip155: 1 })).problems).toHaveLength(1);
    const silent = await checkNetwork({ ...claim, rpcUrls: ['http://127.0.0.1:1/secret-key', chain.url] });
    expect(silent.problems).toHaveLength(1);
    expect(silent.problems.join()).not.toContain('secret-key');
  });
});
