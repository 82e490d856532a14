import { encodeBytes32String } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { release } from '../../../chain/pure/releases.ts';
import { controlTopics, decodeCut, decodeRegistryEvent } from '../../../chain/pure/registry-events.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { hex } from '../../support/fixtures.ts';

const where = {
  address: '0xAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAa',
  blockNumber: '0x10',
  blockHash: hex(32),
  transactionHash: hex(32),
  logIndex: '0x2',
};
const emit = (contract: 'registry' | 'cut', name: string, values: readonly unknown[]) => ({
  ...where,
  ...(contracts[contract].interface.encodeEventLog(name, values) as { topics: string[]; data: string }),
});
const [one, two, code] = [hex(20), hex(20), hex(32)];

describe('events of a registry', () => {
  const logs = {
    RoleSet: emit('registry', 'RoleSet', [roleIds.guardian, one, true]),
    FacetProposed: emit('registry', 'FacetProposed', [one, code, 1_900_000_000]),
    FacetRevoked: emit('registry', 'FacetRevoked', [one, code, two]),
    ReleaseSet: emit('registry', 'ReleaseSet', ['2.0.0', [one, two]]),
    RootTransferStarted: emit('registry', 'RootTransferStarted', [one, two]),
    RootTransferred: emit('registry', 'RootTransferred', [one, two]),
    PausedSet: emit('registry', 'PausedSet', [true, one]),
  };

  it.each([
    ['RoleSet', { role: 'guardian', account: one, enabled: true }],
    ['FacetProposed', { facet: one, codeHash: code, effectiveAt: 1_900_000_000 }],
    ['FacetRevoked', { facet: one, codeHash: code, by: two }],
    ['ReleaseSet', { release: { version: '2.0.0', facets: [one, two] } }],
    ['RootTransferStarted', { from: one, to: two }],
    ['RootTransferred', { from: one, to: two }],
    ['PausedSet', { paused: true, by: one }],
  ] as const)('%s is read', (name, expected) => {
    expect(decodeRegistryEvent(logs[name])).toEqual({
      name,
      address: where.address.toLowerCase(),
      blockNumber: 16,
      logIndex: 2,
      blockHash: where.blockHash,
      transactionHash: where.transactionHash,
      ...expected,
    });
    expect(controlTopics).toContain(logs[name].topics[0]);
  });

  it.each(Object.values(logs).filter((log) => log !== logs.ReleaseSet))('of other shapes are ignored (%#)', (log) => {
    expect(decodeRegistryEvent({ ...log, data: `${log.data}00` })).toBeNull();
    expect(decodeRegistryEvent({ ...log, data: `${log.data}${'0'.repeat(64)}` })).toBeNull();
    expect(decodeRegistryEvent({ ...log, topics: [...log.topics, hex(32)] })).toBeNull();
    expect(decodeRegistryEvent({ ...log, topics: log.topics.slice(0, -1) })).toBeNull();
    const dirty = log.topics.map((topic) => topic.replace(/^0x0{24}/, `0x${'f'.repeat(24)}`));
    expect(decodeRegistryEvent({ ...log, topics: dirty })).toBeNull();
    expect(decodeRegistryEvent({ ...log, topics: [hex(32), ...log.topics.slice(1)] })).toBeNull();
  });

  it('with a boolean that is neither true nor false are ignored', () => {
    const two = `0x${'2'.padStart(64, '0')}`;
    expect(decodeRegistryEvent({ ...logs.RoleSet, data: two })).toBeNull();
    expect(decodeRegistryEvent({ ...logs.PausedSet, data: two })).toBeNull();
  });

  it('name a role as text, and unchanged where it is none', () => {
    const roleOf = (role: string) => decodeRegistryEvent(emit('registry', 'RoleSet', [role, one, true]));
    const odd = `${encodeBytes32String('a\0').slice(0, 8)}${'0'.repeat(56)}01`.slice(0, 66);
    expect(roleOf(encodeBytes32String('treasurer'))).toMatchObject({ role: 'treasurer' });
    for (const role of [`0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, `0x01${'0'.repeat(62)}`, odd]) {
      expect(roleOf(role)).toMatchObject({ role });
    }
  });

  it('that set a release whose label no database accepts, or a long one, are recognised without their label', () => {
    for (const version of ['\0', 'é', 'x'.repeat(65), 'x'.repeat(100_000)]) {
      expect(decodeRegistryEvent(emit('registry', 'ReleaseSet', [version, [one]]))).toMatchObject({ release: null });
    }
    expect(decodeRegistryEvent({ ...logs.ReleaseSet, data: '0x' })).toMatchObject({ release: null });
    expect(decodeRegistryEvent({ ...logs.ReleaseSet, data: `${logs.ReleaseSet.data}00` })).toMatchObject({
      release: null,
    });
  });
});

describe('a cut', () => {
  const zero = `0x${'0'.repeat(40)}`;
  const cut = (cuts: readonly unknown[], init = zero) => emit('cut', 'DiamondCut', [cuts, init, '0x']);

  it('is read with its added, replaced and removed functions', () => {
    const facet = release.facets[0]!;
    expect(
      decodeCut(
        cut([
          [facet.address, 0, facet.selectors],
          [one, 1, ['0x01020304']],
          [zero, 2, ['0xaabbccdd']],
        ]),
      ),
    ).toMatchObject({
      address: where.address.toLowerCase(),
      cuts: [
        { facet: facet.address, action: 'add', selectors: facet.selectors },
        { facet: one, action: 'replace', selectors: ['0x01020304'] },
        { facet: zero, action: 'remove', selectors: ['0xaabbccdd'] },
      ],
    });
  });

  it('of another shape is recognised and not read', () => {
    const good = cut([[one, 0, ['0x01020304']]]);
    for (const log of [
      { ...good, data: '0x' },
      { ...good, data: good.data.slice(0, -64) },
      { ...good, data: `${good.data}00` },
      { ...good, data: `0x${'f'.repeat(640)}` },
      { ...good, topics: [...good.topics, hex(32)] },
      cut([[one, 3, ['0x01020304']]]),
      cut([[one, 0, Array.from({ length: 1_000 }, () => '0x01020304')]]),
    ]) {
      expect(decodeCut(log)).toMatchObject({ address: where.address.toLowerCase(), cuts: null });
    }
  });
});
