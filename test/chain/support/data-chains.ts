import { AbiCoder, Transaction } from 'ethers';
import { quantity } from '../../../chain/rpc/calls.ts';
import type { Gateway } from './gateway.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from './proxy.ts';

/** An endpoint of a chain that charges for data, at a price that moves. */
export interface DataChain extends Proxy {
  /** Arbitrum: gas for a byte of call data; Optimism: wei for it. */
  price: bigint;
}

/** The selector of `getL1Fee(bytes)`. */
const GET_L1_FEE = '0x49948e0e';

const bytesOf = (data: string): bigint => BigInt(data.length / 2 - 1);

const start = async (
  gateway: Gateway,
  price: bigint,
  refuse: (tx: Transaction, price: bigint) => Promise<WireAnswer | null>,
  tamper: (request: WireRequest, result: unknown, price: bigint) => unknown,
): Promise<DataChain> => {
  const chain = Object.assign(await startProxy(gateway.chain.url), { price });
  chain.rewrite = async (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    return (await refuse(Transaction.from(request.params[0] as string), chain.price)) ?? request;
  };
  chain.tamper = (request, result) => tamper(request, result, chain.price);
  return chain;
};

/** The error of a node's refusal. */
export const refusal = (message: string): WireAnswer => ({ error: { code: -32_000, message } });

/**
 * As Arbitrum's nodes do: a transaction's gas pays for its data too, so estimates hold it, and a gas limit that does not
 * cover it is refused. No transaction may ask for more than 32 million.
 */
export const startArbitrum = (gateway: Gateway, price: bigint): Promise<DataChain> =>
  start(
    gateway,
    price,
    async ({ from, to, data, gasLimit }, now) => {
      const bare = BigInt((await gateway.rpc.call('eth_estimateGas', [{ from, to, data }])) as string);
      if (gasLimit > 32_000_000n) return refusal('gas limit too high');
      return gasLimit < bare + now * bytesOf(data) ? refusal('intrinsic gas too low') : null;
    },
    ({ method, params }, result, now) => {
      if (method !== 'eth_estimateGas') return result;
      const { data } = params[0] as { data: string };
      return quantity(BigInt(result as string) + now * bytesOf(data));
    },
  );

/** Like Optimism's nodes: the fee for data is taken from the balance in addition to gas, and a contract reports it. */
export const startOptimism = (gateway: Gateway, price: bigint): Promise<DataChain> =>
  start(
    gateway,
    price,
    async ({ from, data, gasLimit, maxFeePerGas }, now) => {
      const balance = BigInt((await gateway.rpc.call('eth_getBalance', [from, 'latest'])) as string);
      const cost = gasLimit * maxFeePerGas! + now * bytesOf(data);
      return balance < cost
        ? refusal(`insufficient funds for gas * price + value: address ${from} have ${balance} want ${cost}`)
        : null;
    },
    ({ method, params }, result, now) => {
      const { to, data } = (params[0] ?? {}) as { to?: string; data: string };
      if (method !== 'eth_call' || to !== '0x420000000000000000000000000000000000000f') return result;
      if (!data.startsWith(GET_L1_FEE)) return result;
      const [asked] = AbiCoder.defaultAbiCoder().decode(['bytes'], `0x${data.slice(10)}`) as unknown as [string];
      return `0x${(now * bytesOf(asked)).toString(16).padStart(64, '0')}`;
    },
  );
