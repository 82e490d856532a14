import { keccak256 } from 'ethers';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { registryAddress } from '../pure/platform.ts';
import { releasedFacets, versionText, type Release } from '../pure/releases.ts';
import { roleIds, type Role } from '../pure/roles.ts';
import { agreedCodes } from '../rpc/calls.ts';
import {
  accountOf,
  approveFacetsCall,
  askRegistry,
  hasRole,
  registryCall,
  setReleaseCall,
  setRoleCall,
  type RegistryAt,
  type WantedChange,
} from './registry.ts';

/*
 * Changes that operators make in a registry. Each function reads the chain first and returns the call that is missing,
 * or the reason why none is. A senseless request throws.
 */

const registryOf = ({ network }: RegistryAt): string => registryAddress(network.platform);

/** Unix seconds as ISO 8601. */
export const isoTime = (seconds: bigint | number): string => new Date(Number(seconds) * 1000).toISOString();

/** Gives or takes a role. Root may do both; a guardian may take any role except guardian. */
export const changeRole = async (
  at: RegistryAt,
  role: Role,
  account: string,
  enabled: boolean,
): Promise<WantedChange> => {
  const [state] = await askRegistry(at, [['roleState', roleIds[role], account]]);
  if (hasRole(state) === enabled) {
    return { nothing: `${account} ${enabled ? 'is' : 'is not'} ${role} of ${at.network.name}` };
  }
  const call = setRoleCall(registryOf(at), role, account, enabled);
  return { call, by: enabled || role === 'guardian' ? 'root' : 'guardian' };
};

/** Pauses or resumes the creation and payment of deals. */
export const changePause = async (at: RegistryAt, pause: boolean): Promise<WantedChange> => {
  const [paused] = await askRegistry(at, [['paused']]);
  if (paused === pause) return { nothing: `${at.network.name} is ${pause ? 'paused' : 'not paused'}` };
  const call = registryCall(registryOf(at), pause ? 'pause the registry' : 'unpause the registry', 'setPaused', pause);
  return { call, by: pause ? 'guardian' : 'root' };
};

export const offerRoot = async (at: RegistryAt, account: string): Promise<WantedChange> => {
  const { name } = at.network;
  const responses = await askRegistry(at, [['root'], ['pendingRoot']]);
  const [root, pending] = responses.map(accountOf);
  const offered = account.toLowerCase();
  if (offered === pending) return { nothing: `${account} was offered root of ${name}` };
  if (offered === root) {
    if (pending === null) return { nothing: `${account} is root of ${name}` };
    throw new Error(`${account} is root of ${name}; carat registry withdraw-root withdraws the offer to ${pending}`);
  }
  const what = `offer root to ${account}${pending === null ? '' : ` instead of ${pending}`}`;
  return {
    call: registryCall(registryOf(at), what, 'transferRoot', account),
    by: 'root',
    note:
      `${account} becomes root when it accepts: write root: '${account}' at ${name} in the catalogue and apply it, ` +
      `then carat registry accept-root ${name}`,
  };
};

/** Withdraws the offer of root. */
export const withdrawRoot = async (at: RegistryAt): Promise<WantedChange> => {
  const [pending] = (await askRegistry(at, [['pendingRoot']])).map(accountOf);
  if (pending === null) return { nothing: `nobody was offered root of ${at.network.name}` };
  const what = `withdraw the offer of root to ${pending}`;
  return { call: registryCall(registryOf(at), what, 'transferRoot', ZERO_ADDRESS), by: 'root' };
};

/** Accepts the offer of root. */
export const acceptRoot = async (at: RegistryAt): Promise<WantedChange> => {
  const [root, pending] = (await askRegistry(at, [['root'], ['pendingRoot']])).map(accountOf);
  if (pending === null) return { nothing: `nobody was offered root of ${at.network.name}, its root is ${root}` };
  return {
    call: registryCall(registryOf(at), `take root over from ${root}`, 'acceptRoot'),
    by: 'pendingRoot',
    note: `roles and approvals do not change: carat registry show ${at.network.name} lists them; take away those that should not remain`,
  };
};

/**
 * Revokes a facet permanently.
 * @throws Error when it was never proposed
 */
export const revokeFacet = async (at: RegistryAt, address: string): Promise<WantedChange> => {
  const { name } = at.network;
  const facet = address.toLowerCase();
  const known = releasedFacets.get(facet);
  const codeHash = known?.runtimeCodeHash ?? (await foreignCodeHash(at, facet));
  const [approval, current] = await askRegistry(at, [['approval', facet, codeHash], ['release']]);
  const [effectiveAt, revoked] = approval as readonly [bigint, boolean];
  if (effectiveAt === 0n) throw new Error(`${facet} was never approved on ${name}, so there is nothing to revoke`);
  if (revoked) return { nothing: `${facet} is revoked on ${name}` };
  const label = known === undefined ? `the foreign facet ${facet}` : `${known.name} ${known.version} at ${facet}`;
  const [version, facets] = current as readonly [string, readonly string[]];
  return {
    call: registryCall(registryOf(at), `revoke ${label} for ever`, 'revokeFacet', facet, codeHash),
    by: 'guardian',
    note: facets.some((own) => own.toLowerCase() === facet)
      ? `it is part of ${versionText(version)}, the release of ${name}: no diamond is made until root sets another one`
      : undefined,
  };
};

