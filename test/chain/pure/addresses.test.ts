import { AbiCoder, concat, getCreate2Address, keccak256, solidityPackedKeccak256 } from 'ethers';
import { checksum, isAddress, toStoredAddress } from '../../../chain/pure/address.ts';
import {
  batcherAddress,
  batchersOf,
  diamondAddress,
  platformInitCodes,
  registryAddress,
  uuidBytes,
} from '../../../chain/pure/platform.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { facetCreationCode, release } from '../../../chain/pure/releases.ts';

const platform = {
  firstRoot: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  approvalDelay: 0n,
  id: `0x${'ab'.repeat(32)}`,
};
const nodeId = '0190c1de-0000-7000-8000-000000000001';
const walletId = '0190c1de-0000-7000-8000-0000000000ff';

describe('addresses', () => {
  it('accept lower case, upper case and a right checksum, and nothing else', () => {
    const mixed = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
    expect(isAddress(mixed)).toBe(true);
    expect(isAddress(mixed.toLowerCase())).toBe(true);
    expect(isAddress(`0x${mixed.slice(2).toUpperCase()}`)).toBe(true);
    expect(isAddress(mixed.replace('F39', 'f39').replace('Fd6', 'fD6'))).toBe(false);
    expect(isAddress(mixed.slice(2))).toBe(false);
    expect(isAddress(`${mixed}0`)).toBe(false);
    expect(isAddress('XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS')).toBe(false);
    expect(checksum(toStoredAddress(mixed))).toBe(mixed);
  });

  it('are the CREATE2 addresses of registry, batcher and diamond', () => {
    const registryInit = concat([
      contracts.registry.bytecode,
      AbiCoder.defaultAbiCoder().encode(['address', 'uint256', 'bytes32'], [platform.firstRoot, 0n, platform.id]),
    ]);
    const registry = getCreate2Address(release.deployer, release.salt, keccak256(registryInit));
    expect(registryAddress(platform)).toBe(registry.toLowerCase());
    expect(platformInitCodes(platform).registry).toBe(registryInit);
    expect(batcherAddress(platform)).toBe(
      getCreate2Address(release.deployer, release.salt, keccak256(platformInitCodes(platform).batcher)).toLowerCase(),
    );
    const salt = solidityPackedKeccak256(['bytes16', 'bytes16'], [uuidBytes(nodeId), uuidBytes(walletId)]);
    const diamond = getCreate2Address(registry, salt, keccak256(contracts.diamond.bytecode));
    expect(diamondAddress(platform, nodeId, walletId)).toBe(diamond.toLowerCase());
    expect(diamondAddress(platform, nodeId.toUpperCase(), walletId)).toBe(diamond.toLowerCase());
  });

  it('of all earlier batchers are known, newest first', () => {
    const [newest, first, ...others] = batchersOf(platform);
    expect(others).toEqual([]);
    expect(newest.address).toBe(batcherAddress(platform));
    expect([newest.takesGas, first?.takesGas]).toEqual([true, false]);
    expect(newest.interface).toBe(contracts.batcher.interface);
    expect(first?.interface).toBe(contracts.firstBatcher.interface);
    for (const { address, initCode } of [newest, first!]) {
      expect(getCreate2Address(release.deployer, release.salt, keccak256(initCode)).toLowerCase()).toBe(address);
      expect(initCode.endsWith(registryAddress(platform).slice(2))).toBe(true);
    }
    expect(keccak256(contracts.firstBatcher.bytecode)).toBe(release.batcherCreationCodeHash);
    expect(first!.address).not.toBe(newest.address);
  });

  it('differ by platform and refuse ids that are no UUIDs', () => {
    const other = { ...platform, approvalDelay: 1n };
    expect(registryAddress(other)).not.toBe(registryAddress(platform));
    expect(diamondAddress(other, nodeId, walletId)).not.toBe(diamondAddress(platform, nodeId, walletId));
    expect(() => diamondAddress(platform, 'x', walletId)).toThrow(RangeError);
  });

  it('of the facets follow from their creation code', () => {
    expect(release.facets).toHaveLength(4);
    for (const facet of release.facets) {
      const initCodeHash = keccak256(facetCreationCode(facet));
      expect(initCodeHash).toBe(facet.creationCodeHash);
      expect(getCreate2Address(release.deployer, facet.salt, initCodeHash).toLowerCase()).toBe(facet.address);
    }
  });
});
