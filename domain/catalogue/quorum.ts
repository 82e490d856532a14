/** The number of endpoints of a network that must agree, and the risk of too few. */
import { isLocalPlatform, type Platform } from '../platform.ts';

/**
 * The quorum of a network that names none: two if there are three or more endpoints, so that neither one liar nor one outage decides.
 * @param endpoints of the network, at least one
 * @returns null for two endpoints, because either choice gives something up
 */
export const defaultQuorum = (endpoints: number): number | null => (endpoints === 2 ? null : Math.min(endpoints, 2));

/** What each quorum of two endpoints gives up. */
export const quorumsOfTwo =
  'with 2, an outage of either endpoint stops the network; with 1, a lie of either endpoint decides which payments count as paid';

interface NetworkEndpoints {
  readonly rpcUrls: readonly string[];
  readonly quorum: number;
  readonly platform: Pick<Platform, 'id'>;
}

/** The risk that one endpoint decides alone, with its remedy; null where two must agree, and for the local stack's own chains. */
export const quorumRisk = ({
  rpcUrls,
  quorum,
  platform,
}: NetworkEndpoints): { readonly found: string; readonly remedy: string } | null => {
  const distinct = new Set(rpcUrls).size;
  if (Math.min(quorum, distinct) > 1 || isLocalPlatform(platform)) return null;
  const harm = 'its lie completes payments that nobody paid';
  if (distinct === 1) {
    return {
      found: `its only endpoint decides alone (quorum ${quorum}): ${harm}`,
      remedy: 'list three endpoints of different providers in the catalogue',
    };
  }
  const third = distinct === 2 ? 'list a third endpoint and ' : '';
  return {
    found: `each of its ${rpcUrls.length} endpoints decides alone (quorum 1): ${harm}`,
    remedy: `${third}set quorum: 2 in the catalogue, then carat catalogue apply`,
  };
};
