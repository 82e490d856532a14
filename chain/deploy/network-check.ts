import { Interface } from 'ethers';
import type { NetworkCheck, NetworkFacts, NetworkQuestion } from '../../domain/ports/network-check.ts';
import { registryAddress } from '../pure/platform.ts';
import { codes, views } from '../rpc/calls.ts';
import { RpcError } from '../rpc/error.ts';
import { createRpc, type Rpc } from '../rpc/rpc.ts';

const erc20 = new Interface(['function decimals() view returns (uint8)']);

const TIMEOUT_MS = 10_000;

/**
 * Compares what the catalogue says of a network with every one of its live endpoints: the chain id, and that all have
 * the same genesis block; then the code and decimals of each token, and whether the chain's registry is there. Endpoints
 * are named by their position, never by URL.
 */
export const checkNetwork: NetworkCheck = async (claim) => {
  const problems: string[] = [];
  const hashes = new Set<string>();
  for (const [index, url] of claim.rpcUrls.entries()) {
    const where = `${claim.name}: RPC endpoint ${index + 1} of ${claim.rpcUrls.length}`;
    try {
      const found = await checkEndpoint(url, claim);
      problems.push(...found.problems.map((text) => `${where} ${text}`));
      if (found.genesisHash !== null) hashes.add(found.genesisHash);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      problems.push(`${where} does not answer: ${error.message}`);
    }
  }
  if (hashes.size > 1) problems.push(`${claim.name}: its RPC endpoints have different genesis blocks`);
  const [genesisHash = null] = hashes;
  if (problems.length > 0) return { genesisHash, problems };
  const rpc = createRpc({ urls: claim.rpcUrls, eip155: claim.eip155, timeoutMs: TIMEOUT_MS });
  const [code] = await codes(rpc, [registryAddress(claim.platform)]);
  return { genesisHash, problems: await checkTokens(rpc, claim), hasRegistry: code !== '0x' };
};

const checkEndpoint = async (url: string, claim: NetworkQuestion): Promise<NetworkFacts> => {
  const rpc = createRpc({ urls: [url], eip155: null, timeoutMs: TIMEOUT_MS });
  const [chainId, genesis] = (
    await rpc.batch([{ method: 'eth_chainId' }, { method: 'eth_getBlockByNumber', params: ['0x0', false] }])
  ).outcomes;
  if (!chainId?.ok) throw chainId?.error ?? new RpcError('malformed', 'no chain id');
  if (Number(chainId.result) !== claim.eip155) {
    return { genesisHash: null, problems: [`serves chain ${Number(chainId.result)}, not ${claim.eip155}`] };
  }
  const hash = genesis?.ok ? ((genesis.result as { hash?: string } | null)?.hash ?? null) : null;
  if (hash === null) return { genesisHash: null, problems: ['does not give its genesis block'] };
  return { genesisHash: hash, problems: [] };
};

const checkTokens = async (rpc: Rpc, claim: NetworkQuestion): Promise<string[]> => {
  if (claim.tokens.length === 0) return [];
  const found = await codes(
    rpc,
    claim.tokens.map(({ address }) => address),
  );
  const decimals = await views(
    rpc,
    claim.tokens.map(({ address }) => ({ to: address, interface: erc20, name: 'decimals' })),
  );
  return claim.tokens.flatMap(({ symbol, address, decimals: claimed }, index) => {
    if (found[index] === '0x') return [`${claim.name}: no contract at ${address} (${symbol})`];
    if (decimals[index] === BigInt(claimed)) return [];
    const live = decimals[index] === undefined ? 'no decimals' : `${String(decimals[index])} decimals`;
    return [`${claim.name}: ${symbol} at ${address} has ${live}, not ${claimed}`];
  });
};
