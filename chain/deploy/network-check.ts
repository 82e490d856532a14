import { Interface } from 'ethers';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import type { NetworkCheck, NetworkFacts, NetworkQuestion, PermitDomain } from '../../domain/ports/network-check.ts';
import { domainSeparator, permitTypeHash } from '../pure/permit.ts';
import { registryAddress } from '../pure/platform.ts';
import { agreed, agreedCodes, byNumber, latestRequest, outputOf, viewRequest } from '../rpc/calls.ts';
import { createEndpoint } from '../rpc/endpoint.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import { createRpc, type Rpc } from '../rpc/rpc.ts';

const token = new Interface([
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonces(address) view returns (uint256)',
  // Some tokens have it, among them those with permits that came before EIP-2612.
  'function PERMIT_TYPEHASH() view returns (bytes32)',
]);

const TIMEOUT_MS = 10_000;

interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
}

/**
 * Compares the catalogue's claims about a network with each of its endpoints: the chain id, the genesis block, the
 * state of confirmed blocks, and optional methods. Then it checks the code, decimals and listed permits of each token, and whether the
 * registry exists. Endpoints are named by their position, never by URL. An endpoint that the network already has may be
 * silent, even when no other one responds: the catalogue is also changed during an outage.
 */
export const checkNetwork: NetworkCheck = async (claim) => {
  const problems: string[] = [];
  const warnings: string[] = [];
  const silent: string[] = [];
  const responding: string[] = [];
  const hashes = new Set<string>();
  for (const [index, url] of claim.rpcUrls.entries()) {
    const where = `${claim.name}: RPC endpoint ${index + 1} of ${claim.rpcUrls.length}`;
    try {
      const found = await checkEndpoint(url, claim);
      problems.push(...found.problems.map((text) => `${where} ${text}`));
      warnings.push(...(found.warnings ?? []).map((text) => `${where} ${text}`));
      if (found.genesisHash !== null) hashes.add(found.genesisHash);
      responding.push(url);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      (claim.known?.rpcUrls.includes(url) ? silent : problems).push(`${where} does not answer: ${error.message}`);
    }
  }
  warnings.push(...silent);
  if (silent.length === claim.rpcUrls.length) return unasked(claim, warnings);
  if (hashes.size > 1) problems.push(`${claim.name}: its RPC endpoints have different genesis blocks`);
  const [genesisHash = null] = hashes;
  if (problems.length > 0) return { genesisHash, problems, warnings };
  if (responding.length < claim.quorum)
    warnings.push(
      `${claim.name}: ${responding.length} of ${claim.rpcUrls.length} endpoints respond, and ${claim.quorum} must agree: nothing is judged until more respond`,
    );
  const rpc = createRpc({ urls: responding, eip155: claim.eip155, timeoutMs: TIMEOUT_MS });
  const those = { rpc, quorum: Math.min(claim.quorum, responding.length) };
  try {
    const [code] = await agreedCodes(rpc, those.quorum, [registryAddress(claim.platform)]);
    return { genesisHash, problems: await checkTokens(those, claim), warnings, hasRegistry: code !== '0x' };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { genesisHash, problems: [`${claim.name}: its contracts cannot be read: ${error.message}`], warnings };
  }
};

type Token = NonNullable<NetworkQuestion['known']>['tokens'][number];

const isSame = (one: Token, other: Token): boolean =>
  one.address === other.address &&
  one.decimals === other.decimals &&
  one.permit?.name === other.permit?.name &&
  one.permit?.version === other.permit?.version;

/** The facts when no endpoint responds: tokens that the network already has pass, new or changed ones do not. */
const unasked = ({ name, known, tokens }: NetworkQuestion, warnings: readonly string[]): NetworkFacts => ({
  genesisHash: null,
  problems: tokens
    .filter((token) => !known?.tokens.some((one) => isSame(one, token)))
    .map(
      ({ symbol, address }) =>
        `${name}: ${symbol} at ${address} is new or changed, and no endpoint responds to verify it`,
    ),
  warnings: [...warnings, `${name}: no endpoint responds, so it was not checked`],
});

/** The facts about one endpoint. */
export interface EndpointFacts extends Pick<NetworkFacts, 'genesisHash' | 'problems' | 'warnings'> {
  /** Its newest block, with its time in Unix seconds; null for another chain. */
  readonly tip: { readonly number: number; readonly timestamp: number } | null;
}

