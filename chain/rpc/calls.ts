import type { Interface } from 'ethers';
import type { Rpc } from './rpc.ts';
import type { RpcRequest } from './endpoint.ts';

/** A number as JSON-RPC wants quantities. */
export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;

/** One read of a contract. */
export interface ViewCall {
  readonly to: string;
  readonly interface: Interface;
  readonly name: string;
  readonly args?: readonly unknown[];
}

/**
 * The JSON-RPC request of a read.
 * @param block number, tag, or block hash object (EIP-1898)
 */
export const viewRequest = (call: ViewCall, block: unknown = 'latest'): RpcRequest => ({
  method: 'eth_call',
  params: [{ to: call.to, data: call.interface.encodeFunctionData(call.name, call.args ?? []) }, block],
});

/**
 * Reads contracts, all from one endpoint in one exchange.
 * @returns the first output of each call, in order; undefined where the address has no code or the call reverts
 * @throws RpcError when no endpoint answers
 */
export const views = async (rpc: Rpc, calls: readonly ViewCall[], block: unknown = 'latest'): Promise<unknown[]> => {
  const { outcomes } = await rpc.batch(calls.map((call) => viewRequest(call, block)));
  return calls.map((call, index) => {
    const outcome = outcomes[index];
    if (!outcome?.ok) {
      if (outcome && outcome.error.revertData === null) throw outcome.error;
      return undefined;
    }
    if (outcome.result === '0x') return undefined;
    const output = call.interface.decodeFunctionResult(call.name, outcome.result as string);
    return output.length === 1 ? (output[0] as unknown) : output;
  });
};

/**
 * Code of several addresses, from one endpoint in one exchange.
 * @returns 0x-prefixed hex, `0x` where there is none
 * @throws RpcError
 */
export const codes = async (rpc: Rpc, addresses: readonly string[], block: unknown = 'latest'): Promise<string[]> => {
  const { outcomes } = await rpc.batch(
    addresses.map((address) => ({ method: 'eth_getCode', params: [address, block] })),
  );
  return outcomes.map((outcome) => {
    if (!outcome.ok) throw outcome.error;
    return outcome.result as string;
  });
};
