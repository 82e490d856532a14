import gas from '../../contracts/gas.json' with { type: 'json' };
import { byNumber, latestRequest, middle } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import type { Rpc } from '../rpc/rpc.ts';

/* Whether Carat can work on a chain at all, by its blocks. docs/operations/chains.md has the families of chains. */

/** The parts of a block's header that show it. */
interface WireHeader {
  readonly number: string;
  readonly timestamp: string;
  readonly gasLimit: string;
  readonly baseFeePerGas?: string | null;
}

/** Wei per gas by the header of a block; null on a chain without base fees. */
export const baseFeeOf = (header: unknown): bigint | null => {
  const { baseFeePerGas } = header as WireHeader;
  return baseFeePerGas == null ? null : BigInt(baseFeePerGas);
};

/** The gas of a block by its response; none without one. */
export const blockGasOf = (block: RpcOutcome | undefined): bigint[] =>
  block?.ok && block.result !== null ? [BigInt((block.result as WireHeader).gasLimit)] : [];

/** A number of gas for people. */
export const gasText = (amount: bigint): string => amount.toLocaleString('en');

const deployments = Object.entries(gas).filter(([name]) => name.startsWith('deploy_'));

/** The gas of the largest deployment, the registry's. */
export const LARGEST_DEPLOYMENT = deployments.reduce((most, [, own]) => (BigInt(own) > most ? BigInt(own) : most), 0n);

const noBaseFee =
  'blocks without a base fee: Carat sends only transactions with one (EIP-1559, type 2), so it cannot work on this chain';

/** A year, in seconds. A test may move the clock of its chain by weeks; no clock is wrong by a year. */
const YEAR = 365 * 86_400;

/**
 * The faults of a chain by its newest block, as things that it has.
 * @param now Unix seconds
 */
export const unfitness = (header: unknown, now = Date.now() / 1_000): string[] => {
  const { number, timestamp } = header as WireHeader;
  const time = Number(timestamp);
  // The date of block 0 is made up, on some chains zero.
  const isWrong = Number(number) > 0 && (time === 0 || time > now + YEAR);
  return [
    ...(baseFeeOf(header) === null ? [noBaseFee] : []),
    ...(isWrong
      ? [
          `a newest block of ${new Date(time * 1_000).toISOString()}: deals end by the time of blocks, so it cannot work on this chain`,
        ]
      : []),
  ];
};

/** Number of earlier blocks that are read where the newest one is small: on some chains small and large blocks take turns. */
const EARLIER = 90;

/** @returns why no block has room for the largest deployment, in words that follow the network's name; null where one has */
const crampedness = async (rpc: Rpc, newest: readonly RpcOutcome[]): Promise<string | null> => {
  const room = middle(newest.flatMap(blockGasOf));
  if (room === undefined || room >= LARGEST_DEPLOYMENT) return null;
  const tip = Number((newest.find(({ ok }) => ok) as { result: WireHeader }).result.number);
  const numbers = Array.from({ length: Math.min(EARLIER, tip) }, (_, index) => tip - 1 - index);
  const { outcomes } = numbers.length === 0 ? { outcomes: [] } : await rpc.batch(numbers.map(byNumber));
  if (outcomes.flatMap(blockGasOf).some((own) => own >= LARGEST_DEPLOYMENT)) return null;
  return `a block has ${gasText(room)} gas, and the deployment of the registry needs ${gasText(LARGEST_DEPLOYMENT)}: Carat cannot work on this chain`;
};

/**
 * Why nothing of Carat can be deployed on the chain, by the newest blocks of most endpoints.
 * @returns words that follow the network's name; null where nothing prevents it
 * @throws RpcError when no endpoint responds
 */
export const undeployable = async (rpc: Rpc): Promise<string | null> => {
  const everyone = await rpc.everyone([latestRequest]);
  // An endpoint that is asked alone has more time, and throws the reason.
  const responses = everyone.length > 0 ? everyone : [await rpc.batch([latestRequest])];
  const newest = responses.flatMap(({ outcomes }) => outcomes).filter(({ ok }) => ok);
  const faults = newest.map((block) => unfitness((block as { result: unknown }).result));
  const [most] = faults.filter((own) => own.length > 0);
  if (most !== undefined && faults.filter((own) => own.length > 0).length * 2 > faults.length) return `has ${most[0]}`;
  return crampedness(rpc, newest);
};