/**
 * Compares a network's chain id, and the state of its confirmed blocks, with one endpoint. The texts follow its name.
 * @param timeoutMs of each exchange
 * @throws RpcError when it does not respond
 */
export const checkEndpoint = async (
  url: string,
  claim: Pick<NetworkQuestion, 'eip155' | 'confirmations'>,
  timeoutMs = TIMEOUT_MS,
): Promise<EndpointFacts> => {
  const endpoint = createEndpoint(url);
  const ask = (...requests: RpcRequest[]): Promise<RpcOutcome[]> => endpoint.post(requests, timeoutMs);
  const [chainId, genesis, newest] = await ask({ method: 'eth_chainId' }, byNumber(0), latestRequest);
  if (Number(resultOf(chainId)) !== claim.eip155) {
    const problems = [`serves chain ${Number(resultOf(chainId))}, not ${claim.eip155}`];
    return { genesisHash: null, problems, tip: null };
  }
  if (!genesis?.ok) return { genesisHash: null, problems: ['does not return its genesis block'], tip: null };
  const { number, hash, timestamp } = resultOf(newest) as WireBlock;
  const confirmed = Math.max(0, Number(number) - claim.confirmations + 1);
  const [judged, receipts] = await ask(byNumber(confirmed), { method: 'eth_getBlockReceipts', params: [hash] });
  const block = resultOf(judged) as WireBlock | null;
  const read = { method: 'eth_call', params: [{ to: ZERO_ADDRESS, data: '0x' }, { blockHash: block?.hash }] };
  const [state] = block === null ? [] : await ask(read);
  const depth = `${claim.confirmations} confirmations`;
  return {
    genesisHash: (genesis.result as WireBlock).hash,
    tip: { number: Number(number), timestamp: Number(timestamp) },
    problems: state?.ok ? [] : [`does not keep the state at ${depth}, where payments are judged: choose fewer`],
    warnings: [
      ...(receipts?.ok ? [] : ['has no eth_getBlockReceipts, with which logs that it omits or invents are found']),
      ...(endpoint.longestBatch() === 1 ? ['accepts no batches: every request is sent alone'] : []),
    ],
  };
};

/** The faults of a token's permits, in words that follow the token. */
const permitProblem = (
  { name, version }: PermitDomain,
  token: { readonly address: string; readonly eip155: number },
  [separator, nonces, typeHash]: readonly unknown[],
): string | null => {
  if (separator === undefined || nonces === undefined) return 'has no permits (EIP-2612): leave its permit out';
  if (typeHash !== undefined && typeHash !== permitTypeHash) return 'has permits of another kind: leave its permit out';
  if (separator === domainSeparator({ name, version, ...token })) return null;
  return `has permits of another domain than name "${name}" and version "${version}" on this chain`;
};

/** Endpoints that respond, and how many of them must agree. */
interface Agreeing {
  readonly rpc: Rpc;
  readonly quorum: number;
}

const checkTokens = async ({ rpc, quorum }: Agreeing, claim: NetworkQuestion): Promise<string[]> => {
  if (claim.tokens.length === 0) return [];
  const addresses = claim.tokens.map(({ address }) => address);
  const found = await agreedCodes(rpc, quorum, addresses);
  const ask = async (name: string, args: readonly unknown[] = []): Promise<unknown[]> => {
    const calls = addresses.map((to) => ({ to, interface: token, name, args }));
    const responses = await agreed(
      rpc,
      quorum,
      calls.map((call) => viewRequest(call)),
    );
    return calls.map((call, index) => outputOf(call, responses[index]));
  };
  const decimals = await ask('decimals');
  const permits = claim.tokens.some(({ permit }) => permit != null)
    ? await Promise.all([ask('DOMAIN_SEPARATOR'), ask('nonces', [ZERO_ADDRESS]), ask('PERMIT_TYPEHASH')])
    : [];
  return claim.tokens.flatMap(({ symbol, address, decimals: claimed, permit }, index) => {
    if (found[index] === '0x') return [`${claim.name}: no contract at ${address} (${symbol})`];
    const where = `${claim.name}: ${symbol} at ${address}`;
    if (decimals[index] !== BigInt(claimed)) {
      const live = decimals[index] === undefined ? 'no decimals' : `${String(decimals[index])} decimals`;
      return [`${where} has ${live}, not ${claimed}`];
    }
    const responses = permits.map((values) => values[index]);
    const problem = permit == null ? null : permitProblem(permit, { address, eip155: claim.eip155 }, responses);
    return problem === null ? [] : [`${where} ${problem}`];
  });
};
