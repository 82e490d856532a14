import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { setReleaseCall } from '../../../chain/deploy/registry.ts';
import { planCut } from '../../../chain/pure/cut-plan.ts';
import { registryAddress } from '../../../chain/pure/platform.ts';
import { createRpc } from '../../../chain/rpc/rpc.ts';
import type { ContractVersion, DiamondInspection } from '../../../domain/version-check.ts';
import { hex } from '../../support/fixtures.ts';
import { first, newest, startDiamonds, strange, type Diamonds } from '../support/diamonds.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

let diamonds: Diamonds;

beforeAll(async () => {
  diamonds = await startDiamonds();
});

afterAll(() => diamonds.stop());

const facetOf = (name: string, { facets } = newest) => facets.find((facet) => facet.name === name)!;
const deal = facetOf('DealFacet');
const inspect = (address: string): Promise<DiamondInspection> => diamonds.deployer.inspect(address);
const named = ({ contracts }: DiamondInspection, name: string | null): ContractVersion =>
  contracts.find((contract) => contract.name === name)!;
const statuses = ({ contracts }: DiamondInspection) =>
  Object.fromEntries(contracts.map(({ name, address, status }) => [name ?? address, status]));
/** The part of a finding that stays while the diamond is unchanged. */
const lasting = (seen: DiamondInspection) => ({ ...seen, blockNumber: 0 });
const allUpToDate = Object.fromEntries(
  ['Diamond', ...newest.facets.map(({ name }) => name)].map((name) => [name, 'up_to_date']),
);

/** Sends the planned cut as the upgrader, and looks again. */
const update = async (seen: DiamondInspection): Promise<DiamondInspection> => {
  const { to, data } = seen.cut!;
  await diamonds.send(diamonds.keys.upgrader, { what: 'update', to, data });
  return inspect(to);
};

