import { readBatchers, serves } from '../chain/deploy/batchers.ts';
import {
  acceptRoot,
  approveRelease,
  changePause,
  offerRoot,
  revokeFacet,
  setRelease,
  isoTime,
  withdrawRoot,
  changeRole,
} from '../chain/deploy/registry-changes.ts';
import { readRegistry, type FacetState, type RegistryState, type RoleState } from '../chain/deploy/registry-state.ts';
import { makeChange, type RegistryAt, type WantedChange } from '../chain/deploy/registry.ts';
import { withoutRole } from '../chain/deploy/roles.ts';
import { isAddress } from '../chain/pure/address.ts';
import type { Release } from '../chain/pure/releases.ts';
import { isRole, roleIds } from '../chain/pure/roles.ts';
import { RpcError } from '../chain/rpc/error.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { registryAlerts } from '../db/alerts/reads.ts';
import { dismissedOf, signersOf } from '../db/lane/accounts.ts';
import { keysInUse, nameKey } from '../db/lane/holders.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { actOf } from '../domain/ports/lane.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { defineCommand, UsageError, refuseNobody, readWords } from './command/command.ts';
import type { Database } from './command/database.ts';
import { onNetwork, rpcOf } from './command/networks.ts';
import { callsText, countOpenOn, newestText, olderText, releaseNamed } from './network.ts';

/**
 * Makes a command that changes the registry of a network. It sends the call with a keystore that may, or prints it.
 * @param read parses the words after the network; throws UsageError before any request
 */
const changeCommand = (read: (words: readonly string[]) => (at: RegistryAt) => Promise<WantedChange>) =>
  defineCommand({
    config: ['databaseUrl'],
    run: async ({ args, config, need, print }) => {
      const { values, positionals } = readWords(args, { keystore: { type: 'string' } });
      const [name, ...words] = positionals;
      if (name === undefined) throw new UsageError('a network is needed');
      const want = read(words);
      const file = values.keystore;
      const keystore =
        file === undefined ? null : await openKeystore(file, need('keystorePassphrase').keystorePassphrase);
      await onNetwork(config, name, async (at) => {
        const change = await want(at);
        if ('nothing' in change) return print(`${change.nothing}; nothing was sent`);
        const made = await makeChange(at, change, keystore);
        print(
          made.transaction === null
            ? `${made.left} has to make this call on ${name}${callsText([change.call])}`
            : `${name}: ${change.call.what}; ${made.sender} sent it in ${made.transaction}`,
        );
        if (change.note !== undefined) print(change.note);
        if (made.transaction === null && file !== undefined) {
          throw new Error(`nothing was sent: ${file} has no key that may make this call`);
        }
      });
    },
  });

/** Reads no words: for a command that takes the network only. */
const alone =
  (want: (at: RegistryAt) => Promise<WantedChange>) =>
  (words: readonly string[]): typeof want => {
    if (words.length > 0) throw new UsageError(`unknown argument ${words[0]}: the command takes a network only`);
    return want;
  };

/**
 * Reads exactly one address.
 * @throws UsageError
 */
const oneAddress = ([address, ...rest]: readonly string[]): string => {
  if (address === undefined || rest.length > 0) throw new UsageError('a network and an address are needed');
  if (!isAddress(address)) throw new UsageError(`${address} is not an address`);
  return address.toLowerCase();
};

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
      const told = await registryAlerts(knex, network.id);
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

const roleCommand = (enabled: boolean) =>
  changeCommand(([role, ...words]) => {
    if (!isRole(role)) throw new UsageError(`the roles are ${Object.keys(roleIds).join(', ')}`);
    const account = oneAddress(words);
    if (enabled) refuseNobody(account);
    return (at) => changeRole(at, role, account, enabled);
  });

/** Gives a key a role in the registry of a network, before the catalogue names it. */
export const roleGive = roleCommand(true);

/** Takes a role from a key in the registry of a network; a guardian's key may do it too. */
export const roleTake = roleCommand(false);

/** Warnings about these networks: keys of the catalogue without their role, and older batchers in use. */
export const warnOfRegistries = async (knex: Database, networkIds: readonly string[]): Promise<string[]> => {
  const keys = await keysInUse(knex);
  const networks = (await watchedNetworks(knex)).filter(({ id, isAtRest }) => networkIds.includes(id) && !isAtRest);
  const warnings = networks.map(async (network): Promise<string[]> => {
    const own = keys.filter(({ networkId }) => networkId === network.id);
    try {
      const at = { network, rpc: rpcOf(network) };
      const lacking = await withoutRole(
        at,
        own.map((key) => ({ ...key, account: key.address })),
      );
      const [newest, ...older] = await readBatchers(at);
      const isBehind = !serves(newest) && older.some(serves);
      return [
        ...lacking.map(
          (key) =>
            `${nameKey(key)} cannot ${actOf(key.role)}: ${key.role === 'operator' ? 'it or the batcher' : 'it'} lacks the role`,
        ),
        ...(isBehind
          ? [`${network.name} still uses an older batcher: carat network prepare ${network.name} brings the newest`]
          : []),
      ];
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return [`${network.name}: the roles of its keys are unknown: ${error.message}`];
    }
  });
  return (await Promise.all(warnings)).flat();
};
