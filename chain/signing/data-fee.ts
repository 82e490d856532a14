import { Interface } from 'ethers';
import { viewRequest } from '../rpc/calls.ts';
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

/** Safety factor: the price can change until the block, and the call data is not the whole transaction. */
const ROOM = 2n;

const bytesOf = (data: string): bigint => BigInt(data.length / 2 - 1);

/** Requests for the fees of these call data; none for a chain that was found not to charge any. */
export const dataFeeRequests = ({ dataFee }: DataFee, data: readonly string[]): RpcRequest[] =>
  dataFee === 'none' ? [] : data.map((own) => viewRequest({ ...oracle, args: [own] }));

/** Stores the highest price of a byte, in wei. */
export const learnDataFee = (memory: DataFee, data: readonly string[], outcomes: readonly RpcOutcome[]): void => {
  if (outcomes.length === 0) return;
  const prices = outcomes.flatMap((outcome, index) =>
    outcome.ok && outcome.result !== '0x'
      ? [(BigInt(outcome.result as string) * ROOM) / bytesOf(data[index]!) + 1n]
      : [],
  );
  memory.dataFee = prices.length === 0 ? 'none' : prices.reduce((a, b) => (a > b ? a : b));
};

/** Wei that the chain charges for call data in addition to the gas; `data` is called only on chains that do. */
export const dataFeeOf = ({ dataFee }: DataFee, data: () => string): bigint =>
  dataFee === 'none' ? 0n : dataFee * bytesOf(data());
