import { ZeroAddress, keccak256 } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { loupeHash, planCut, releaseLike, type LiveDiamond, type LiveFacet } from '../../../chain/pure/cut-plan.ts';
import type { FacetCut } from '../../../domain/version-check.ts';
import { createRandom } from '../../api/fuzz/random.ts';
import { releaseOf, releasedFacets, releases, type Release } from '../../../chain/pure/releases.ts';

const first = releaseOf('1.0.0')!;
const second = releaseOf('1.1.0')!;
const address = `0x${'d1'.repeat(20)}`;
const foreign = `0x${'f0'.repeat(20)}`;
const strange = '0xdeadbeef';

const codeHashOf = (facet: string): string => releasedFacets.get(facet)?.runtimeCodeHash ?? keccak256('0x00');

const live = (facets: readonly Omit<LiveFacet, 'codeHash'>[]): LiveDiamond => ({
  address,
  codeHash: second.diamondRuntimeCodeHash,
  facets: facets.map((facet) => ({ ...facet, codeHash: codeHashOf(facet.address) })),
  approved: new Set(releasedFacets.keys()),
});

const facetOf = ({ facets }: Release, name: string) => facets.find((facet) => facet.name === name)!;
const statusesOf = (diamond: LiveDiamond, target: Release): Record<string, string> =>
  Object.fromEntries(planCut(diamond, target).contracts.map((one) => [one.name ?? one.address, one.status]));

/** The selector table after a cut, which is refused as by the contract. */
const applied = ({ facets }: LiveDiamond, cuts: readonly FacetCut[]): Omit<LiveFacet, 'codeHash'>[] => {
  const table = new Map(facets.flatMap((facet) => facet.selectors.map((selector) => [selector, facet.address])));
  for (const { facet, action, selectors } of cuts) {
    for (const selector of selectors) {
      expect(table.has(selector)).toBe(action !== 'add');
      expect(table.get(selector)).not.toBe(facet);
      if (action === 'remove') table.delete(selector);
      else table.set(selector, facet);
    }
  }
  const owners = [...new Set(table.values())];
  return owners.map((owner) => ({
    address: owner,
    selectors: [...table].flatMap(([selector, by]) => (by === owner ? [selector] : [])),
  }));
};