describe('an inspection', () => {
  it('finds a diamond of the network up to date, and outdated once root has set another release', async () => {
    const { address } = await diamonds.create();
    const before = await inspect(address);
    expect(before).toMatchObject({ isThere: true, cut: null });
    const ofFirst = Object.keys(allUpToDate).filter((name) => name !== 'OfferFacet');
    expect(statuses(before)).toEqual(Object.fromEntries(ofFirst.map((name) => [name, 'up_to_date'])));
    for (const { kind, current_version, latest_version, current_approved, latest_approved } of before.contracts) {
      const approved = kind === 'facet' ? true : null;
      expect([current_version, latest_version]).toEqual(['1.0.0', '1.0.0']);
      expect([current_approved, latest_approved]).toEqual([approved, approved]);
    }

    await diamonds.setRelease(newest.version);
    const seen = await inspect(address);
    expect(statuses(seen)).toEqual({
      ...allUpToDate,
      Diamond: 'update_available',
      DiamondLoupeFacet: 'update_available',
      DealFacet: 'update_available',
      OfferFacet: 'missing',
    });
    expect(named(seen, 'Diamond')).toMatchObject({ current_version: '1.0.0', latest_version: newest.version });
    expect(named(seen, 'DealFacet')).toMatchObject({
      address: facetOf('DealFacet', first).address,
      current_version: '1.0.0',
      latest_version: deal.version,
      current_code_hash: facetOf('DealFacet', first).runtimeCodeHash,
      latest_code_hash: deal.runtimeCodeHash,
      selectors: {
        add: deal.selectors.filter((own) => !facetOf('DealFacet', first).selectors.includes(own)),
        replace: facetOf('DealFacet', first).selectors.toSorted(),
      },
    });

    const after = await update(seen);
    expect(after).toMatchObject({ isThere: true, cut: null });
    expect(statuses(after)).toEqual(allUpToDate);
    expect(named(after, 'Diamond').current_version).toBe(newest.version);
    // In any other state of the diamond the call is refused.
    await expect(update(seen)).rejects.toThrow(/StaleLoupe/);
  });

  it('offers nothing where root has set an unknown release', async () => {
    await diamonds.setRelease(first.version);
    const { address } = await diamonds.create();
    const foreign = setReleaseCall(registryAddress(diamonds.platform), { ...newest, version: '9.0.0' });
    await diamonds.send(diamonds.keys.root, foreign);
    const seen = await inspect(address);
    expect(seen).toMatchObject({ isThere: true, cut: null, unknownRelease: '9.0.0' });
    expect(seen.contracts.some((contract) => contract.update_available)).toBe(false);
    await diamonds.setRelease(newest.version);
    expect(await inspect(address)).toMatchObject({ cut: expect.anything() });
    expect(await inspect(address)).not.toHaveProperty('unknownRelease');
  });

  it('finds functions that were added by hand, and removes them', async () => {
    const { address } = await diamonds.create();
    const stranger = await diamonds.approveStranger([strange]);
    await diamonds.cut(address, stranger, 'add', [strange]);
    const seen = await inspect(address);
    expect(named(seen, null)).toMatchObject({
      kind: 'facet',
      address: stranger,
      status: 'unknown',
      current_version: null,
      latest_version: null,
      current_approved: true,
      latest_approved: null,
      update_available: true,
      selectors: { add: [], replace: [], remove: [strange] },
    });
    expect(named(seen, 'Diamond')).toMatchObject({ status: 'update_available', current_version: null });
    expect(statuses(await update(seen))).toEqual(allUpToDate);
  });

  it('finds a facet that was replaced by hand, and takes its functions back', async () => {
    const { address } = await diamonds.create();
    const stranger = await diamonds.approveStranger(deal.selectors);
    await diamonds.cut(address, stranger, 'replace', deal.selectors);
    const seen = await inspect(address);
    expect(named(seen, 'DealFacet')).toMatchObject({
      address: deal.address,
      status: 'missing',
      current_version: null,
      current_code_hash: null,
      current_approved: null,
      latest_approved: true,
      update_available: true,
      selectors: { add: [], replace: deal.selectors.toSorted(), remove: [] },
    });
    expect(named(seen, null)).toMatchObject({ address: stranger, status: 'unknown', current_approved: true });
    expect(statuses(await update(seen))).toEqual(allUpToDate);
  });

  it('finds a function that was removed, and adds it', async () => {
    const { address } = await diamonds.create();
    const [gone] = deal.selectors;
    await diamonds.cut(address, deal.address, 'remove', [gone!]);
    const seen = await inspect(address);
    expect(named(seen, 'DealFacet')).toMatchObject({
      status: 'update_available',
      current_version: deal.version,
      selectors: { add: [gone], replace: [], remove: [] },
    });
    expect(statuses(await update(seen))).toEqual(allUpToDate);
  });

  it('reads everything at the newest block that has its confirmations', async () => {
    const { address } = await diamonds.create();
    const patient = createDeployer({ network: { ...diamonds.network, confirmations: 600 }, rpc: diamonds.rpc });
    // As many blocks as come in two minutes.
    await diamonds.rpc.call('anvil_mine', ['0x280']);
    const before = await patient.inspect(address);
    await diamonds.cut(address, deal.address, 'remove', [deal.selectors[0]!]);
    const tip = async (): Promise<number> => Number(await diamonds.rpc.call('eth_blockNumber'));
    const from = await tip();
    const seen = await patient.inspect(address);
    expect(lasting(seen)).toEqual(lasting(before));
    expect(seen.blockNumber).toBeGreaterThanOrEqual(from - 599);
    expect(seen.blockNumber).toBeLessThanOrEqual((await tip()) - 599);
    await diamonds.rpc.call('anvil_mine', ['0x280']);
    expect(lasting(await patient.inspect(address))).toEqual(lasting(await inspect(address)));
    expect(statuses(await inspect(address))).toMatchObject({ DealFacet: 'update_available' });
  });

  it("calls no contract that the registry did not make, whose words would pass for the endpoint's", async () => {
    const address = hex(20);
    // Reverts with Error("too many requests").
    const reason = Buffer.from('too many requests').toString('hex').padEnd(64, '0');
    const code = `0x6308c379a060e01b5f52602060045260116024527f${reason}60445260645ffd`;
    await diamonds.rpc.call('anvil_setCode', [address, code]);
    await diamonds.rpc.call('anvil_mine', ['0x5']);
    const troubles: string[] = [];
    const report = ({ reason }: { reason: string }): void => void troubles.push(reason);
    const rpc = createRpc({ urls: [diamonds.chain.url], eip155: diamonds.chain.chainId, report });
    const deployer = createDeployer({ network: diamonds.network, rpc });
    const seen = await deployer.inspect(address);
    expect(seen).toMatchObject({ isThere: false, cut: null });
    expect(troubles).toEqual([]);
  });

  it('of an absent diamond finds everything missing, and nothing to update', async () => {
    for (const address of [hex(20), diamonds.keys.operator.address]) {
      const seen = await inspect(address);
      expect(seen).toMatchObject({ isThere: false, cut: null });
      expect(seen.contracts).toEqual(
        planCut(
          { address, codeHash: null, facets: [], approved: new Set(newest.facets.map((one) => one.address)) },
          newest,
        ).contracts,
      );
      expect(new Set(Object.values(statuses(seen)))).toEqual(new Set(['missing']));
      expect(seen.contracts.some((contract) => contract.update_available)).toBe(false);
    }
  });

  it('of a contract that the registry did not make finds no diamond, whatever the contract claims', async () => {
    const seen = await inspect(registryAddress(diamonds.platform));
    expect(seen).toMatchObject({ isThere: false, cut: null });
    expect(statuses(seen)).toMatchObject({ Diamond: 'unknown', DealFacet: 'missing' });
  });
});

