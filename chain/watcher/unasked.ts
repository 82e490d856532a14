import type { IncidentKind } from '../../domain/alerts/incident.ts';
import type { Alert } from '../../domain/ports/alert.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import type { WantedControl } from '../../domain/ports/watcher.ts';
import type { FacetCut } from '../../domain/version-check.ts';
import { batchersOf } from '../pure/platform.ts';
import { decodeCut, type CutEvent, type RegistryEvent } from '../pure/registry-events.ts';
import { release, releasedFacets, releaseOfRegistry, releases } from '../pure/releases.ts';
import { isRole } from '../pure/roles.ts';
import type { WatchRun } from './context.ts';
import type { BlockLogs } from './logs.ts';

/** The state of the registry that the catalogue and the releases expect. */
interface Wanted extends WantedControl {
  /** Lower-case addresses; the newest first. */
  readonly batchers: readonly string[];
}

/** An alert about an event without a request here, still without its place. A pause lasts; all others are incidents. */
interface Finding extends Pick<Alert, 'message' | 'data'> {
  readonly kind: IncidentKind | 'registry_paused';
}

type Judge<Name extends RegistryEvent['name']> = (
  event: Extract<RegistryEvent, { name: Name }>,
  wanted: Wanted,
) => Finding | null;

const timeOf = (unix: number): string => new Date(Math.min(unix * 1000, 8.64e15)).toISOString();

const judgeRole: Judge<'RoleSet'> = ({ role, account, enabled }, { roles, batchers }) => {
  const isListed =
    roles.some((listed) => listed.role === role && listed.account === account) ||
    (role === 'operator' && (enabled ? batchers.includes(account) : account === batchers[0]));
  if (isRole(role) && enabled === isListed) return null;
  const holder = `the account ${account}, which the catalogue ${isListed ? 'lists' : 'does not list'} for it`;
  return {
    kind: 'role_not_asked_for',
    message: enabled ? `The role ${role} was given to ${holder}` : `The role ${role} was taken from ${holder}`,
    data: { role, account, enabled },
  };
};

const judgeProposal: Judge<'FacetProposed'> = ({ facet, codeHash, effectiveAt }) => {
  if (releasedFacets.get(facet)?.runtimeCodeHash === codeHash) return null;
  const from = timeOf(effectiveAt);
  return {
    kind: 'facet_not_asked_for',
    message: `Root approved code at ${facet} that no release has: a guardian can revoke it before diamonds may be cut to it, which is from ${from}`,
    data: { facet, code_hash: codeHash, effective_at: from },
  };
};

const judgeRevocation: Judge<'FacetRevoked'> = ({ facet, codeHash, by }) => {
  const known = releasedFacets.get(facet);
  const whose = known === undefined ? 'which no release has' : `${known.name} ${known.version}`;
  return {
    kind: 'facet_revoked',
    message: `The facet ${facet}, ${whose}, was revoked by ${by}`,
    data: { facet, code_hash: codeHash, by },
  };
};

const judgeRelease: Judge<'ReleaseSet'> = ({ release: set }) => {
  const known = set && releaseOfRegistry(set.version, set.facets);
  if (known === release) return null;
  return {
    kind: 'release_not_asked_for',
    message: known
      ? `New diamonds start with the release ${known.version} again, and updates lead back to it; the newest is ${release.version}`
      : 'New diamonds start with a release that is none of ours',
    data: { version: set?.version ?? null, facets: set?.facets ?? null },
  };
};

const judgeRoot: Judge<'RootTransferStarted' | 'RootTransferred'> = ({ name, from, to }, { root }) => {
  // A new registry emits its first root, which its address is derived from.
  if (to === root || from === ZERO_ADDRESS) return null;
  const isOffer = name === 'RootTransferStarted';
  const offer = to === ZERO_ADDRESS ? 'withdrew the offer of its place' : `offered its place to ${to}`;
  return {
    kind: 'root_not_asked_for',
    message: `${isOffer ? `The root ${from} ${offer}` : `The root is ${to} now, no longer ${from}`}; expected is ${root}`,
    data: { from, to, is_offer: isOffer },
  };
};

