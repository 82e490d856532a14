import { randomUUID } from 'node:crypto';
import { HDNodeWallet } from 'ethers';
import { views } from '../../../chain/rpc/calls.ts';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { deployTestToken, fundAccounts } from '../../../dev/stack/tokens.ts';
import { checkNetwork } from '../../../chain/deploy/network-check.ts';
import { prepareNetwork, type PrepareOptions } from '../../../chain/deploy/prepare.ts';
import { batcherAddress, diamondAddress, registryAddress } from '../../../chain/pure/platform.ts';
import { contracts, release } from '../../../chain/pure/contracts.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import type { Platform } from '../../../domain/platform.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { devMnemonic, type Chain } from '../../../dev/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { hex } from '../../support/fixtures.ts';
import '../support/running.ts';

let chain: Chain;
let rpc: Rpc;
let options: PrepareOptions;
const signerAt = (index: number) =>
  createKeySigner(HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`).privateKey);
const [root, operator, upgrader, guardian, stranger] = [0, 1, 2, 3, 4].map(signerAt);
const platform: Platform = { firstRoot: root!.address, approvalDelay: 0n, id: hex(32) };
const network = {
  ...{ name: 'test', eip155: 31337, confirmations: 3 },
  ...{ platform, root: root!.address, guardian: guardian!.address },
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

describe('the preparation of a network', () => {
  it('is missed by the preflight before, and done after; repeated, it changes nothing', async () => {
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
    expect(await deployer.missingFacets()).toEqual([]);
    for (const [role, account] of [
      ['operator', operator!.address],
      ['operator', batcherAddress(platform)],
      ['upgrader', upgrader!.address],
      ['guardian', guardian!.address],
    ] as const) {
      expect(await registryAnswers('roleState', roleIds[role], account)).toEqual([true, false]);
    }
  });

  it('adds what is missing and shares the facets with other platforms', async () => {
    const more = await prepareNetwork({ ...options, operators: [operator!.address, stranger!.address] });
    expect(more.transactions).toHaveLength(1);
    const other = { ...options, network: otherNetwork() };
    const said: string[] = [];
    await prepareNetwork({ ...other, onProgress: (message) => said.push(message) });
    expect(said.filter((message) => message.includes('Facet'))).toEqual([]);
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

describe('the preflight', () => {
  it('compares the registry with the configuration', async () => {
    const missing = createDeployer({ network, rpc, operators: [hex(20)] });
    expect(await missing.preflight()).toMatchObject({ code: 'role_missing' });
    const elsewhere = createDeployer({
      network: { ...network, eip155: 5 },
      rpc: createRpc({ urls: [chain.url], eip155: null }),
    });
    expect(await elsewhere.preflight()).toMatchObject({ code: 'wrong_chain' });
    await sendCalls(rpc, root!, chain.chainId, [
      {
        what: 'transfer root',
        to: registryAddress(platform),
        data: contracts.registry.interface.encodeFunctionData('transferRoot', [stranger!.address]),
      },
    ]);
    expect(await createDeployer({ network, rpc }).preflight()).toBeNull();
    await sendCalls(rpc, stranger!, chain.chainId, [
      {
        what: 'accept root',
        to: registryAddress(platform),
        data: contracts.registry.interface.encodeFunctionData('acceptRoot', []),
      },
    ]);
    expect(await createDeployer({ network, rpc }).preflight()).toMatchObject({ code: 'root_mismatch' });
  });
});

describe('a diamond', () => {
  it('is created once at the predicted address, verified against the release, and confirmed at depth', async () => {
    const [nodeId, walletId] = [randomUUID(), randomUUID()];
    const deployer = createDeployer({ network, rpc });
    const address = diamondAddress(platform, nodeId, walletId);
    expect(await deployer.hasDiamond(address)).toBe(false);
    expect(await deployer.isConfirmed(address)).toBe(false);
    expect(await deployer.verifyDiamond(address)).toMatchObject({ code: 'not_our_diamond' });
    const call = { what: 'diamond', ...deployer.createDiamondCall(nodeId, walletId) };
    const [hash] = await sendCalls(rpc, stranger!, chain.chainId, [call, call]);
    expect(await deployer.hasDiamond(address)).toBe(true);
    expect(await deployer.verifyDiamond(address)).toBeNull();
    const { blockNumber } = (await rpc.call('eth_getTransactionReceipt', [hash])) as { blockNumber: string };
    for (;;) {
      const before = Number(await rpc.call('eth_blockNumber'));
      const confirmed = await deployer.isConfirmed(address);
      const after = Number(await rpc.call('eth_blockNumber'));
      if (after - Number(blockNumber) + 1 < network.confirmations) expect(confirmed).toBe(false);
      if (before - Number(blockNumber) + 1 >= network.confirmations) {
        expect(confirmed).toBe(true);
        break;
      }
    }
  });

  it('of somebody else, or cut to something else, is not accepted', async () => {
    const other = otherNetwork();
    await prepareNetwork({ ...options, network: other });
    const [nodeId, walletId] = [randomUUID(), randomUUID()];
    const theirs = createDeployer({ network: other, rpc });
    await sendCalls(rpc, stranger!, chain.chainId, [
      { what: 'diamond', ...theirs.createDiamondCall(nodeId, walletId) },
    ]);
    const address = diamondAddress(other.platform, nodeId, walletId);
    expect(await theirs.verifyDiamond(address)).toBeNull();
    const ours = createDeployer({ network, rpc });
    expect(await ours.verifyDiamond(address)).toMatchObject({ code: 'not_our_diamond' });
    const cut = [[`0x${'00'.repeat(20)}`, 2, [contracts.deal.interface.getFunction('sweep')?.selector]]];
    const data = contracts.cut.interface.encodeFunctionData('diamondCut', [cut, `0x${'00'.repeat(20)}`, '0x']);
    await sendCalls(rpc, upgrader!, chain.chainId, [{ what: 'cut', to: address, data }]);
    expect(await theirs.verifyDiamond(address)).toMatchObject({ code: 'loupe_mismatch' });
  });
});

describe('the check of a network', () => {
  it('finds wrong chains, tokens and decimals, and never shows a URL', async () => {
    const token = await deployTestToken(rpc, root!, chain.chainId, { name: 'Six', symbol: 'SIX', decimals: 6 });
    const claim = {
      name: 'net',
      eip155: 31337,
      rpcUrls: [chain.url],
      tokens: [{ symbol: 'SIX', address: token, decimals: 6 }],
    };
    const fine = await checkNetwork(claim);
    expect(fine.problems).toEqual([]);
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

  it('accounts are funded only when they are short of coins', async () => {
    const poor = hex(20);
    await fundAccounts(rpc, root!, chain.chainId, [poor], 1_000n);
    await fundAccounts(rpc, root!, chain.chainId, [poor], 1_000n);
    expect(await rpc.call('eth_getBalance', [poor, 'latest'])).toBe('0x3e8');
  });
});
