import { concat } from 'ethers';
import { facetBytecode } from '../pure/contracts.ts';
import { release } from '../pure/release.ts';

/** A call of another contract, without value. */
export interface Call {
  readonly to: string;
  readonly data: string;
}

/** The call that makes the deterministic deployer create a contract (EIP-1014); it reverts where there is one already. */
export const deployCall = (initCode: string, salt = release.salt): Call => ({
  to: release.deployer,
  data: concat([salt, initCode]),
});

/**
 * The call that deploys a facet of the release.
 * @param name as in the manifest
 * @throws RangeError for an unknown name
 */
export const facetDeployCall = (name: string): Call => deployCall(facetBytecode(name));
