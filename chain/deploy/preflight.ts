import type { DeploymentProblem } from '../../domain/ports/deployment.ts';
import { registryAddress } from '../pure/platform.ts';
import { release, releaseOfRegistry, versionText, type Release } from '../pure/releases.ts';
import { roleIds } from '../pure/roles.ts';
import { agreed, agreedCodes, agreedViews, textOf } from '../rpc/calls.ts';
import { readBatchers, serves } from './batchers.ts';
import type { Inspection } from './inspection.ts';
import { neededRoles } from './roles.ts';

/** TSTORE (EIP-1153), MCOPY (EIP-5656), then an empty contract: runs only where cancun does. */
const cancunProbe = '0x5f5f5d5f5f5f5e5f5ff3';

/**
 * What keeps diamonds from being deployed on the network, as the quorum has it; null when nothing does. A batcher of any version
 * will do: a network that was prepared by an older Carat goes on with the one that it has.
 */
export const preflight = async (inspection: Inspection): Promise<DeploymentProblem | null> =>
  (await preflightChain(inspection)) ?? (await preflightRegistry(inspection)) ?? preflightRoles(inspection);

/** The right chain, new enough, with the deterministic deployer and the contracts of the platform. */
const preflightChain = async ({ network, rpc, problem }: Inspection): Promise<DeploymentProblem | null> => {
  const asked = [{ method: 'eth_chainId' }, { method: 'eth_call', params: [{ data: cancunProbe }, 'latest'] }];
  const [chainId, probe] = await agreed(rpc, network.quorum, asked, (outcome) =>
    !outcome.ok && outcome.error.kind === 'rejected' ? 'rejected' : textOf(outcome),
  );
  if (Number(chainId) !== network.eip155) {
    return problem('wrong_chain', `the RPC endpoint serves chain ${Number(chainId)}, not ${network.eip155}`);
  }
  if (probe !== '0x') return problem('evm_too_old', 'the chain does not run the cancun instructions');
  const needed = [release.deployer, registryAddress(network.platform)];
  const [deployerCode, registryCode] = await agreedCodes(rpc, network.quorum, needed);
  if (deployerCode === '0x') return problem('deployer_missing', `no code at ${release.deployer}`);
  const batchers = await readBatchers({ network, rpc });
  if (registryCode === '0x' || !batchers.some(({ isThere }) => isThere)) {
    return problem('registry_missing', 'the network is not prepared: run `carat network prepare`');
  }
  return null;
};

/**
 * The release of the network: the one that root has set in its registry, where it is one of ours. A newer one that Carat knows
 * is not used before root has set it.
 */
export const networkRelease = async ({ network, rpc, ask }: Inspection, block?: unknown): Promise<Release | null> => {
  const [current] = await agreedViews(rpc, network.quorum, [ask('release')], block);
  const [version, facets] = (current ?? ['', []]) as [string, string[]];
  return releaseOfRegistry(version, facets);
};

/** The registry is the platform's, of the root that is expected now, with a release of ours. */
const preflightRegistry = async (inspection: Inspection): Promise<DeploymentProblem | null> => {
  const { network, rpc, ask, problem } = inspection;
  const { platform } = network;
  const asked = ['root', 'approvalDelay', 'platformId', 'release'].map((name) => ask(name));
  const [root, delay, id, current] = await agreedViews(rpc, network.quorum, asked);
  if (String(root).toLowerCase() !== network.root.toLowerCase()) {
    return problem('root_mismatch', `the registry belongs to ${String(root)}; the catalogue expects ${network.root}`);
  }
  if (delay !== platform.approvalDelay) return problem('delay_mismatch', `the approval delay is ${String(delay)} s`);
  if (String(id).toLowerCase() !== platform.id.toLowerCase()) {
    return problem('platform_mismatch', 'the registry is of another platform id');
  }
  const [version, facets] = current as [string, string[]];
  const found = releaseOfRegistry(version, facets);
  if (found === null)
    return problem('release_mismatch', `the registry's release "${versionText(version)}" is none of ours`);
  return unapproved(inspection, found);
};

/** What the registry approves is code at an address; neither may have changed, and no facet may have been revoked. */
const unapproved = async (
  { network, rpc, ask, problem }: Inspection,
  { facets }: Release,
): Promise<DeploymentProblem | null> => {
  const asked = facets.map(({ address }) => ask('isApproved', address));
  const answers = await agreedViews(rpc, network.quorum, asked);
  const refused = facets.filter((_, index) => answers[index] !== true).map(({ name }) => name);
  return refused.length === 0
    ? null
    : problem('facet_not_approved', `revoked, or other code than was approved: ${refused.join(', ')}`);
};

/** Every key and a batcher have their roles, and the guardian no other one: it may stop things, and nothing else. */
const preflightRoles = async (inspection: Inspection): Promise<DeploymentProblem | null> => {
  const { network, rpc, operators, upgraders, ask, problem } = inspection;
  const { guardian, root } = network;
  const needed = neededRoles({ operators, upgraders, guardian });
  const barred = neededRoles({ operators: [guardian], upgraders: [guardian] });
  const asked = [...needed, ...barred].map(({ role, account }) => ask('roleState', roleIds[role], account));
  const states = await agreedViews(rpc, network.quorum, asked);
  const isEnabled = states.map((state) => (state as readonly unknown[] | undefined)?.[0] === true);
  const missing = needed.filter((_, index) => !isEnabled[index]).map(({ role, account }) => `${account} (${role})`);
  const batchers = await readBatchers({ network, rpc });
  const there = batchers.find(({ isThere }) => isThere);
  if (there !== undefined && !batchers.some(serves)) missing.push(`the batcher ${there.address} (operator)`);
  if (missing.length > 0) return problem('role_missing', `no role in the registry: ${missing.join(', ')}`);
  const more = barred.filter((_, index) => isEnabled[needed.length + index]).map(({ role }): string => role);
  if (root.toLowerCase() === guardian.toLowerCase()) more.push('root');
  if (more.length === 0) return null;
  const also = more.join(' and ');
  return problem('guardian_mismatch', `the guardian ${guardian} is ${also} as well; it must be a key of its own`);
};