const foreignCodeHash = async ({ network, rpc }: RegistryAt, facet: string): Promise<string> => {
  const [code = '0x'] = await agreedCodes(rpc, network.quorum, [facet]);
  if (code === '0x') throw new Error(`there is no code at ${facet} on ${network.name}, so it is no facet`);
  return keccak256(code);
};

/** The registry's decisions on the facets of a release, in their order. */
const approvalsOf = async (at: RegistryAt, { facets }: Release) => {
  const [current, delay, ...responses] = await askRegistry(at, [
    ['release'],
    ['approvalDelay'],
    ...facets.map(({ address, runtimeCodeHash }) => ['approval', address, runtimeCodeHash] as const),
    ...facets.map(({ address }) => ['isApproved', address] as const),
  ]);
  const approvals = facets.map((facet, index) => {
    const [effectiveAt, revoked] = responses[index] as readonly [bigint, boolean];
    return { facet, effectiveAt, revoked, isEffective: responses[facets.length + index] === true };
  });
  const revoked = approvals.filter((approval) => approval.revoked).map(({ facet }) => facet.name);
  if (revoked.length > 0) {
    throw new Error(`revoked for ever on ${at.network.name}: ${revoked.join(', ')}; a release with others is needed`);
  }
  return { current: current as readonly [string, readonly string[]], delay: delay as bigint, approvals };
};

/**
 * Approves the facets of a release, which may be used after the registry's delay.
 * @throws Error when one of them is not on the network, or was revoked
 */
export const approveRelease = async (at: RegistryAt, wanted: Release): Promise<WantedChange> => {
  const { name } = at.network;
  const { current, delay, approvals } = await approvalsOf(at, wanted);
  const open = approvals.filter(({ effectiveAt }) => effectiveAt === 0n).map(({ facet }) => facet);
  if (open.length === 0) {
    const from = approvals.map(({ effectiveAt }) => effectiveAt).reduce((a, b) => (a > b ? a : b), 0n);
    return { nothing: `the facets of ${wanted.version} are approved on ${name}, to be used from ${isoTime(from)}` };
  }
  const addresses = open.map(({ address }) => address);
  const found = await agreedCodes(at.rpc, at.network.quorum, addresses);
  const missing = open.filter((_, index) => found[index] === '0x').map((facet) => facet.name);
  if (missing.length > 0) {
    throw new Error(
      `not on ${name} yet: ${missing.join(', ')}; carat network prepare ${name} --release ${wanted.version} deploys them`,
    );
  }
  const [version] = current;
  const wait = version === '' ? 'at once' : `${delay} seconds after this is mined`;
  return {
    call: approveFacetsCall(registryOf(at), open),
    by: 'root',
    note: `they may be used ${wait}; then run carat registry set-release ${name} ${wanted.version}`,
  };
};

/**
 * Sets the release of new diamonds.
 * @throws Error when a facet is not approved, not effective yet, or revoked
 */
export const setRelease = async (at: RegistryAt, wanted: Release): Promise<WantedChange> => {
  const { name } = at.network;
  const { current, approvals } = await approvalsOf(at, wanted);
  const [version, facets] = current;
  const inOrder = wanted.facets.map(({ address }) => address).join();
  if (version === wanted.version && facets.join().toLowerCase() === inOrder) {
    return { nothing: `${version} is the release of ${name}` };
  }
  const unapproved = approvals.filter(({ effectiveAt }) => effectiveAt === 0n).map(({ facet }) => facet.name);
  if (unapproved.length > 0) {
    throw new Error(`not approved on ${name}: ${unapproved.join(', ')}; run carat registry approve first`);
  }
  const early = approvals.filter(({ isEffective }) => !isEffective);
  if (early.length > 0) {
    const times = early.map(({ facet, effectiveAt }) => `${facet.name} from ${isoTime(effectiveAt)}`).join(', ');
    throw new Error(`may not be used on ${name} yet: ${times}`);
  }
  const what = `new diamonds start with ${wanted.version}${version === '' ? '' : ` instead of ${versionText(version)}`}`;
  return {
    call: setReleaseCall(registryOf(at), wanted),
    by: 'root',
    note: `${what}; existing ones do not change`,
  };
};
