import { createDeployer } from '../../chain/deploy/deployer.ts';
import { checkEndpoint } from '../../chain/deploy/network-check.ts';
import { askRegistry } from '../../chain/deploy/registry.ts';
import { withoutRole } from '../../chain/deploy/roles.ts';
import { RpcError } from '../../chain/rpc/error.ts';
import { tokenFaults } from '../../chain/tokens/faults.ts';
import type { NetworkQuestion } from '../../domain/ports/network-check.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { lateAfterMs } from '../../domain/catalogue/late-blocks.ts';
import { quorumRisk } from '../../domain/catalogue/quorum.ts';
import { withinMs } from '../../domain/tools/within-ms.ts';
import { rpcOf } from '../command/networks.ts';
import { countText, spanText } from '../command/text.ts';
import { findingsOf, type Finding } from './finding.ts';
import { fundsFindings, guardianFindings, type KeyLook } from './keys.ts';

/** Milliseconds for each exchange with an endpoint, for all of them with one, and for the registry. */
const EXCHANGE_MS = 3_000;
const ENDPOINT_MS = 6_000;
const REGISTRY_MS = 8_000;

type Checked = Awaited<ReturnType<typeof checkEndpoint>>;

/** An endpoint of a network, as it was found. */
interface Endpoint {
  /** Such as `RPC endpoint 1 of 2`. */
  readonly name: string;
  readonly checked: Checked | null;
  /** Why it does not respond. */
  readonly error: string | null;
}

const lookAt = async (network: WatchedNetwork, url: string, index: number): Promise<Endpoint> => {
  const name = `RPC endpoint ${index + 1} of ${network.rpcUrls.length}`;
  try {
    const checked = await withinMs(ENDPOINT_MS, checkEndpoint(url, network, EXCHANGE_MS));
    return { name, checked: checked ?? null, error: checked === undefined ? 'no response in time' : null };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { name, checked: null, error: error.message };
  }
};

/** The fault of an endpoint that responds, in words that follow its name. */
const faultOf = (network: WatchedNetwork, { checked }: Endpoint, best: number): string | null => {
  const [problem] = checked?.problems ?? [];
  if (problem !== undefined) return problem;
  if (checked === null) return null;
  // An endpoint may have pruned block 0, which is a warning.
  if ((checked.genesisHash?.toLowerCase() ?? network.genesisHash) !== network.genesisHash) {
    return 'has another genesis block than the network had before: it is another chain';
  }
  const behind = best - (checked.tip?.number ?? best);
  return behind * network.blockTimeMs > lateAfterMs(network.blockTimeMs)
    ? `is ${behind} blocks behind the others`
    : null;
};

const replace = 'correct or replace this endpoint in the catalogue, then carat catalogue apply';

const endpointFindings = (network: WatchedNetwork, endpoints: readonly Endpoint[], now: () => number): Finding[] => {
  const about = findingsOf(`network ${network.name}`);
  const tips = endpoints.flatMap(({ checked }) => checked?.tip ?? []);
  const best = Math.max(0, ...tips.map(({ number }) => number));
  const faults = endpoints.map((endpoint) => faultOf(network, endpoint, best));
  const good = endpoints.filter(({ error }, index) => error === null && faults[index] === null).length;
  const isEnough = good >= network.quorum;
  const risk = quorumRisk(network);
  const silent = isEnough ? about.warning : about.problem;
  const newest = Math.max(...tips.map(({ timestamp }) => timestamp));
  const age = now() / 1_000 - newest;
  return [
    ...endpoints.flatMap(({ name, checked, error }, index): Finding[] => {
      const fault = faults[index] ?? null;
      if (error !== null) return [silent(`${name} does not respond: ${error}`, replace)];
      if (fault !== null) return [about.problem(`${name} ${fault}`, replace)];
      return [...(checked?.warnings ?? []), ...(checked?.unfit ?? []).map((text) => `has ${text}`)].map((text) =>
        about.warning(`${name} ${text}`, 'docs/operations/endpoints.md says what Carat loses'),
      );
    }),
    isEnough
      ? about.ok(`${good} of ${endpoints.length} endpoints serve it, quorum ${network.quorum}, block ${best}`)
      : about.problem(
          `${good} of ${endpoints.length} endpoints serve it, but the quorum is ${network.quorum}: nothing is judged`,
          'repair endpoints, or add others in the catalogue',
        ),
    ...(risk === null ? [] : [about.warning(risk.found, risk.remedy)]),
    ...(tips.length > 0 && age * 1_000 > lateAfterMs(network.blockTimeMs)
      ? [
          about.warning(
            `its newest block is ${spanText(Math.floor(age))} old`,
            'none if this chain makes blocks on demand; else its endpoints are stuck, or the clock of this machine is wrong',
          ),
        ]
      : []),
  ];
};