describe('with a quorum of two', () => {
  let liar: Proxy;
  let address: string;
  let honest: ReturnType<typeof lasting>;

  beforeAll(async () => {
    liar = await startProxy(diamonds.chain.url);
    ({ address } = await diamonds.create());
    honest = lasting(await inspect(address));
  });

  afterAll(() => liar.close());

  const inspectBeside = (urls: readonly string[]): Promise<DiamondInspection> =>
    createDeployer({
      network: { ...diamonds.network, quorum: 2 },
      rpc: createRpc({ urls, eip155: diamonds.chain.chainId }),
    }).inspect(address);

  const lies: Record<string, Proxy['tamper']> = {
    'says that there is no code': ({ method }, result) => (method === 'eth_getCode' ? '0x' : result),
    'tells of other code': ({ method }, result) => (method === 'eth_getCode' ? `${result as string}00` : result),
    'answers calls with nothing': ({ method }, result) => (method === 'eth_call' ? '0x' : result),
    'answers calls with zero': ({ method }, result) => (method === 'eth_call' ? `0x${'00'.repeat(32)}` : result),
    'is at the beginning': ({ method }, result) => (method === 'eth_blockNumber' ? '0x1' : result),
    'is far ahead': ({ method }, result) => (method === 'eth_blockNumber' ? '0xffffff' : result),
    'has other blocks': ({ method }, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: `0x${'ab'.repeat(32)}` } : result,
  };

  it.each(Object.keys(lies))('is the same while one of three endpoints %s', async (lie) => {
    liar.tamper = lies[lie]!;
    const { url } = diamonds.chain;
    const [before, seen] = [
      Number(await diamonds.rpc.call('eth_blockNumber')),
      await inspectBeside([liar.url, url, url]),
    ];
    expect(lasting(seen)).toEqual(honest);
    expect(seen.blockNumber).toBeGreaterThanOrEqual(before - 3);
  });

  it('fails while one of two endpoints lies', async () => {
    liar.tamper = lies['says that there is no code']!;
    await expect(inspectBeside([liar.url, diamonds.chain.url])).rejects.toThrow('too few endpoints agree');
  });
});

// These are last, because revoked facets stay revoked.
describe('a revoked facet', () => {
  it('is shown where the diamond has it, and where an update would need it', async () => {
    await diamonds.setRelease(first.version);
    const { address } = await diamonds.create();
    await diamonds.setRelease(newest.version);
    await diamonds.revoke(facetOf('DealFacet', first).address);
    const seen = await inspect(address);
    expect(named(seen, 'DealFacet')).toMatchObject({ current_approved: false, latest_approved: true });
    const after = await update(seen);
    expect(named(after, 'DealFacet')).toMatchObject({ current_approved: true, status: 'up_to_date' });

    await diamonds.revoke(deal.address);
    expect(await inspect(address)).toMatchObject({ isThere: true, cut: null });
    expect(named(await inspect(address), 'DealFacet')).toMatchObject({
      status: 'up_to_date',
      current_approved: false,
      latest_approved: false,
    });
    await diamonds.cut(address, deal.address, 'remove', [deal.selectors[0]!]);
    await expect(update(await inspect(address))).rejects.toThrow(/FacetNotApproved/);
  });
});
