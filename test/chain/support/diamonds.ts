import { randomUUID } from 'node:crypto';
import { AbiCoder, HDNodeWallet, ZeroAddress, getCreate2Address, keccak256 } from 'ethers';
import { createDeployer, facetDeployCall } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { approveFacetsCall, registryCall, setReleaseCall } from '../../../chain/deploy/registry.ts';
import { sendCalls, type PlannedCall } from '../../../chain/deploy/send-calls.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { diamondAddress, registryAddress } from '../../../chain/pure/platform.ts';
import { facetCreationCode, release, releaseOf, type ReleasedFacet } from '../../../chain/pure/releases.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { createKeySigner, type Signer } from '../../../chain/signing/signer.ts';
import { devMnemonic, type Chain } from '../../../tools/stack/chain.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { Deployer } from '../../../domain/ports/deployment.ts';
import { startTestChain } from '../../support/chain.ts';
import { hex } from '../../support/fixtures.ts';

/** The first release, and the newest one. */
export const [first, newest] = [releaseOf('1.0.0')!, release];

/** How a cut changes functions. */
export const actions = { add: 0, replace: 1, remove: 2 } as const;

/** A chain whose registry has both releases approved and the first one set, and diamonds on it. */
export interface Diamonds {
  readonly chain: Chain;
  readonly rpc: Rpc;
  readonly platform: Platform;
  readonly network: Parameters<typeof createDeployer>[0]['network'];
  readonly keys: Record<'root' | 'operator' | 'upgrader' | 'guardian', Signer>;
  readonly deployer: Deployer;
  /** A new, confirmed diamond of the registry's release, with its node and wallet. */
  create(nodeId?: string, walletId?: string): Promise<{ address: string; nodeId: string; walletId: string }>;
  setRelease(version: string): Promise<void>;
  /** Deploys a facet of no release that exports these functions and does nothing, approved by root. */
  approveStranger(selectors: readonly string[]): Promise<string>;
  revoke(facet: string): Promise<void>;
  /** An unplanned cut, by the upgrader. */
  cut(diamond: string, facet: string, action: keyof typeof actions, selectors: readonly string[]): Promise<void>;
  /** Sends calls and mines until they are confirmed. */
  send(signer: Signer, ...calls: readonly PlannedCall[]): Promise<void>;
  stop(): Promise<void>;
}

const signerAt = (index: number): Signer =>
  createKeySigner(HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`).privateKey);

/** Code that answers every call with a list of functions. */
const strangerCode = (selectors: readonly string[]): string =>
  facetCreationCode({ runtimeCode: AbiCoder.defaultAbiCoder().encode(['bytes4[]'], [selectors]) });

/** Starts a separate chain; stop it in `afterAll`. */
export const startDiamonds = async (): Promise<Diamonds> => {
  const chain = await startTestChain();
  // No test of these is about an endpoint that is slow.
  const rpc = createRpc({ urls: [chain.url], eip155: chain.chainId, timeoutMs: 120_000 });
  const keys = { root: signerAt(0), operator: signerAt(1), upgrader: signerAt(2), guardian: signerAt(3) };
  const platform: Platform = { firstRoot: keys.root.address, approvalDelay: 0n, id: hex(32) };
  const registry = registryAddress(platform);
  const network = {
    name: 'test',
    eip155: chain.chainId,
    confirmations: 3,
    quorum: 1,
    platform,
    root: keys.root.address,
    guardian: keys.guardian.address,
  };
  const deployer = createDeployer({ network, rpc });
  const send: Diamonds['send'] = async (signer, ...calls) => {
    await sendCalls(rpc, signer, chain.chainId, calls);
    await rpc.call('anvil_mine', [`0x${network.confirmations.toString(16)}`]);
  };
  const deploy = (facet: Pick<ReleasedFacet, 'name' | 'runtimeCode' | 'salt'>): PlannedCall => ({
    what: facet.name,
    ...facetDeployCall(facet as ReleasedFacet),
  });

  await prepareNetwork({
    network,
    rpc,
    rootSigner: keys.root,
    operators: [keys.operator.address],
    upgraders: [keys.upgrader.address],
  });
  const older = first.facets.filter(({ address }) => !release.facets.some((facet) => facet.address === address));
  await send(keys.root, ...older.map(deploy));
  await send(keys.root, approveFacetsCall(registry, older));
  await send(keys.root, setReleaseCall(registry, first));

  return {
    chain,
    rpc,
    platform,
    network,
    keys,
    deployer,
    send,
    create: async (nodeId = randomUUID(), walletId = randomUUID()) => {
      await send(keys.operator, { what: 'diamond', ...deployer.createDiamondCall(nodeId, walletId) });
      return { address: diamondAddress(platform, nodeId, walletId), nodeId, walletId };
    },
    setRelease: (version) => send(keys.root, setReleaseCall(registry, releaseOf(version)!)),
    approveStranger: async (selectors) => {
      const [runtimeCode, salt] = [strangerCode(selectors), hex(32)];
      const creationCode = facetCreationCode({ runtimeCode });
      const address = getCreate2Address(release.deployer, salt, keccak256(creationCode)).toLowerCase();
      const facet = { ...release.facets[0]!, name: 'stranger', runtimeCode, salt, address };
      await send(keys.operator, deploy(facet));
      await send(keys.root, approveFacetsCall(registry, [{ ...facet, runtimeCodeHash: keccak256(runtimeCode) }]));
      return address;
    },
    revoke: async (facet) => {
      const code = (await rpc.call('eth_getCode', [facet, 'latest'])) as string;
      await send(keys.guardian, registryCall(registry, 'revoke', 'revokeFacet', facet, keccak256(code)));
    },
    cut: (to, facet, action, selectors) => {
      const cuts = [[action === 'remove' ? ZeroAddress : facet, actions[action], selectors]];
      const data = contracts.cut.interface.encodeFunctionData('diamondCut', [cuts, ZeroAddress, '0x']);
      return send(keys.upgrader, { what: 'cut', to, data });
    },
    stop: () => chain.stop(),
  };
};

/** A function of no release. */
export const strange = '0xdeadbeef';
