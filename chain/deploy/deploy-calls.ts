import { concat } from 'ethers';
import type { ContractCall } from '../../domain/deployment.ts';
import { facetBytecode, release } from '../pure/contracts.ts';

/** The call that makes the deterministic deployer create a contract (EIP-1014); it reverts where there is one already. */
export const deployCall = (initCode: string, salt = release.salt): ContractCall => ({
  to: release.deployer,
  data: concat([salt, initCode]),
});

/**
 * The call that deploys a facet of the release.
 * @param name as in the manifest
 * @throws RangeError for an unknown name
 */
export const facetDeployCall = (name: string): ContractCall => deployCall(facetBytecode(name));
