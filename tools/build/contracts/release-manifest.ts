import { getCreate2Address, keccak256 } from 'ethers';
import firstBatcher from '../../../contracts/batchers/1.json' with { type: 'json' };
import type { CompiledContract, CompiledContracts } from './compile.ts';

const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/**
 * All opcodes that code can reach. The data of PUSH is skipped, because the EVM never jumps into it. Data after the
 * code counts as code, so that nothing can hide there.
 * @param code runtime code as 0x-prefixed hex
 */
export function opcodesOf(code: string): ReadonlySet<number> {
  const bytes = Buffer.from(code.slice(2), 'hex');
  const found = new Set<number>();
  for (let position = 0; position < bytes.length; position += 1) {
    const opcode = bytes[position]!;
    found.add(opcode);
    if (opcode >= PUSH1 && opcode <= PUSH32) position += opcode - PUSH1 + 1;
  }
  return found;
}

/** The deterministic deployer, at this address on practically every EVM network. */
const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** One salt serves all contracts, because the creation code already makes addresses differ. */
const salt = `0x${'00'.repeat(32)}`;

/** Version of the release of these sources. Manifests of earlier releases are never written again. */
export const version = '1.3.0';

/** In the order in which a diamond adds them. */
const facets = [
  { name: 'DiamondCutFacet', version: '1.0.0' },
  { name: 'DiamondLoupeFacet', version: '1.2.0' },
  { name: 'DealFacet', version: '1.2.0' },
  { name: 'OfferFacet', version: '1.0.0' },
] as const;

/** Opcodes by which a facet could run foreign code in a diamond, or free its address for other code (EIP-6780). */
const refusedOpcodes = new Map([
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xff, 'SELFDESTRUCT'],
]);

/** Functions with which each facet describes itself; never part of a diamond. */
const introspection = ['exportSelectors()', 'facetName()', 'facetVersion()'];

/**
 * The manifest of this release: the contracts, their addresses, and their code hashes.
 * @throws Error for a facet that diamonds cannot share (constructor, immutable, plain storage), or whose code can
 *   change
 */
export function releaseManifest(compiled: CompiledContracts): object {
  return {
    version,
    deployer,
    salt,
    diamondCreationCodeHash: keccak256(compiled.get('Diamond').bytecode),
    diamondRuntimeCodeHash: keccak256(compiled.get('Diamond').runtimeCode),
    registryCreationCodeHash: keccak256(compiled.get('Registry').bytecode),
    // The first batcher's: no release depends on a batcher, and later ones came without a release.
    batcherCreationCodeHash: keccak256(firstBatcher.bytecode),
    facets: facets.map((facet) => describeFacet(facet.name, facet.version, compiled.get(facet.name))),
  };
}

function describeFacet(name: string, facetVersion: string, contract: CompiledContract): object {
  assertFacet(name, contract);
  const creationCodeHash = keccak256(facetCreationCode(contract.runtimeCode));
  const selectors = Object.entries(contract.selectors)
    .filter(([signature]) => !introspection.includes(signature))
    .map(([signature, selector]) => ({ selector: `0x${selector}`, signature }))
    .sort((a, b) => (a.selector < b.selector ? -1 : 1));
  return {
    name,
    version: facetVersion,
    address: getCreate2Address(deployer, salt, creationCodeHash),
    salt,
    creationCodeHash,
    runtimeCodeHash: keccak256(contract.runtimeCode),
    selectors: selectors.map(({ selector }) => selector),
    signatures: Object.fromEntries(selectors.map(({ selector, signature }) => [selector, signature])),
    runtimeCode: contract.runtimeCode,
  };
}

/**
 * Creation code that deploys the runtime code appended to it, as `LibFacet.creationCode` of the contracts: the registry
 * approves a facet only if its address follows from its runtime code.
 */
export function facetCreationCode(runtimeCode: string): string {
  const length = (runtimeCode.length - 2) / 2;
  return `0x61${length.toString(16).padStart(4, '0')}80600a5f395ff3${runtimeCode.slice(2)}`;
}

/** @throws Error that names everything that a facet must not have. */
export function assertFacet(name: string, contract: CompiledContract): void {
  const opcodes = opcodesOf(contract.runtimeCode);
  const problems = [
    contract.abi.some(({ type }) => type === 'constructor') && 'a constructor',
    contract.hasImmutables && 'immutables',
    contract.hasPlainStorage && 'plain state variables',
    ...[...refusedOpcodes].map(([opcode, mnemonic]) => opcodes.has(opcode) && mnemonic),
  ].filter((problem) => problem !== false);
  if (problems.length > 0) {
    throw new Error(`Facet ${name} has ${problems.join(', ')}; facets are stateless and run no code but their own`);
  }
}
