import type { DeploymentProblem } from '../../domain/ports/deployment.ts';
import { registryAddress } from '../pure/platform.ts';
import { release, releaseOfRegistry, versionText, type Release } from '../pure/releases.ts';
import { roleIds } from '../pure/roles.ts';
import { agreed, agreedCodes, agreedViews, textOf } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import { readBatchers, serves } from './batchers.ts';
import type { Inspection } from './inspection.ts';
import { neededRoles } from './roles.ts';

/** TSTORE (EIP-1153), MCOPY (EIP-5656), then an empty contract: it runs only on chains with cancun. */
const cancunCode = '0x5f5f5d5f5f5f5e5f5ff3';

/** The words of clients for an instruction that their chain does not have. */
const unknownInstruction = /opcode|(bad|invalid|undefined|unknown) ?instruction|not ?activated|invalid_operation/i;

/**
 * The part of a response that is compared: `unknown` where the chain does not have an instruction. A refusal of the call, such as
 * of every call without a receiver, says nothing of the chain.
 */
const cancunPiece = (outcome: RpcOutcome): string | undefined => {
  if (outcome.ok || outcome.error.kind !== 'rejected') return textOf(outcome);
  const { revertData, message, data } = outcome.error;
  return revertData !== null || unknownInstruction.test(`${message} ${String(data)}`) ? 'unknown' : undefined;
};

/**
 * The problem that prevents diamonds from being deployed on the network, as the quorum reports it, or null. A batcher
 * of any version suffices: a network that an older Carat prepared keeps the one that it has.
 */
export const preflight = async (inspection: Inspection): Promise<DeploymentProblem | null> =>
  (await preflightChain(inspection)) ?? (await preflightRegistry(inspection)) ?? preflightRoles(inspection);

/** Checks the chain id, the cancun instructions, the deterministic deployer and the platform's contracts. */
const preflightChain = async ({ network, rpc, problem }: Inspection): Promise<DeploymentProblem | null> => {
  const asked = [{ method: 'eth_chainId' }, { method: 'eth_call', params: [{ data: cancunCode }, 'latest'] }];
  const [chainId, output] = await agreed(rpc, network.quorum, asked, (outcome, index) =>
    index === 0 ? textOf(outcome) : cancunPiece(outcome),
  );
  if (Number(chainId) !== network.eip155) {
    return problem('wrong_chain', `the RPC endpoint serves chain ${Number(chainId)}, not ${network.eip155}`);
  }
  if (output !== '0x') return problem('evm_too_old', 'the chain does not run the cancun instructions');
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
 * The release that root has set in the network's registry; null when Carat does not know it. Carat uses a newer release
 * only after root has set it.
 */
export const networkRelease = async ({ network, rpc, ask }: Inspection, block?: unknown): Promise<Release | null> => {
  const [current] = await agreedViews(rpc, network.quorum, [ask('release')], block);
  const [version, facets] = (current ?? ['', []]) as [string, string[]];
  return releaseOfRegistry(version, facets);
};

/** Checks that the registry is the platform's, with the expected root and a release that Carat knows. */
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
    return problem('platform_mismatch', 'the registry has another platform id');
  }
  const [version, facets] = current as [string, string[]];
  const found = releaseOfRegistry(version, facets);
  if (found === null)
    return problem('release_mismatch', `the registry's release "${versionText(version)}" is not one of Carat's`);
  return unapproved(inspection, found);
};

/** Checks that no facet was revoked and none has other code than the registry approved at its address. */
const unapproved = async (
  { network, rpc, ask, problem }: Inspection,
  { facets }: Release,
): Promise<DeploymentProblem | null> => {
  const asked = facets.map(({ address }) => ask('isApproved', address));
  const responses = await agreedViews(rpc, network.quorum, asked);
  const refused = facets.filter((_, index) => responses[index] !== true).map(({ name }) => name);
  return refused.length === 0
    ? null
    : problem('facet_not_approved', `revoked, or with other code than approved: ${refused.join(', ')}`);
};

/** Checks that all keys and a batcher have their roles, and that the guardian, which only stops things, has no other. */
const preflightRoles = async (inspection: Inspection): Promise<DeploymentProblem | null> => {
  const { network, rpc, operators, upgraders, ask, problem } = inspection;
  const { guardian, root } = network;
  const needed = neededRoles({ operators, upgraders, guardian });
  const barred = neededRoles({ operators: [guardian], upgraders: [guardian], signers: [guardian] });
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
  return problem('guardian_mismatch', `the guardian ${guardian} is ${also} as well; it must be a separate key`);
};
