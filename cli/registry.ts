import {
  acceptRoot,
  approveRelease,
  changePause,
  offerRoot,
  revokeFacet,
  setRelease,
  isoTime,
  withdrawRoot,
} from '../chain/deploy/registry-changes.ts';
import { readRegistry, type FacetState, type RegistryState, type RoleState } from '../chain/deploy/registry-state.ts';
import type { RegistryAt, WantedChange } from '../chain/deploy/registry.ts';
import type { Release } from '../chain/pure/releases.ts';
import { toldOfRegistry } from '../db/alerts/registry.ts';
import { dismissedOf, signersOf } from '../db/lane/accounts.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { alone, changeCommand, oneAddress } from './change.ts';
import { defineCommand, refuseNobody, UsageError } from './command/command.ts';
import { onNetwork } from './command/networks.ts';
import { countOpenOn, newestText, olderText, releaseNamed } from './network.ts';

/** Makes a command about the release that the words name; by default the newest. */
const releaseCommand = (want: (at: RegistryAt, wanted: Release) => Promise<WantedChange>) =>
  changeCommand(([version, ...rest]) => {
    if (rest.length > 0) throw new UsageError('a network and one release are needed');
    const wanted = releaseNamed(version);
    return (at) => want(at, wanted);
  });

export const registryApprove = releaseCommand(approveRelease);

/** Sets the release of new diamonds. */
export const registrySetRelease = releaseCommand(setRelease);

/** Permanently revokes a facet. */
export const registryRevoke = changeCommand((words) => {
  const facet = oneAddress(words);
  return (at) => revokeFacet(at, facet);
});

/** Stops creation and payment of deals. */
export const registryPause = changeCommand(alone((at) => changePause(at, true)));

/** Resumes creation and payment of deals. */
export const registryUnpause = changeCommand(alone((at) => changePause(at, false)));

/** Offers root to an address. */
export const registryTransferRoot = changeCommand((words) => {
  const account = oneAddress(words);
  refuseNobody(account);
  return (at) => offerRoot(at, account);
});

/** Withdraws the offer of root. */
export const registryWithdrawRoot = changeCommand(alone(withdrawRoot));

/** Accepts root, as the address that it was offered to. */
export const registryAcceptRoot = changeCommand(alone(acceptRoot));

/** Shows a registry's roles, facets, release and pause. */
export const registryShow = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args: [name, ...rest], config, print }) => {
    if (name === undefined || rest.length > 0) throw new UsageError('a network is needed');
    await onNetwork(config, name, async ({ knex, network, rpc }) => {
      const told = await toldOfRegistry(knex, network.id);
      const state = await readRegistry({
        network,
        rpc,
        told,
        countOpen: countOpenOn(knex, network),
        ...(await signersOf(knex, network.id)),
        dismissed: await dismissedOf(knex, network.id),
      });
      for (const [key, value] of stateLines(state, network)) print(`${key.padEnd(10)} ${value}`);
    });
  },
});

const stateLines = (state: RegistryState, network: WatchedNetwork): [key: string, value: string][] => [
  ['registry', state.registry],
  [
    'root',
    `${state.root}${state.root === network.root.toLowerCase() ? '' : `, but the catalogue expects ${network.root}`}`,
  ],
  ['offered to', state.pendingRoot ?? 'nobody'],
  ['paused', state.paused ? 'yes' : 'no'],
  ['delay', `${state.approvalDelay} s`],
  ['release', state.release ?? 'none'],
  ...state.roles.map((role): [string, string] => [role.role, `${role.account} ${roleText(role)}`]),
  ['batcher', `${state.newestBatcher.address} newest, ${newestText(state.newestBatcher, network.name)}`],
  ...state.olderBatchers.map((older): [string, string] => [
    'batcher',
    `${older.address} older, ${olderText(older, network)}`,
  ]),
  ...state.facets.map((facet): [string, string] => ['facet', `${facet.address} ${facetText(facet)}`]),
];

const roleText = ({ isListed, enabled }: RoleState): string => {
  if (isListed) return enabled ? 'has the role' : 'lacks the role: carat role give';
  return 'has the role, but the catalogue does not list it: carat role take';
};

const facetText = ({ label, isThere, effectiveAt, isEffective, revoked }: FacetState): string => {
  if (revoked) return `${label}: permanently revoked`;
  if (effectiveAt === 0n) return `${label}: ${isThere ? 'not approved' : 'not deployed'}`;
  return `${label}: approved, ${isEffective ? 'usable since' : 'not usable before'} ${isoTime(effectiveAt)}`;
};
