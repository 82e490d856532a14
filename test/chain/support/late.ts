import { setTimeout as delay } from 'node:timers/promises';
import type { Gateway } from './gateway.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from './proxy.ts';

const hexOf = (number: number): string => `0x${number.toString(16)}`;
const missing: WireAnswer = { error: { code: -32_000, message: 'header not found' } };
const stateful = ['eth_call', 'eth_getCode', 'eth_getBalance', 'eth_getTransactionCount', 'eth_estimateGas'];

/** Honest endpoints of a gateway's chain, each of which learns of blocks late. */
export interface LateEndpoints {
  readonly proxies: readonly Proxy[];
  /** No endpoint has a newer block than this one from now on. */
  stopAt(number: number): void;
  close(): Promise<void>;
}

/** The chain's heights as time passes. */
const watchHeights = (gateway: Gateway) => {
  const seen: { at: number; number: number }[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const watching = (async () => {
    while (!signal.aborted) {
      const number = Number(await gateway.rpc.call('eth_blockNumber').catch(() => seen.at(-1)?.number ?? 0));
      if (number !== seen.at(-1)?.number) seen.push({ at: performance.now(), number });
      await delay(20, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    /** The newest block of so many milliseconds ago. */
    ago: (ms: number): number => (seen.findLast(({ at }) => at <= performance.now() - ms) ?? seen[0])?.number ?? 0,
    stop: async (): Promise<void> => {
      stopping.abort();
      await watching;
    },
  };
};

/** Answers as an endpoint does that has no block above a height yet. */
const knowUpTo = (gateway: Gateway, proxy: Proxy, height: () => number): void => {
  const isUnknown = async (hash: unknown): Promise<boolean> => {
    const block = (await gateway.rpc.call('eth_getBlockByHash', [hash, false])) as { number: string } | null;
    return block === null || Number(block.number) > height();
  };
  /** The last parameter of a call that reads a state, or null where the endpoint lacks the state. */
  const stateAt = async (at: unknown): Promise<unknown> => {
    if (at === 'latest' || at === 'pending') return hexOf(height());
    const { blockHash } = Object(at) as { blockHash?: string };
    return (blockHash === undefined ? Number(at) > height() : await isUnknown(blockHash)) ? null : at;
  };
  const blockAt = (request: WireRequest): WireRequest | WireAnswer => {
    const [asked, ...more] = request.params;
    if (asked === 'latest') return { ...request, params: [hexOf(height()), ...more] };
    return Number(asked) > height() ? { result: null } : request;
  };
  proxy.rewrite = async (request) => {
    const { method, params } = request;
    if (method === 'eth_blockNumber') return { result: hexOf(height()) };
    if (method === 'eth_getBlockByNumber') return blockAt(request);
    if (method === 'eth_getBlockReceipts') return (await isUnknown(params[0])) ? { result: null } : request;
    if (method === 'eth_getLogs') {
      const [{ blockHash }] = params as [{ blockHash?: string }];
      return blockHash !== undefined && (await isUnknown(blockHash)) ? missing : request;
    }
    if (!stateful.includes(method)) return request;
    const at = await stateAt(params.at(-1));
    return at === null ? missing : { ...request, params: [...params.slice(0, -1), at] };
  };
  proxy.tamper = ({ method }, result) => {
    if (method !== 'eth_getTransactionReceipt' || result === null) return result;
    return Number((result as { blockNumber: string }).blockNumber) > height() ? null : result;
  };
};

/** Starts endpoints that have each block so many milliseconds late. */
export const startLateEndpoints = async (gateway: Gateway, lags: readonly number[]): Promise<LateEndpoints> => {
  const heights = watchHeights(gateway);
  let last = Infinity;
  const proxies = await Promise.all(lags.map(() => startProxy(gateway.chain.url)));
  for (const [index, proxy] of proxies.entries()) {
    knowUpTo(gateway, proxy, () => Math.min(last, heights.ago(lags[index] ?? 0)));
  }
  return {
    proxies,
    stopAt: (number) => {
      last = number;
    },
    close: async () => {
      await heights.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
};
