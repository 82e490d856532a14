import { keccak256 } from 'ethers';
import type { DiamondInspection } from '../../domain/version-check.ts';
import { contracts } from '../pure/contracts.ts';
import { planCut, type LiveFacet } from '../pure/cut-plan.ts';
import { release, releaseOfRegistry } from '../pure/releases.ts';
import { quantity, views, viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Inspection } from './preflight.ts';

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
  const { network, rpc, ask } = inspection;
  const tip = Number(await rpc.call('eth_blockNumber'));
  const blockNumber = Math.max(0, tip - network.confirmations + 1);
  const header = { method: 'eth_getBlockByNumber', params: [quantity(blockNumber), false] };
  const [blockHash] = await agreed(
    inspection,
    [header],
    (outcome) => (outcome.result as { hash: string } | null)?.hash,
  );
  const block = { blockHash };
  const codeRequest = (of: string): RpcRequest => ({ method: 'eth_getCode', params: [of, block] });
  const asked = [ask('release'), ask('diamondKey', address)];
  const facets = { to: address, interface: contracts.loupe.interface, name: 'facets' };
  const [code, ...answers] = await agreed(inspection, [
    codeRequest(address),
    ...[...asked, facets].map((call) => viewRequest(call, block)),
  ]);
  const [current, key, told] = [...asked, facets].map((call, index) => {
    const output = decoded(() => call.interface.decodeFunctionResult(call.name, answers[index] ?? '0x'));
    return output?.length === 1 ? (output[0] as unknown) : output;
  });
  const [version, addresses] = (current ?? ['', []]) as [string, string[]];
  const isThere = code !== '0x' && isOurs(key);
  const loupe = isThere ? toLoupe(told) : [];
  const facetCodes =
    loupe.length === 0
      ? []
      : await agreed(
          inspection,
          loupe.map((facet) => codeRequest(facet.address)),
        );
  const live = {
    address,
    codeHash: code === undefined || code === '0x' ? null : keccak256(code),
    facets: loupe.map((facet, index) => ({ ...facet, codeHash: keccak256(facetCodes[index] ?? '0x') })),
  };
  const { contracts: versions, cut } = planCut(live, releaseOfRegistry(version, addresses) ?? release);
  return { blockNumber, isThere, contracts: versions, cut: isThere ? cut : null };
};

/** What anybody may have put at an address answers as it likes. */
const decoded = <Value>(decode: () => Value): Value | undefined => {
  try {
    return decode();
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
