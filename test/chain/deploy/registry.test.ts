import { getCreate2Address, HDNodeWallet, keccak256 } from 'ethers';
import { createDeployer, deployCall } from '../../../chain/deploy/deployer.ts';
import { planNetwork, prepareNetwork } from '../../../chain/deploy/prepare.ts';
import {
  acceptRoot,
  approveRelease,
  changePause,
  changeRole,
  offerRoot,
  revokeFacet,
  setRelease,
  isoTime,
  withdrawRoot,
} from '../../../chain/deploy/registry-changes.ts';
import { readRegistry } from '../../../chain/deploy/registry-state.ts';
import {
  askRegistry,
  hasRole,
  makeChange,
  type ChangedBy,
  type RegistryAt,
  type RegistryChange,
  type WantedChange,
} from '../../../chain/deploy/registry.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { batcherAddress, registryAddress } from '../../../chain/pure/platform.ts';
import { facetCreationCode, release, type ReleasedFacet } from '../../../chain/pure/releases.ts';
import { roleIds, type Role } from '../../../chain/pure/roles.ts';
import { codes } from '../../../chain/rpc/calls.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import type { Keystore } from '../../../chain/signing/keystore.ts';
import { createKeySigner, type Signer } from '../../../chain/signing/signer.ts';
import { devMnemonic, type Chain } from '../../../tools/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { hex } from '../../support/fixtures.ts';
import { emptyChainLies, startProxy, type Proxy } from '../support/proxy.ts';
import '../support/running.ts';

