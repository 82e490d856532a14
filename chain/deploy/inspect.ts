import { keccak256 } from 'ethers';
import type { DiamondInspection } from '../../domain/version-check.ts';
import { contracts } from '../pure/contracts.ts';
import { planCut, type LiveFacet } from '../pure/cut-plan.ts';
import { release, releaseOfRegistry, type Release } from '../pure/releases.ts';
import { quantity, views, viewRequest, type ViewCall } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Inspection } from './preflight.ts';

/** Endpoints that were compared within so many milliseconds are not compared again. */
const TIPS_MS = 5_000;

type Loupe = readonly Omit<LiveFacet, 'codeHash'>[];

const toLoupe = (told: unknown): Loupe =>
  ((told ?? []) as readonly (readonly [string, readonly string[]])[]).map(([facet, selectors]) => ({
    address: facet.toLowerCase(),
    selectors: [...selectors],
  }));

/** What the loupe of a diamond tells at the tip, in its order; nothing where it does not answer. */
export const facetsOf = async (rpc: Rpc, address: string): Promise<Loupe> => {
  const [told] = await views(rpc, [{ to: address, interface: contracts.loupe.interface, name: 'facets' }]);
  return toLoupe(told);
};

/** True when a registry's `diamondKey` says that it made the diamond; code and loupe prove nothing. */
export const isOurs = (key: unknown): boolean => Array.isArray(key) && key.some((id) => BigInt(id as string) !== 0n);

/**
 * Compares a diamond with the release of its network, at the newest confirmed block and as the quorum has it.
 * @throws RpcError when too few endpoints agree
 */
export const inspectDiamond = async (inspection: Inspection, address: string): Promise<DiamondInspection> => {
  const { blockNumber, block } = await confirmedBlock(inspection);
  const { code, key, told, target } = await readDiamond(inspection, address, block);
  const isThere = code !== '0x' && isOurs(key);
  const loupe = isThere ? toLoupe(told) : [];
  const { facetCodes, approved } = await readFacets(inspection, { loupe, target }, block);
  const live = {
    address,
    codeHash: code === '0x' ? null : keccak256(code),
    facets: loupe.map((facet, index) => ({ ...facet, codeHash: keccak256(facetCodes[index] ?? '0x') })),
    approved,
  };
  const { contracts: versions, cut } = planCut(live, target);
  return { blockNumber, isThere, contracts: versions, cut: isThere ? cut : null };
};

/** A block by its hash (EIP-1898), so that no answer is of another one. */
type BlockId = Readonly<Record<'blockHash', string>>;

const codeRequest = (of: string, block: BlockId): RpcRequest => ({ method: 'eth_getCode', params: [of, block] });

/** The newest block that has its confirmations by the tips of as many endpoints as the quorum. */
const confirmedBlock = async (inspection: Inspection): Promise<{ blockNumber: number; block: BlockId }> => {
  const { network, rpc } = inspection;
  await rpc.compare(TIPS_MS);
  const answers = await rpc.everyone([{ method: 'eth_blockNumber' }], { fewest: network.quorum });
  const tips = answers.map(({ outcomes: [outcome] }) => (outcome?.ok ? Number(outcome.result) : -1));
  const tip = tips.sort((a, b) => b - a)[network.quorum - 1] ?? -1;
  if (tip < 0) throw new RpcError('inconsistent', 'too few endpoints tell of their newest block');
  const blockNumber = Math.max(0, tip - network.confirmations + 1);
  const header = { method: 'eth_getBlockByNumber', params: [quantity(blockNumber), false] };
  const hashOf = ({ result }: Answered): string | undefined => (result as { hash: string } | null)?.hash.toLowerCase();
  const [blockHash = ''] = await agreed(inspection, [header], hashOf);
  return { blockNumber, block: { blockHash } };
};

/** What the diamond says of itself, what the registry says of it, and which release the registry has. */
const readDiamond = async (inspection: Inspection, address: string, block: BlockId) => {
  const { ask } = inspection;
  const facets = { to: address, interface: contracts.loupe.interface, name: 'facets' };
  const asked = [ask('release'), ask('diamondKey', address), facets];
  const requests = [codeRequest(address, block), ...asked.map((call) => viewRequest(call, block))];
  const [code = '0x', ...answers] = await agreed(inspection, requests);
  const [current, key, told] = asked.map((call, index) => outputOf(call, answers[index]));
  const [version, addresses] = (current ?? ['', []]) as [string, string[]];
  return { code, key, told, target: releaseOfRegistry(version, addresses) ?? release };
};

/** The codes of the diamond's facets, and which of those and of the release's the registry approves. */
const readFacets = async (
  inspection: Inspection,
  { loupe, target }: { readonly loupe: Loupe; readonly target: Release },
  block: BlockId,
): Promise<{ facetCodes: readonly string[]; approved: ReadonlySet<string> }> => {
  const judged = [...new Set([...loupe, ...target.facets].map(({ address }) => address))];
  const asked = judged.map((address) => inspection.ask('isApproved', address));
  const answers = await agreed(inspection, [
    ...loupe.map((facet) => codeRequest(facet.address, block)),
    ...asked.map((call) => viewRequest(call, block)),
  ]);
  const isApproved = (index: number): boolean => outputOf(asked[index]!, answers[loupe.length + index]) === true;
  return { facetCodes: answers.slice(0, loupe.length), approved: new Set(judged.filter((_, i) => isApproved(i))) };
};

/** The first output of a call, or all of several; undefined for what is none: anybody may have put there what answers as it likes. */
const outputOf = (call: ViewCall, answer = '0x'): unknown => {
  try {
    // The library reads values as they are asked for; here all of them are read.
    const output = call.interface.decodeFunctionResult(call.name, answer).toArray(true) as unknown[];
    return output.length === 1 ? output[0] : output;
  } catch {
    return undefined;
  }
};

const textOf = ({ result }: Answered): string | undefined => (typeof result === 'string' ? result : undefined);

type Answered = Extract<RpcOutcome, { ok: true }>;

/** What the quorum answers to each request; a call that reverts answers nothing at all. */
const agreed = async (
  { rpc, network }: Inspection,
  requests: readonly RpcRequest[],
  pieceOf: (outcome: Answered) => string | undefined = textOf,
): Promise<string[]> => {
  const pieces = await rpc.agree(requests, network.quorum, (outcomes) =>
    requests.map((_, index) => {
      const outcome = outcomes[index];
      if (outcome?.ok) return pieceOf(outcome);
      return outcome && outcome.error.revertData !== null ? '0x' : undefined;
    }),
  );
  const known = pieces.filter((piece) => piece !== undefined);
  if (known.length === requests.length) return known;
  throw new RpcError('inconsistent', 'too few endpoints agree on what the diamond is');
};
