import { Interface } from 'ethers';
import { middle, textOf, viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/requests.ts';

/** The price of a byte of call data in wei, beside the gas; `none` once the chain is known to take nothing. */
export interface DataFee {
  dataFee: bigint | 'none';
}

/** The oracle of OP stack chains for the fee of a transaction's data, which they charge in addition to the gas. */
const oracle = {
  to: '0x420000000000000000000000000000000000000f',
  interface: new Interface(['function getL1Fee(bytes data) view returns (uint256)']),
  name: 'getL1Fee',
};

/** The fee that the operator of an OP stack chain takes for a transaction, in wei: `flat`, and `perGas` for `GAS_UNIT` of its gas limit. */
export interface OperatorFee {
  readonly flat: bigint;
  readonly perGas: bigint;
}

const GAS_UNIT = 10_000_000n;
const operator = {
  to: oracle.to,
  interface: new Interface(['function getOperatorFee(uint256 gasUsed) view returns (uint256)']),
  name: 'getOperatorFee',
};

/** The most that a chain takes for one transaction, in wei. Another contract at the oracle's address may return anything. */
const MOST = 2n ** 80n;

/** The fee that an oracle returns, in wei: 0 without an oracle, and where the contract is another one. */
const feeOf = (word: string): bigint => {
  const fee = word.length === 66 ? BigInt(word) : 0n;
  return fee < MOST ? fee : 0n;
};

/** Requests for the operator's fee, for chains that charge for data. */
export const operatorFeeRequests: readonly RpcRequest[] = [0n, GAS_UNIT].map((gas) =>
  viewRequest({ ...operator, args: [gas] }),
);

/** The median of the endpoints' operator's fees; none where most of them tell none, as before the fork Isthmus. */
export const operatorFeeAmong = (responses: readonly (readonly RpcOutcome[])[]): OperatorFee => {
  const told = (index: number): bigint =>
    middle(
      responses.map((outcomes) => {
        const fee = outcomes[index] && textOf(outcomes[index]);
        return fee === undefined ? 0n : feeOf(fee);
      }),
    ) ?? 0n;
  const [flat, all] = [told(0), told(1)];
  return { flat, perGas: all > flat ? all - flat : 0n };
};

/** Wei that the operator takes for a gas limit, with room for a rise. */
export const operatorFeeOf = ({ flat, perGas }: OperatorFee, gasLimit: bigint): bigint =>
  ROOM * (flat + (perGas * gasLimit) / GAS_UNIT);

/** Safety factor: the price can change until the block, and the call data is not the whole transaction. */
const ROOM = 2n;

const bytesOf = (data: string): bigint => BigInt(data.length / 2 - 1);

/** Requests for the fees of these call data; none for a chain that was found not to charge any. */
export const dataFeeRequests = ({ dataFee }: DataFee, data: readonly string[]): RpcRequest[] =>
  dataFee === 'none' ? [] : data.map((own) => viewRequest({ ...oracle, args: [own] }));

/** The highest price of a byte by one endpoint, in wei, 0 without an oracle; undefined when the endpoint tells none. */
const priceBy = (data: readonly string[], outcomes: readonly RpcOutcome[]): bigint | undefined =>
  outcomes
    .flatMap((outcome, index) => {
      const fee = textOf(outcome);
      if (fee === undefined) return [];
      const amount = feeOf(fee);
      return amount === 0n ? 0n : (amount * ROOM) / bytesOf(data[index]!) + 1n;
    })
    .toSorted((a, b) => (a < b ? 1 : -1))[0];

/**
 * Stores the median of the endpoints' prices of a byte, in wei.
 * @param fewest how many endpoints must agree that the chain takes nothing, before they are no longer asked
 */
export const learnDataFee = (
  memory: DataFee,
  data: readonly string[],
  responses: readonly (readonly RpcOutcome[])[],
  fewest = 1,
): void => {
  const prices = responses.flatMap((outcomes) => priceBy(data, outcomes) ?? []);
  const price = middle(prices);
  if (price === undefined) return;
  const isNone = price === 0n && prices.filter((own) => own === 0n).length >= fewest;
  memory.dataFee = isNone ? 'none' : price;
};

/** Wei that the chain charges for call data in addition to the gas; `data` is called only on chains that do. */
export const dataFeeOf = ({ dataFee }: DataFee, data: () => string): bigint =>
  dataFee === 'none' ? 0n : dataFee * bytesOf(data());