const names = ['root', 'operator', 'upgrader', 'guardian', 'stranger', 'newRoot'] as const;
const keys = Object.fromEntries(
  names.map((name, index) => [
    name,
    createKeySigner(HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`).privateKey),
  ]),
) as Record<(typeof names)[number], Signer>;
const { root, operator, upgrader, guardian, stranger, newRoot } = keys;
const delay = 3_600n;

let chain: Chain;
let rpc: Rpc;

beforeAll(async () => {
  chain = await startTestChain();
  rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
});

afterAll(() => chain.stop());

/** A registry of its own, prepared. */
const prepared = async () => {
  const platform = { firstRoot: root.address, approvalDelay: delay, id: hex(32) };
  const network = {
    name: 'alpha',
    eip155: chain.chainId,
    quorum: 1,
    confirmations: 3,
    platform,
    root: root.address,
    guardian: guardian.address,
  };
  const shared = { operators: [operator.address], upgraders: [upgrader.address] };
  await prepareNetwork({ network, rpc, rootSigner: root, ...shared });
  return { network, rpc, ...shared };
};

const keystoreOf = (...owners: readonly Signer[]): Keystore => ({
  addresses: owners.map(({ address }) => address),
  signer: (address) => owners.find((owner) => owner.address === address)!,
});

const toMake = (wanted: WantedChange): RegistryChange => {
  if ('nothing' in wanted) throw new Error(wanted.nothing);
  return wanted;
};

const blockNumber = async (): Promise<bigint> => BigInt((await rpc.call('eth_blockNumber')) as string);
const sentBy = async (...signers: readonly Signer[]): Promise<unknown[]> =>
  Promise.all(signers.map(({ address }) => rpc.call('eth_getTransactionCount', [address, 'latest'])));

/** The account that has to make a change, because no key of the keystore may; nothing was sent. */
const leftTo = async (at: RegistryAt, change: RegistryChange, keystore: Keystore | null): Promise<string> => {
  const before = await sentBy(...Object.values(keys));
  const made = await makeChange(at, change, keystore);
  if (made.transaction !== null) throw new Error(`sent by ${made.sender}`);
  expect(await sentBy(...Object.values(keys))).toEqual(before);
  return made.left;
};

/** A change that is sent from elsewhere: the very call that is printed. */
const sendPrinted = async (at: RegistryAt, wanted: WantedChange, by: ChangedBy, signer: Signer): Promise<void> => {
  const change = toMake(wanted);
  expect(change.by).toBe(by);
  expect(await leftTo(at, change, null)).toContain(signer.address);
  const { what, to, data } = change.call;
  await sendCalls(rpc, signer, chain.chainId, [{ what, to, data }]);
};

const ask = async (at: RegistryAt, name: string, ...args: unknown[]): Promise<unknown> =>
  (await askRegistry(at, [[name, ...args]]))[0];
const has = async (at: RegistryAt, role: Role, account: string): Promise<boolean> =>
  hasRole(await ask(at, 'roleState', roleIds[role], account));

/** A facet at another address, because of another salt; it is not there before `deploy`. */
const moved = (facet: ReleasedFacet): ReleasedFacet & { deploy: () => Promise<void> } => {
  const salt = hex(32);
  const code = facetCreationCode(facet);
  return {
    ...facet,
    salt,
    address: getCreate2Address(release.deployer, salt, keccak256(code)).toLowerCase(),
    deploy: async () => {
      await sendCalls(rpc, stranger, chain.chainId, [{ what: 'facet', ...deployCall(code, salt) }]);
    },
  };
};

/** The next release: the same code, the deals' at another address. */
const nextRelease = () => {
  const last = moved(release.facets.at(-1)!);
  return { next: { ...release, version: '9.0.0', facets: [...release.facets.slice(0, -1), last] }, last };
};

describe('a role', () => {
  it("is given by root and taken by root or a guardian; only root takes a guardian's role", async () => {
    const at = await prepared();
    await sendPrinted(at, await changeRole(at, 'upgrader', stranger.address, true), 'root', root);
    expect(await has(at, 'upgrader', stranger.address)).toBe(true);
    expect(await changeRole(at, 'upgrader', stranger.address, true)).toEqual({
      nothing: `${stranger.address} is upgrader of alpha`,
    });
    const take = toMake(await changeRole(at, 'upgrader', stranger.address, false));
    expect(await leftTo(at, take, keystoreOf(stranger, operator))).toBe(`root ${root.address} or a guardian`);
    expect(await makeChange(at, take, keystoreOf(stranger, guardian))).toMatchObject({ sender: guardian.address });
    expect(await has(at, 'upgrader', stranger.address)).toBe(false);
    expect(await changeRole(at, 'upgrader', stranger.address, false)).toMatchObject({ nothing: expect.any(String) });
    const disarm = toMake(await changeRole(at, 'guardian', guardian.address, false));
    expect(await leftTo(at, disarm, keystoreOf(guardian))).toBe(`root ${root.address}`);
    expect(await makeChange(at, disarm, keystoreOf(guardian, root))).toMatchObject({ sender: root.address });
    expect(await has(at, 'guardian', guardian.address)).toBe(false);
  });
});

describe('the pause', () => {
  it('is begun by a guardian or root and ended by root, and neither call is sent twice', async () => {
    const at = await prepared();
    expect(await changePause(at, false)).toEqual({ nothing: 'alpha is not paused' });
    await sendPrinted(at, await changePause(at, true), 'guardian', root);
    expect(await ask(at, 'paused')).toBe(true);
    expect(await changePause(at, true)).toEqual({ nothing: 'alpha is paused' });
    const unpause = toMake(await changePause(at, false));
    expect(await leftTo(at, unpause, keystoreOf(guardian, operator))).toBe(`root ${root.address}`);
    await sendPrinted(at, unpause, 'root', root);
    expect(await ask(at, 'paused')).toBe(false);
    const pause = toMake(await changePause(at, true));
    expect(await leftTo(at, pause, keystoreOf(operator, upgrader))).toContain('or a guardian');
    expect(await makeChange(at, pause, keystoreOf(operator, guardian))).toMatchObject({ sender: guardian.address });
    expect(await makeChange(at, unpause, keystoreOf(root))).toMatchObject({ sender: root.address });
  });
});

describe('the release', () => {
  it('is approved by root, waits for the delay, and is set then', async () => {
    const at = await prepared();
    expect(await approveRelease(at, release)).toMatchObject({
      nothing: expect.stringContaining('are approved on alpha'),
    });
    expect(await setRelease(at, release)).toEqual({ nothing: `${release.version} is the release of alpha` });
    const { next, last } = nextRelease();
    await expect(approveRelease(at, next)).rejects.toThrow(
      `not on alpha yet: ${last.name}; carat network prepare alpha`,
    );
    await last.deploy();
    await expect(setRelease(at, next)).rejects.toThrow(
      `not approved on alpha: ${last.name}; run carat registry approve first`,
    );
    const approve = toMake(await approveRelease(at, next));
    expect(approve.call.what).toBe(`approve ${last.name} ${last.version} at ${last.address}`);
    expect(approve.note).toContain(`${delay} seconds after`);
    expect(await leftTo(at, approve, keystoreOf(guardian, upgrader))).toBe(`root ${root.address}`);
    await sendPrinted(at, approve, 'root', root);

    const [effectiveAt] = (await ask(at, 'approval', last.address, last.runtimeCodeHash)) as [bigint];
    const { timestamp } = (await rpc.call('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
    expect(effectiveAt - BigInt(timestamp)).toBeGreaterThan(delay - 60n);
    const from = isoTime(effectiveAt);
    expect(await approveRelease(at, next)).toMatchObject({ nothing: expect.stringContaining(from) });
    await expect(setRelease(at, next)).rejects.toThrow(`may not be used on alpha yet: ${last.name} from ${from}`);
    const show = await readRegistry({ ...at, dismissed: [], told: { roles: [], facets: [] } });
    expect(show.release).toBe(release.version);

    await rpc.call('evm_increaseTime', [Number(delay) + 1]);
    await rpc.call('anvil_mine', [1]);
    const set = toMake(await setRelease(at, next));
    expect(await leftTo(at, set, keystoreOf(guardian))).toBe(`root ${root.address}`);
    await sendPrinted(at, set, 'root', root);
    expect(await setRelease(at, next)).toEqual({ nothing: '9.0.0 is the release of alpha' });
    expect(await makeChange(at, toMake(await setRelease(at, release)), keystoreOf(root))).toMatchObject({
      sender: root.address,
    });
    expect(await ask(at, 'release')).toEqual([release.version, expect.anything()]);
  });
});

describe('a facet', () => {
  it('is revoked forever by a guardian or root, if it was approved', async () => {
    const at = await prepared();
    const { next, last } = nextRelease();
    await expect(revokeFacet(at, hex(20))).rejects.toThrow('there is no code at');
    await last.deploy();
    await expect(revokeFacet(at, last.address)).rejects.toThrow('was never approved on alpha');
    await expect(revokeFacet(at, registryAddress(at.network.platform))).rejects.toThrow('was never approved');
    await makeChange(at, toMake(await approveRelease(at, next)), keystoreOf(root));

    const foreign = toMake(await revokeFacet(at, last.address));
    expect(foreign).toMatchObject({
      note: undefined,
      call: { what: `revoke the foreign facet ${last.address} for ever` },
    });
    expect(await leftTo(at, foreign, keystoreOf(operator, upgrader))).toBe(`root ${root.address} or a guardian`);
    expect(await makeChange(at, foreign, keystoreOf(guardian))).toMatchObject({ sender: guardian.address });
    expect(await revokeFacet(at, last.address)).toEqual({ nothing: `${last.address} is revoked on alpha` });
    await expect(approveRelease(at, next)).rejects.toThrow(`revoked for ever on alpha: ${last.name}`);
    await expect(setRelease(at, next)).rejects.toThrow(`revoked for ever on alpha: ${last.name}`);

    const own = release.facets[0]!;
    const revoke = await revokeFacet(at, own.address);
    expect(revoke).toMatchObject({ note: expect.stringContaining(`${release.version}, the release of alpha`) });
    await sendPrinted(at, revoke, 'guardian', root);
    expect(await ask(at, 'isApproved', own.address)).toBe(false);
  });
});

it('a release with an unreadable name prevents no look, revocation or other release', async () => {
  const at = await prepared();
  const facets = release.facets.map(({ address }) => address);
  const registry = registryAddress(at.network.platform);
  for (const name of ['ff'.repeat(4), '00'.repeat(4), '1b5b324a']) {
    const data = changeData('setRelease', 'AAAA', facets).replace('41414141', name);
    await sendCalls(rpc, root, chain.chainId, [{ what: 'release', to: registry, data }]);
    const { release: shown } = await readRegistry({ ...at, dismissed: [], told: { roles: [], facets: [] } });
    expect(shown).toMatch(/^[^\p{Cc}]+, which this version of Carat does not know$/u);
    expect(await planNetwork(at)).toMatchObject({ unknownRelease: expect.stringMatching(/^[^\p{Cc}]+$/u) });
    const deployer = createDeployer({ ...at, network: { ...at.network, confirmations: 3 } });
    expect(await deployer.preflight()).toMatchObject({
      code: 'release_mismatch',
      message: expect.stringMatching(/^[^\p{Cc}]+$/u),
    });
    expect(await revokeFacet(at, facets[0]!)).toMatchObject({ by: 'guardian' });
    expect(await setRelease(at, release)).toMatchObject({ by: 'root' });
  }
});

describe("root's place", () => {
  it('is offered by root and taken by the account to which it was offered', async () => {
    const at = await prepared();
    expect(await offerRoot(at, root.address)).toEqual({ nothing: `${root.address} is root of alpha` });
    expect(await withdrawRoot(at)).toEqual({ nothing: 'nobody was offered root of alpha' });
    expect(await acceptRoot(at)).toMatchObject({ nothing: expect.stringContaining('nobody was offered root') });

    const offer = toMake(await offerRoot(at, stranger.address));
    expect(await leftTo(at, offer, keystoreOf(guardian, stranger))).toBe(`root ${root.address}`);
    await sendPrinted(at, offer, 'root', root);
    expect(await offerRoot(at, stranger.address)).toMatchObject({ nothing: expect.stringContaining('was offered') });
    await expect(offerRoot(at, root.address)).rejects.toThrow('carat registry withdraw-root');
    await sendPrinted(at, await withdrawRoot(at), 'root', root);
    expect(await acceptRoot(at)).toMatchObject({ nothing: expect.any(String) });

    await makeChange(at, offer, keystoreOf(root));
    const other = toMake(await offerRoot(at, newRoot.address));
    expect(other.call.what).toBe(`offer root to ${newRoot.address} instead of ${stranger.address}`);
    expect(await makeChange(at, other, keystoreOf(root))).toMatchObject({ sender: root.address });
    const accept = toMake(await acceptRoot(at));
    for (const keystore of [keystoreOf(stranger), keystoreOf(root, guardian)]) {
      expect(await leftTo(at, accept, keystore)).toBe(`${newRoot.address}, who was offered root,`);
    }
    await sendPrinted(at, accept, 'pendingRoot', newRoot);
    const pause = toMake(await changePause(at, true));
    expect(await leftTo(at, pause, keystoreOf(root))).toBe(`root ${newRoot.address} or a guardian`);
    expect(await makeChange(at, pause, keystoreOf(newRoot))).toMatchObject({ sender: newRoot.address });
    await makeChange(at, toMake(await offerRoot(at, root.address)), keystoreOf(newRoot));
    expect(await makeChange(at, toMake(await acceptRoot(at)), keystoreOf(root))).toMatchObject({
      sender: root.address,
    });
  });
});

describe('every change', () => {
  it('needs a registry, and the chain that the catalogue names', async () => {
    const at = await prepared();
    const nowhere = { ...at, network: { ...at.network, platform: { ...at.network.platform, id: hex(32) } } };
    const changes: ((on: RegistryAt) => Promise<WantedChange>)[] = [
      (on) => changeRole(on, 'operator', stranger.address, true),
      (on) => changePause(on, true),
      (on) => approveRelease(on, release),
      (on) => setRelease(on, release),
      (on) => revokeFacet(on, release.facets[0]!.address),
      (on) => offerRoot(on, stranger.address),
      withdrawRoot,
      acceptRoot,
    ];
    const elsewhere = { ...at, rpc: createRpc({ urls: [chain.url], eip155: 5 }) };
    for (const change of changes) {
      await expect(change(nowhere)).rejects.toThrow('alpha has no registry at');
      await expect(change(elsewhere)).rejects.toThrow(`serves chain ${chain.chainId} instead of 5`);
    }
  });

  it("is refused with the chain's reason where it would revert", async () => {
    const at = await prepared();
    const before = await blockNumber();
    const call = { ...toMake(await changePause(at, true)).call, data: changeData('setRelease', '9', []) };
    await expect(makeChange(at, { call, by: 'root' }, null)).rejects.toThrow('SelectorMissing');
    await expect(makeChange(at, { call, by: 'root' }, keystoreOf(root))).rejects.toThrow('SelectorMissing');
    expect(await blockNumber()).toBeGreaterThanOrEqual(before);
    expect(await ask(at, 'release')).toEqual([release.version, expect.anything()]);
  });
});

describe('the reads before a change', () => {
  let proxy: Proxy;

  beforeAll(async () => {
    proxy = await startProxy(chain.url);
  });

  afterAll(() => proxy.close());

  /** The same network by the proxy and another endpoint or two. */
  const beside = (at: Awaited<ReturnType<typeof prepared>>, quorum: number): typeof at => ({
    ...at,
    network: { ...at.network, quorum },
    rpc: createRpc({ urls: [proxy.url, chain.url, ...(quorum > 1 ? [chain.url] : [])], eip155: chain.chainId }),
  });

  it('skip an endpoint that stands still', async () => {
    const at = await prepared();
    await makeChange(at, toMake(await changePause(at, true)), keystoreOf(guardian));
    const stuck = await rpc.call('eth_blockNumber');
    await makeChange(at, toMake(await changePause(at, false)), keystoreOf(root));
    await rpc.call('anvil_mine', ['0x20']);
    proxy.rewrite = ({ method, params, ...request }) =>
      method === 'eth_blockNumber'
        ? { result: stuck }
        : { ...request, method, params: params.map((param) => (param === 'latest' ? stuck : param)) };
    for (const quorum of [1, 2]) {
      expect(await changePause(beside(at, quorum), true)).toMatchObject({ by: 'guardian' });
    }
    proxy.rewrite = null;
  });

  it('follow the quorum', async () => {
    const at = await prepared();
    const { next, last } = nextRelease();
    await last.deploy();
    await makeChange(at, toMake(await approveRelease(at, next)), keystoreOf(root));
    for (const lie of emptyChainLies) {
      proxy.tamper = lie;
      expect(await revokeFacet(beside(at, 2), last.address)).toMatchObject({ by: 'guardian' });
      expect(await readRegistry({ ...beside(at, 2), dismissed: [], told: { roles: [], facets: [] } })).toMatchObject({
        root: root.address,
        paused: false,
        release: release.version,
      });
    }
    proxy.tamper = null;
  });
});

const changeData = (name: string, ...args: unknown[]): string =>
  contracts.registry.interface.encodeFunctionData(name, args);

describe('the state of a registry', () => {
  it('has root, pause, release, roles and facets, including those that Carat did not request', async () => {
    const at = await prepared();
    const { last, next } = nextRelease();
    const told = {
      roles: [
        { role: 'upgrader', account: stranger.address },
        { role: 'treasurer', account: stranger.address },
        { role: 'operator', account: operator.address },
      ],
      facets: [{ facet: last.address, codeHash: last.runtimeCodeHash }],
    };
    const dismissed = [{ role: 'operator', account: newRoot.address }];
    const read = () => readRegistry({ ...at, dismissed, told });
    expect(await read()).toMatchObject({
      registry: registryAddress(at.network.platform),
      root: root.address,
      pendingRoot: null,
      paused: false,
      approvalDelay: delay,
      release: release.version,
      roles: [
        { role: 'operator', account: operator.address, isListed: true, enabled: true },
        { role: 'upgrader', account: upgrader.address, isListed: true, enabled: true },
        { role: 'guardian', account: guardian.address, isListed: true, enabled: true },
      ],
      newestBatcher: { address: batcherAddress(at.network.platform), isThere: true, isOperator: true },
      olderBatchers: [],
    });
    expect((await read()).facets.at(-1)).toMatchObject({ address: last.address, isThere: false, effectiveAt: 0n });

    await last.deploy();
    for (const change of [
      await changeRole(at, 'operator', newRoot.address, true),
      await changeRole(at, 'upgrader', stranger.address, true),
      await changeRole(at, 'operator', operator.address, false),
      await approveRelease(at, next),
      await offerRoot(at, newRoot.address),
      await changePause(at, true),
      await revokeFacet(at, release.facets[0]!.address),
    ]) {
      await makeChange(at, toMake(change), keystoreOf(root));
    }
    const now = await read();
    expect(now).toMatchObject({ pendingRoot: newRoot.address, paused: true });
    expect(now.roles.filter(({ isListed, enabled }) => isListed !== enabled)).toEqual([
      { role: 'operator', account: operator.address, isListed: true, enabled: false },
      { role: 'operator', account: newRoot.address, isListed: false, enabled: true },
      { role: 'upgrader', account: stranger.address, isListed: false, enabled: true },
    ]);
    const known = release.facets.map(({ address }) => now.facets.find((facet) => facet.address === address)!);
    expect(known.map(({ revoked, isEffective }) => [revoked, isEffective])).toEqual([
      [true, false],
      ...release.facets.slice(1).map(() => [false, true]),
    ]);
    expect(now.facets.at(-1)).toMatchObject({
      address: last.address,
      isThere: true,
      isEffective: false,
      revoked: false,
    });
    expect(now.facets.at(-1)!.effectiveAt).toBeGreaterThan(0n);
    expect((await codes(rpc, [last.address]))[0]).not.toBe('0x');
  });
});
