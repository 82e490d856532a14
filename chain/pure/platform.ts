import { AbiCoder, concat, getCreate2Address, keccak256 } from 'ethers';
import type { Platform } from '../../domain/platform.ts';
import { contracts } from './contracts.ts';
import { release } from './releases.ts';

interface PlatformAddresses {
  readonly registry: string;
  readonly batcher: string;
  readonly registryInitCode: string;
  readonly batcherInitCode: string;
}

/** Hashing the registry's code takes milliseconds, and a process knows few platforms: one for each chain. */
const known = new Map<string, PlatformAddresses>();

const create2 = (deployer: string, salt: string, initCodeHash: string): string =>
  getCreate2Address(deployer, salt, initCodeHash).toLowerCase();

const addressesOf = (platform: Platform): PlatformAddresses => {
  const key = `${platform.firstRoot.toLowerCase()}:${platform.approvalDelay}:${platform.id.toLowerCase()}`;
  const found = known.get(key);
  if (found) return found;
  const coder = AbiCoder.defaultAbiCoder();
  const registryArguments = coder.encode(
    ['address', 'uint256', 'bytes32'],
    [platform.firstRoot.toLowerCase(), platform.approvalDelay, platform.id],
  );
  const registryInitCode = concat([contracts.registry.bytecode, registryArguments]);
  const registry = create2(release.deployer, release.salt, keccak256(registryInitCode));
  const batcherInitCode = concat([contracts.batcher.bytecode, coder.encode(['address'], [registry])]);
  const batcher = create2(release.deployer, release.salt, keccak256(batcherInitCode));
  const addresses = { registry, batcher, registryInitCode, batcherInitCode };
  known.set(key, addresses);
  return addresses;
};

/** Address of the platform's registry on every network, lower-case. */
export const registryAddress = (platform: Platform): string => addressesOf(platform).registry;

/** Address of the platform's batcher on every network, lower-case. */
export const batcherAddress = (platform: Platform): string => addressesOf(platform).batcher;

/** What the deterministic deployer is sent to deploy the registry and the batcher. */
export const platformInitCodes = (platform: Platform): { readonly registry: string; readonly batcher: string } => {
  const { registryInitCode, batcherInitCode } = addressesOf(platform);
  return { registry: registryInitCode, batcher: batcherInitCode };
};

/**
 * A UUID as the contracts know it.
 * @returns 16 bytes as 0x-prefixed lower-case hex
 * @throws RangeError for text that is no UUID
 */
export const uuidBytes = (uuid: string): string => {
  const hex = uuid.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new RangeError('not a UUID');
  return `0x${hex}`;
};

/** The UUID that the contracts know as these 16 bytes of hex. */
export const uuidOf = (bytes: string): string =>
  bytes
    .slice(2)
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Address of the diamond of a node's wallet, the same on every network and known before it is deployed (EIP-1014).
 * @param nodeId UUID
 * @param walletId UUID
 * @returns lower-case
 */
export const diamondAddress = (platform: Platform, nodeId: string, walletId: string): string => {
  const salt = keccak256(concat([uuidBytes(nodeId), uuidBytes(walletId)]));
  return create2(registryAddress(platform), salt, release.diamondCreationCodeHash);
};
