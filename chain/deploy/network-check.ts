import { ZERO_ADDRESS } from '../../domain/deal.ts';
import type { NetworkCheck, NetworkFacts, NetworkQuestion } from '../../domain/ports/network-check.ts';
import { registryAddress } from '../pure/platform.ts';
import { agreedCodes, byNumber, latestRequest } from '../rpc/calls.ts';
import { createEndpoint } from '../rpc/endpoint.ts';
import { saysPruned } from '../rpc/words/blocks.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import { createRpc, type Rpc } from '../rpc/rpc.ts';
import { undeployable, unfitness } from './fitness.ts';
import { tokenFaults } from '../tokens/faults.ts';

const TIMEOUT_MS = 10_000;

interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
}

/**
 * Compares the catalogue's claims about a network with each of its endpoints: the chain id, the genesis block, the
 * state of confirmed blocks, base fees, and optional methods. Then it checks the code, decimals and listed permits of each token, and
 * whether the registry exists or can be deployed. Endpoints are named by their position, never by URL. An endpoint that the network already has may be
 * silent, even when no other one responds: the catalogue is also changed during an outage.
 */
export const checkNetwork: NetworkCheck = async (claim) => {
  const { problems, warnings, silent, responding, hashes } = await checkEndpoints(claim);
  warnings.push(...silent);
  if (silent.length === claim.rpcUrls.length) return unasked(claim, warnings);
  if (hashes.size > 1) problems.push(`${claim.name}: its RPC endpoints have different genesis blocks`);
  const [genesisHash = null] = hashes;
  if (problems.length > 0) return { genesisHash, problems, warnings };
  if (hashes.size === 0)
    warnings.push(
      `${claim.name}: no endpoint has block 0, because its history is pruned: name one that keeps it, which identifies the chain`,
    );
  if (responding.length < claim.quorum)
    warnings.push(
      `${claim.name}: ${responding.length} of ${claim.rpcUrls.length} endpoints respond, and ${claim.quorum} must agree: nothing is judged until more respond`,
    );
  const rpc = createRpc({ urls: responding, eip155: claim.eip155, timeoutMs: TIMEOUT_MS });
  try {
    return { genesisHash, warnings, ...(await checkContracts(rpc, claim, Math.min(claim.quorum, responding.length))) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { genesisHash, problems: [`${claim.name}: its contracts cannot be read: ${error.message}`], warnings };
  }
};

/** Checks each endpoint. */
const checkEndpoints = async (claim: NetworkQuestion) => {
  const found = {
    problems: [] as string[],
    warnings: [] as string[],
    /** Warnings about endpoints that the network has already, and that do not respond. */
    silent: [] as string[],
    responding: [] as string[],
    /** Of genesis blocks. */
    hashes: new Set<string>(),
  };
  for (const [index, url] of claim.rpcUrls.entries()) {
    const where = `${claim.name}: RPC endpoint ${index + 1} of ${claim.rpcUrls.length}`;
    const isKnown = claim.known?.rpcUrls.includes(url) === true;
    try {
      const { problems, warnings = [], unfit, genesisHash } = await checkEndpoint(url, claim);
      found.problems.push(...problems.map((text) => `${where} ${text}`));
      found.warnings.push(...warnings.map((text) => `${where} ${text}`));
      // A chain that Carat works with already is not refused.
      (isKnown ? found.warnings : found.problems).push(...unfit.map((text) => `${where} has ${text}`));
      if (genesisHash !== null) found.hashes.add(genesisHash);
      found.responding.push(url);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      (isKnown ? found.silent : found.problems).push(`${where} does not answer: ${error.message}`);
    }
  }
  return found;
};

/**
 * Checks the tokens, and whether the registry is there or can be.
 * @throws RpcError when the contracts cannot be read
 */
const checkContracts = async (
  rpc: Rpc,
  claim: NetworkQuestion,
  quorum: number,
): Promise<Pick<NetworkFacts, 'problems' | 'hasRegistry'>> => {
  const [code] = await agreedCodes(rpc, quorum, [registryAddress(claim.platform)]);
  const hasRegistry = code !== '0x';
  const fault = hasRegistry ? null : await undeployable(rpc);
  const faults = await tokenFaults({ rpc, quorum }, claim);
  const problems = [...(fault === null ? [] : [`${claim.name}: ${fault}`]), ...faults.map(({ text }) => text)];
  return { problems, hasRegistry };
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
  /** Why Carat cannot work on the chain that it shows, as things that it has. */
  readonly unfit: readonly string[];
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
    return { genesisHash: null, problems, tip: null, unfit: [] };
  }
  const { number, hash, timestamp } = resultOf(newest) as WireBlock;
  const confirmed = Math.max(0, Number(number) - claim.confirmations + 1);
  const [judged, receipts] = await ask(byNumber(confirmed), { method: 'eth_getBlockReceipts', params: [hash] });
  const block = judged?.ok ? (judged.result as WireBlock | null) : null;
  const read = { method: 'eth_call', params: [{ to: ZERO_ADDRESS, data: '0x' }, { blockHash: block?.hash }] };
  const [state] = block === null ? [] : await ask(read);
  const depth = `${claim.confirmations} confirmations`;
  const first = firstBlockIn(genesis);
  return {
    genesisHash: first.hash,
    tip: { number: Number(number), timestamp: Number(timestamp) },
    unfit: unfitness(resultOf(newest)),
    problems: state?.ok ? [] : [`does not keep the state at ${depth}, where payments are judged: choose fewer`],
    warnings: [
      ...first.warnings,
      ...(receipts?.ok ? [] : ['has no eth_getBlockReceipts, with which logs that it omits or invents are found']),
      ...(endpoint.longestBatch() === 1 ? ['accepts no batches: every request is sent alone'] : []),
    ],
  };
};

/**
 * The hash of block 0; null, with a warning, where the endpoint no longer has that block.
 * @throws RpcError when it fails to say so
 */
const firstBlockIn = (
  genesis: RpcOutcome | undefined,
): { readonly hash: string | null; readonly warnings: string[] } => {
  if (genesis?.ok && genesis.result !== null) return { hash: (genesis.result as WireBlock).hash, warnings: [] };
  if (genesis?.ok === false && !saysPruned(genesis.error)) throw genesis.error;
  const why = genesis?.ok === false ? ` (${genesis.error.message})` : '';
  return { hash: null, warnings: [`has pruned block 0${why}, so it is known by its chain id and stored blocks alone`] };
};