const judgePause: Judge<'PausedSet'> = ({ paused, by }) => ({
  kind: paused ? 'registry_paused' : 'registry_unpaused',
  message: paused
    ? `The registry was paused by ${by}: deals are neither created nor paid`
    : `The registry was unpaused by ${by}`,
  data: { by },
});

const judgeEvent = (event: RegistryEvent, wanted: Wanted): Finding | null => {
  switch (event.name) {
    case 'RoleSet':
      return judgeRole(event, wanted);
    case 'FacetProposed':
      return judgeProposal(event, wanted);
    case 'FacetRevoked':
      return judgeRevocation(event, wanted);
    case 'ReleaseSet':
      return judgeRelease(event, wanted);
    case 'PausedSet':
      return judgePause(event, wanted);
    default:
      return judgeRoot(event, wanted);
  }
};

const cutText = (cuts: readonly FacetCut[]): string =>
  cuts.map(({ facet, action, selectors }) => [facet, action, ...selectors.toSorted()].join()).join(';');

const cutsOfCreation = new Set(
  releases.map(({ facets }) =>
    cutText(facets.map(({ address: facet, selectors }) => ({ facet, action: 'add', selectors }))),
  ),
);

/** The selectors by facet after a cut; removed selectors are under the zero address. */
const servedAfter = (cuts: readonly FacetCut[]): Record<string, string[]> => {
  const facets = new Map(cuts.flatMap(({ facet, selectors }) => selectors.map((selector) => [selector, facet])));
  const served: Record<string, string[]> = {};
  for (const [selector, facet] of facets) (served[facet] ??= []).push(selector);
  return served;
};

const judgeCut = ({ address, cuts }: CutEvent): Finding | null => {
  // A diamond's creation cut cannot repeat: it contains cut and loupe, which cannot be removed and added again.
  if (cuts !== null && cutsOfCreation.has(cutText(cuts))) return null;
  const served = cuts === null ? null : servedAfter(cuts);
  const what = Object.entries(served ?? {}).map(([facet, selectors]) =>
    facet === ZERO_ADDRESS ? `nobody serves ${selectors.join()}` : `${facet} serves ${selectors.join()}`,
  );
  const after = served === null ? 'the event cannot be read' : what.join('; ').slice(0, 1_000);
  return {
    kind: 'cut_not_asked_for',
    message: `The diamond ${address} was cut: ${after}`,
    data: { diamond: address, served },
  };
};

const alertOf = (finding: Finding | null, networkId: string, event: Omit<CutEvent, 'cuts'>): Alert[] => {
  if (finding === null) return [];
  const { transactionHash, blockNumber, blockHash, logIndex } = event;
  return [
    {
      ...finding,
      subject: finding.kind === 'registry_paused' ? networkId : `${networkId}:${blockHash}:${logIndex}`,
      data: { ...finding.data, transaction_hash: transactionHash, block_number: blockNumber },
    },
  ];
};

/**
 * Alerts about changes of the registry and of our diamonds that the catalogue, the release of this version and the
 * deployments do not explain. Asks the store only when a log needs judging.
 */
export const unaskedAlerts = async (
  { store, lease, network }: WatchRun,
  { registry, cuts }: BlockLogs,
): Promise<Alert[]> => {
  const alerts: Alert[] = [];
  if (registry.length > 0) {
    const batchers = batchersOf(network.platform).map(({ address }) => address);
    const wanted = { ...(await store.wantedControl(lease)), batchers };
    for (const event of registry) alerts.push(...alertOf(judgeEvent(event, wanted), network.id, event));
  }
  if (cuts.length > 0) {
    const places = cuts.map((log) => ({
      diamond: log.address.toLowerCase(),
      transactionHash: log.transactionHash.toLowerCase(),
    }));
    for (const { index, isWanted } of await store.cutsOfOurs(lease, places)) {
      if (isWanted) continue;
      const event = decodeCut(cuts[index]!);
      alerts.push(...alertOf(judgeCut(event), network.id, event));
    }
  }
  return alerts;
};
