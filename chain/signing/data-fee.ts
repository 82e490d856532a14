import { Interface } from 'ethers';
import { viewRequest } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/requests.ts';

/** The price of a byte of call data in wei, beside the gas; `none` once the chain is known to take nothing. */
export interface DataFee {
  dataFee: bigint | 'none';
}

/** Where chains of the OP stack tell what they take for a transaction's data, from the balance and beside the gas. */
const oracle = {
  to: '0x420000000000000000000000000000000000000f',
  interface: new Interface(['function getL1Fee(bytes data) view returns (uint256)']),
  name: 'getL1Fee',
};

/** For what changes between the question and the block, and for the bytes around the call data. */
const ROOM = 2n;

const bytesOf = (data: string): bigint => BigInt(data.length / 2 - 1);

/** What such a chain takes for these call data; nothing is asked of a chain that was found not to be one. */
export const dataFeeRequests = ({ dataFee }: DataFee, data: readonly string[]): RpcRequest[] =>
  dataFee === 'none' ? [] : data.map((own) => viewRequest({ ...oracle, args: [own] }));

/** Remembers the highest price of a byte, in wei. */
export const learnDataFee = (memory: DataFee, data: readonly string[], outcomes: readonly RpcOutcome[]): void => {
  if (outcomes.length === 0) return;
  const prices = outcomes.flatMap((outcome, index) =>
    outcome.ok && outcome.result !== '0x'
      ? [(BigInt(outcome.result as string) * ROOM) / bytesOf(data[index]!) + 1n]
      : [],
  );
  memory.dataFee = prices.length === 0 ? 'none' : prices.reduce((a, b) => (a > b ? a : b));
};

/** Wei that the chain takes for call data beside the gas; the data is only encoded where that matters. */
export const dataFeeOf = ({ dataFee }: DataFee, data: () => string): bigint =>
  dataFee === 'none' ? 0n : dataFee * bytesOf(data());
