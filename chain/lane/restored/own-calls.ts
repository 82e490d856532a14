import type { Interface } from 'ethers';
import type { Platform } from '../../../domain/platform.ts';
import { facetDeployCall } from '../../deploy/deployer.ts';
import { contracts } from '../../pure/contracts.ts';
import { batchersOf, registryAddress } from '../../pure/platform.ts';
import { release, releasedFacets } from '../../pure/releases.ts';

/** A deal in a call of a batcher. */
export interface CalledDeal {
  readonly diamond: string;
  readonly dealId: bigint;
  /** Null in a cancel. */
  readonly termsHash: string | null;
}

/** A contract and the call data to it, lower-case. */
interface Call {
  readonly to: string;
  readonly data: string;
}

/** The arguments of a call; null unless it is one of these functions, and encoded as Carat encodes. */
const argumentsOf = (
  abi: Interface,
  { data }: Call,
  names: readonly string[],
): [name: string, args: unknown[]] | null => {
  try {
    const parsed = abi.parseTransaction({ data });
    if (parsed === null || !names.includes(parsed.name)) return null;
    const args = parsed.args.toArray(true) as unknown[];
    return abi.encodeFunctionData(parsed.fragment, args) === data ? [parsed.name, args] : null;
  } catch {
    // Data that cannot be decoded.
    return null;
  }
};

/**
 * Reads a call by which an operator of Carat creates or cancels deals through a batcher.
 * @returns null for any other call
 */
export const dealsOf = (
  platform: Platform,
  call: Call,
): { readonly name: string; readonly deals: CalledDeal[] } | null => {
  const batcher = batchersOf(platform).find(({ address }) => address === call.to);
  if (batcher === undefined) return null;
  const abi = contracts[batcher.takesGas ? 'batcher' : 'firstBatcher'].interface;
  const found = argumentsOf(abi, call, ['createDeals', 'cancelDeals']);
  if (found === null) return null;
  const [name, [parts]] = found as [string, [unknown[][]]];
  const isCreate = name === 'createDeals';
  // The diamond comes first and its deals last, for every batcher.
  const deals = parts.flatMap((part) =>
    (part.at(-1) as unknown[]).map((deal): CalledDeal => ({
      diamond: String(part[0]).toLowerCase(),
      dealId: isCreate ? ((deal as unknown[])[0] as bigint) : (deal as bigint),
      termsHash: isCreate ? String((deal as unknown[])[1]).toLowerCase() : null,
    })),
  );
  return { name, deals };
};

/** True for a call that deploys a released facet, or creates a diamond. From any sender it has this effect and no other. */
const isDeployment = (platform: Platform, call: Call): boolean => {
  if (call.to === release.deployer.toLowerCase()) {
    return [...releasedFacets.values()].some((facet) => facetDeployCall(facet).data.toLowerCase() === call.data);
  }
  return (
    call.to === registryAddress(platform) && argumentsOf(contracts.registry.interface, call, ['createDiamond']) !== null
  );
};

/**
 * Tells whether a call is one that Carat makes with a key of this role.
 * @returns its deals, none for a deployment; null for a call that Carat does not make, or that could do anything, such as a cut
 */
export const readOwnCall = (platform: Platform, role: string, call: Call): CalledDeal[] | null => {
  if (role === 'operator') return dealsOf(platform, call)?.deals ?? null;
  return isDeployment(platform, call) ? [] : null;
};