/** The remedy for a problem of the registry, by its code. */
const remedies: Readonly<Record<string, string>> = {
  registry_missing: 'prepare the network: carat network prepare NETWORK --plan',
  deployer_missing: 'prepare the network, which deploys it first: carat network prepare NETWORK --plan',
  role_missing: 'root gives it: carat role give NETWORK ROLE ADDRESS',
  release_mismatch: 'use the version of Carat that knows this release, or carat registry set-release NETWORK',
  facet_not_approved: 'read carat registry show NETWORK; root approves: carat registry approve NETWORK',
  root_mismatch: "correct the chain's root in the catalogue, or hand over root (docs/operations/hand-over-root.md)",
  guardian_mismatch: 'give the guardian a key of its own in the catalogue',
};

const registryFindings = async (network: WatchedNetwork, keys: readonly KeyLook[]): Promise<Finding[]> => {
  const about = findingsOf(`registry ${network.name}`);
  const own = (role: KeyLook['role']): string[] =>
    keys.filter((key) => key.role === role).map(({ address }) => address);
  const at = { network, rpc: rpcOf(network) };
  const signers = own('signer').map((account) => ({ role: 'signer' as const, account }));
  const inTime = (text: string): string => text.replaceAll('NETWORK', network.name);
  const look = async (): Promise<Finding[]> => {
    const problem = await createDeployer({ ...at, operators: own('operator'), upgraders: own('upgrader') }).preflight();
    if (problem !== null) {
      const remedy = remedies[problem.code] ?? 'read carat registry show NETWORK and docs/operations/registry.md';
      return [about.problem(problem.message, inTime(remedy))];
    }
    const lacking = await withoutRole(at, signers);
    const [isPaused] = await askRegistry(at, [['paused']]);
    return [
      ...lacking.map(({ account }) =>
        about.problem(
          `the signer ${account} lacks its role: no deal is offered`,
          inTime(`root gives it: carat role give NETWORK signer ${account}`),
        ),
      ),
      ...(lacking.length === 0 ? [about.ok('roles, release and facets are right')] : []),
      ...(isPaused === true
        ? [
            about.warning(
              'it is paused: no deal is created or paid',
              inTime('root resumes it: carat registry unpause NETWORK'),
            ),
          ]
        : []),
    ];
  };
  try {
    const found = await withinMs(REGISTRY_MS, look());
    return found ?? [about.problem('it could not be read in time', 'repair the endpoints first')];
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return [about.problem(`it could not be read: ${error.message}`, 'repair the endpoints first')];
  }
};

/** Compares the tokens of a network with the catalogue. */
const tokenFindings = async (network: WatchedNetwork, tokens: NetworkQuestion['tokens']): Promise<Finding[]> => {
  const about = findingsOf(`tokens ${network.name}`);
  if (tokens.length === 0) return [];
  const unread = (why: string): Finding[] => [
    about.warning(`they could not be compared with the catalogue: ${why}`, 'repair the endpoints first'),
  ];
  try {
    const at = { rpc: rpcOf(network), quorum: network.quorum };
    const faults = await withinMs(REGISTRY_MS, tokenFaults(at, { ...network, tokens }));
    if (faults === undefined) return unread('no response in time');
    return faults.length === 0
      ? [about.ok(`${countText(tokens.length, 'token')} as the catalogue says`)]
      : faults.map(({ text }) =>
          about.problem(text, 'docs/operations/alerts.md, token_changed: correct the catalogue, then apply it'),
        );
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return unread(error.message);
  }
};

/** Checks the endpoints of a network, its registry, its tokens, and the funds of its keys, all at once. */
export const networkFindings = async (
  network: WatchedNetwork,
  keys: readonly KeyLook[],
  {
    now,
    lowFunds,
    tokens = [],
  }: { readonly now: () => number; readonly lowFunds: number; readonly tokens?: NetworkQuestion['tokens'] },
): Promise<Finding[]> => {
  const [endpoints, ...others] = await Promise.all([
    Promise.all(network.rpcUrls.map((url, index) => lookAt(network, url, index))),
    registryFindings(network, keys),
    tokenFindings(network, tokens),
    fundsFindings(network, keys, lowFunds),
    guardianFindings(network),
  ]);
  return [...endpointFindings(network, endpoints, now), ...others.flat()];
};
