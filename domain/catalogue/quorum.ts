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

const others = 'list three endpoints of different providers in the catalogue, then carat catalogue apply';

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
  if (isLocalPlatform(platform)) return null;
  const count = rpcUrls.length;
  const harm = 'its lie completes payments that nobody paid';
  if (count === 1) return { found: `its only endpoint decides alone (quorum ${quorum}): ${harm}`, remedy: others };
  if (quorum === 1) {
    const third = count === 2 ? 'list a third endpoint and ' : '';
    return {
      found: `each of its ${count} endpoints decides alone (quorum 1): ${harm}`,
      remedy: `${third}set quorum: 2 in the catalogue, then carat catalogue apply`,
    };
  }
  const hosts = Map.groupBy(rpcUrls, (url) => new URL(url).host);
  const own = Math.max(...[...hosts.values()].map(({ length }) => length));
  if (own < quorum) return null;
  return {
    found: `${own} of its ${count} endpoints have one host, which decides alone (quorum ${quorum}): ${harm}`,
    remedy: others,
  };
};
