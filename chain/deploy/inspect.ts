import { keccak256 } from 'ethers';
import type { Depth, DiamondInspection } from '../../domain/version-check.ts';
import { contracts } from '../pure/contracts.ts';
import { planCut, type LiveFacet } from '../pure/cut-plan.ts';
import { release, releaseOfRegistry, versionText, type Release } from '../pure/releases.ts';
import { COMPARED_MS, agreed, byNumber, codeRequest, outputOf, viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Inspection } from './inspection.ts';

type Loupe = readonly Omit<LiveFacet, 'codeHash'>[];

const toLoupe = (told: unknown): Loupe =>
  ((told ?? []) as readonly (readonly [string, readonly string[]])[]).map(([facet, selectors]) => ({
    address: facet.toLowerCase(),
    selectors: [...selectors],
  }));

/** True when the registry's `diamondKey` shows that it created the diamond; code and loupe prove nothing. */
export const isOurs = (key: unknown): boolean => Array.isArray(key) && key.some((id) => BigInt(id as string) !== 0n);

/**
 * Compares a diamond with the release of its network, at one block, as the quorum reports it.
 * @throws RpcError when too few endpoints agree
 */
export const inspectDiamond = async (
  inspection: Inspection,
  address: string,
  depth: Depth,
): Promise<DiamondInspection> => {
  const confirmations = depth === 'newest' ? 1 : inspection.network.confirmations;
  const { blockNumber, block } = await agreedBlock(inspection, confirmations);
  const { code, isThere, loupe, target, unknownRelease } = await readDiamond(inspection, address, block);
  const { facetCodes, approved } = await readFacets(inspection, { loupe, target }, block);
  const live = {
    address,
    codeHash: code === '0x' ? null : keccak256(code),
    facets: loupe.map((facet, index) => ({ ...facet, codeHash: keccak256(facetCodes[index] ?? '0x') })),
    approved,
  };
  const { contracts: versions, cut } = planCut(live, target);
  if (unknownRelease === undefined) return { blockNumber, isThere, contracts: versions, cut: isThere ? cut : null };
  const compared = versions.map((one) => ({ ...one, update_available: false }));
  return { blockNumber, isThere, contracts: compared, cut: null, unknownRelease };
};

/** A block by its hash (EIP-1898), so that every response is about this block. */
type BlockId = Readonly<Record<'blockHash', string>>;

/** The client, and how many endpoints must agree. */
interface Asked {
  readonly network: { readonly quorum: number };
  readonly rpc: Rpc;
}

/**
 * The newest block with so many confirmations, itself included, that as many endpoints as the quorum have reached.
 * @throws RpcError when too few endpoints agree
 */
export const agreedBlock = async (
  { network: { quorum }, rpc }: Asked,
  confirmations: number,
): Promise<{ readonly blockNumber: number; readonly timestamp: number; readonly block: BlockId }> => {
  await rpc.compare(COMPARED_MS);
  const responses = await rpc.everyone([{ method: 'eth_blockNumber' }], { fewest: quorum });
  const tips = responses.map(({ outcomes: [outcome] }) => (outcome?.ok ? Number(outcome.result) : -1));
  const tip = tips.sort((a, b) => b - a)[quorum - 1] ?? -1;
  if (tip < 0) throw new RpcError('inconsistent', 'too few endpoints report their newest block');
  const blockNumber = Math.max(0, tip - confirmations + 1);
  const [told = ''] = await agreed(rpc, quorum, [byNumber(blockNumber)], headerText);
  const [blockHash = '', timestamp] = told.split(' ');
  return { blockNumber, timestamp: Number(timestamp), block: { blockHash } };
};

const headerText = (outcome: RpcOutcome): string | undefined => {
  const header = outcome.ok ? (outcome.result as { hash: string; timestamp: string } | null) : null;
  return header === null ? undefined : `${header.hash.toLowerCase()} ${Number(header.timestamp)}`;
};

/**
 * Reads the registry's release, its record of the diamond, and the diamond's loupe. Only a diamond that the registry
 * created is called: a wallet may have been given any address, and a stranger's code can return data that takes minutes
 * to read, revert with an endpoint's refusal, or return different data to each endpoint, so that some seem to lie.
 */
const readDiamond = async (inspection: Inspection, address: string, block: BlockId) => {
  const { ask, network, rpc } = inspection;
  const asked = [ask('release'), ask('diamondKey', address)];
  const requests = [codeRequest(address, block), ...asked.map((call) => viewRequest(call, block))];
  const [code = '0x', ...responses] = await agreed(rpc, network.quorum, requests);
  const [current, key] = asked.map((call, index) => outputOf(call, responses[index]));
  const [version, addresses] = (current ?? ['', []]) as [string, string[]];
  const known = releaseOfRegistry(version, addresses);
  const unknownRelease = known === null && addresses.length > 0 ? versionText(version) : undefined;
  const isThere = code !== '0x' && isOurs(key);
  const facets = { to: address, interface: contracts.loupe.interface, name: 'facets' };
  const [told] = isThere ? await agreed(rpc, network.quorum, [viewRequest(facets, block)]) : [];
  return { code, isThere, loupe: toLoupe(outputOf(facets, told)), target: known ?? release, unknownRelease };
};

/** Reads the codes of the diamond's facets, and which of its and the release's facets the registry approves. */
const readFacets = async (
  inspection: Inspection,
  { loupe, target }: { readonly loupe: Loupe; readonly target: Release },
  block: BlockId,
): Promise<{ facetCodes: readonly string[]; approved: ReadonlySet<string> }> => {
  const judged = [...new Set([...loupe, ...target.facets].map(({ address }) => address))];
  const asked = judged.map((address) => inspection.ask('isApproved', address));
  const responses = await agreed(inspection.rpc, inspection.network.quorum, [
    ...loupe.map((facet) => codeRequest(facet.address, block)),
    ...asked.map((call) => viewRequest(call, block)),
  ]);
  const isApproved = (index: number): boolean => outputOf(asked[index]!, responses[loupe.length + index]) === true;
  return { facetCodes: responses.slice(0, loupe.length), approved: new Set(judged.filter((_, i) => isApproved(i))) };
};