describe('A cut plan', () => {
  it.each(releases)('is empty for a diamond that looks like $version already', (release) => {
    const plan = planCut(live(release.facets), release);
    expect(plan.cut).toBeNull();
    expect(new Set(plan.contracts.map(({ status }) => status))).toEqual(new Set(['up_to_date']));
    expect(plan.contracts[0]).toMatchObject({ kind: 'diamond', address, current_version: release.version });
  });

  it('from one release to the next replaces existing functions', () => {
    const plan = planCut(live(first.facets), second);
    const [loupe, deal] = [facetOf(second, 'DiamondLoupeFacet'), facetOf(second, 'DealFacet')];
    const older = { loupe: facetOf(first, 'DiamondLoupeFacet'), deal: facetOf(first, 'DealFacet') };
    expect(plan.cut?.cuts).toEqual([
      { facet: loupe.address, action: 'replace', selectors: older.loupe.selectors },
      { facet: deal.address, action: 'replace', selectors: older.deal.selectors },
    ]);
    expect(plan.contracts.map(({ name, status }) => [name, status])).toEqual([
      ['Diamond', 'update_available'],
      ['DiamondCutFacet', 'up_to_date'],
      ['DiamondLoupeFacet', 'update_available'],
      ['DealFacet', 'update_available'],
    ]);
    expect(plan.contracts[3]).toMatchObject({
      address: older.deal.address,
      current_version: '1.0.0',
      latest_version: '1.1.0',
      current_code_hash: older.deal.runtimeCodeHash,
      latest_code_hash: deal.runtimeCodeHash,
      selectors: { add: [], replace: older.deal.selectors, remove: [] },
    });
  });

  it('is call data that expects the planned state of the diamond', () => {
    const { to, data, expectedLoupeHash, cuts } = planCut(live(first.facets), second).cut!;
    expect(to).toBe(address);
    const [list, init, more, expected] = contracts.cut.interface.decodeFunctionData('diamondCutChecked', data);
    expect([list.length, init, more, expected]).toEqual([cuts.length, ZeroAddress, '0x', expectedLoupeHash]);
    expect(expectedLoupeHash).toBe(loupeHash(first.facets));
    expect(loupeHash([...first.facets].reverse())).not.toBe(expectedLoupeHash);
  });

  it("takes the release's functions back from other facets, and removes functions that no release has", () => {
    const deal = facetOf(second, 'DealFacet');
    const [taken, ...kept] = deal.selectors;
    const facets = second.facets.map((facet) => (facet === deal ? { ...facet, selectors: kept } : facet));
    const plan = planCut(live([...facets, { address: foreign, selectors: [strange, taken!] }]), second);
    expect(plan.cut?.cuts).toEqual([
      { facet: deal.address, action: 'replace', selectors: [taken] },
      { facet: ZeroAddress, action: 'remove', selectors: [strange] },
    ]);
    expect(plan.contracts.at(-1)).toMatchObject({
      name: null,
      kind: 'facet',
      address: foreign,
      status: 'unknown',
      update_available: true,
      selectors: { add: [], replace: [], remove: [strange] },
    });
  });

  it('adds missing functions', () => {
    const deal = facetOf(second, 'DealFacet');
    const facets = second.facets.map((facet) =>
      facet === deal ? { ...facet, selectors: deal.selectors.slice(1) } : facet,
    );
    const plan = planCut(live(facets), second);
    expect(plan.cut?.cuts).toEqual([{ facet: deal.address, action: 'add', selectors: [deal.selectors[0]] }]);
    expect(plan.contracts[0]).toMatchObject({ current_version: null, status: 'update_available' });
  });

  it('names a facet of an older release beside the newer one obsolete, and an absent one missing', () => {
    const older = { ...facetOf(first, 'DealFacet'), selectors: facetOf(first, 'DealFacet').selectors.slice(0, 2) };
    const newer = facetOf(second, 'DealFacet');
    const both = [
      ...second.facets.slice(0, 2),
      { ...newer, selectors: newer.selectors.filter((selector) => !older.selectors.includes(selector)) },
      older,
    ];
    const plan = planCut(live(both), second);
    expect(plan.cut?.cuts).toEqual([{ facet: newer.address, action: 'replace', selectors: older.selectors }]);
    expect(plan.contracts.at(-1)).toMatchObject({ name: 'DealFacet', current_version: '1.0.0', status: 'obsolete' });
    expect(statusesOf(live(second.facets.slice(0, 2)), second)).toMatchObject({ DealFacet: 'missing' });
  });

  it('does nothing to a contract that is no diamond of Carat', () => {
    for (const codeHash of [null, keccak256('0x01')]) {
      const plan = planCut({ address, codeHash, facets: [], approved: new Set() }, second);
      expect(plan.cut).toBeNull();
      expect(plan.contracts[0]!.status).toBe(codeHash === null ? 'missing' : 'unknown');
      expect(plan.contracts.some((one) => one.update_available)).toBe(false);
      expect(plan.contracts.slice(1).every(({ status }) => status === 'missing')).toBe(true);
    }
  });

  it('makes any diamond look like the release, and never removes a function of the release', () => {
    const owners = [...releasedFacets.keys(), foreign, `0x${'f1'.repeat(20)}`];
    const selectors = [...new Set(releases.flatMap(({ facets }) => facets.flatMap((facet) => facet.selectors)))];
    const random = createRandom(20261122);
    for (let round = 0; round < 100; round += 1) {
      const told = [...selectors, strange, '0x01020304'].filter(() => random.chance(0.7));
      const served = new Map(told.map((selector) => [selector, random.pick(owners)]));
      const diamond = live(
        owners.flatMap((owner) => {
          const own = told.filter((selector) => served.get(selector) === owner);
          return own.length === 0 ? [] : [{ address: owner, selectors: own }];
        }),
      );
      const target = random.pick(releases);
      const { cut, contracts: shown } = planCut(diamond, target);
      const cuts = cut?.cuts ?? [];
      expect(releaseLike(applied(diamond, cuts))?.version).toBe(target.version);
      for (const { selectors } of shown)
        for (const changed of Object.values(selectors)) expect(changed).toEqual(changed.toSorted());
      for (const action of ['add', 'replace', 'remove'] as const) {
        const all = cuts.flatMap((cut) => (cut.action === action ? cut.selectors : []));
        expect(shown.flatMap((one) => one.selectors[action]).sort()).toEqual(all.sort());
      }
    }
  });
});

describe('Every release', () => {
  it.each(releases)('$version keeps cut, loupe and registry, and all functions of the release before', ({ facets }) => {
    const own = facets.flatMap(({ selectors }) => selectors);
    for (const selector of first.facets.flatMap(({ selectors }) => selectors)) expect(own).toContain(selector);
  });

  it.each(releases)(
    '$version has the hashes of its code, and the diamond, registry and batcher of the first',
    (one) => {
      for (const { runtimeCode, runtimeCodeHash } of one.facets) expect(keccak256(runtimeCode)).toBe(runtimeCodeHash);
      const { diamondCreationCodeHash, registryCreationCodeHash, batcherCreationCodeHash } = first;
      expect(one).toMatchObject({ diamondCreationCodeHash, registryCreationCodeHash, batcherCreationCodeHash });
    },
  );
});
