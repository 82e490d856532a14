import { AbiCoder, concat, getCreate2Address, keccak256, type Interface } from 'ethers';
import type { Platform } from '../../domain/platform.ts';
import { contracts } from './contracts.ts';
import { release } from './releases.ts';

/** A batcher of a platform: the newest one, or an older one that networks still have. */
export interface PlatformBatcher {
  /** The same on every network, lower-case. */
  readonly address: string;
  /** The init code that the deterministic deployer gets. */
  readonly initCode: string;
  readonly interface: Interface;
  /** True when each part of a call has a gas limit; those of the first batcher have none. */
  readonly takesGas: boolean;
}

interface PlatformAddresses {
  readonly registry: string;
  readonly registryInitCode: string;
  /** Newest first. */
  readonly batchers: readonly [PlatformBatcher, ...PlatformBatcher[]];
}

/** Newest first. */
const knownBatchers = [
  { ...contracts.batcher, takesGas: true },
  { ...contracts.firstBatcher, takesGas: false },
] as const;

/** A cache, because hashing the registry's code takes milliseconds; a process knows one platform for each chain. */
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
  const batcherOf = ({ bytecode, interface: own, takesGas }: (typeof knownBatchers)[number]): PlatformBatcher => {
    const initCode = concat([bytecode, coder.encode(['address'], [registry])]);
    return {
      address: create2(release.deployer, release.salt, keccak256(initCode)),
      initCode,
      interface: own,
      takesGas,
    };
  };
  const [newest, ...older] = knownBatchers;
  const addresses: PlatformAddresses = {
    registry,
    registryInitCode,
    batchers: [batcherOf(newest), ...older.map(batcherOf)],
  };
  known.set(key, addresses);
  return addresses;
};

/** Address of the platform's registry on every network, lower-case. */
export const registryAddress = (platform: Platform): string => addressesOf(platform).registry;

/** The platform's batchers, newest first. A network may have only some of them. */
export const batchersOf = (platform: Platform): PlatformAddresses['batchers'] => addressesOf(platform).batchers;

/** Address of the platform's newest batcher on every network, lower-case. */
export const batcherAddress = (platform: Platform): string => batchersOf(platform)[0].address;

/** The init codes of the registry and the newest batcher, for the deterministic deployer. */
export const platformInitCodes = (platform: Platform): { readonly registry: string; readonly batcher: string } => {
  const { registryInitCode, batchers } = addressesOf(platform);
  return { registry: registryInitCode, batcher: batchers[0].initCode };
};

/**
 * A UUID in the form of the contracts.
 * @returns 16 bytes as 0x-prefixed lower-case hex
 * @throws RangeError for text that is not a UUID
 */
export const uuidBytes = (uuid: string): string => {
  const hex = uuid.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new RangeError('not a UUID');
  return `0x${hex}`;
};

/** The UUID of the contracts' 16 bytes, from 0x-prefixed hex. */
export const uuidOf = (bytes: string): string =>
  bytes
    .slice(2)
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Address of the diamond of a node's wallet, the same on every network and known before its deployment (EIP-1014).
 * @param nodeId UUID
 * @param walletId UUID
 * @returns lower-case
 */
export const diamondAddress = (platform: Platform, nodeId: string, walletId: string): string => {
  const salt = keccak256(concat([uuidBytes(nodeId), uuidBytes(walletId)]));
  return create2(registryAddress(platform), salt, release.diamondCreationCodeHash);
};
