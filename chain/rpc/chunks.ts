import type { RpcRequest } from './endpoint.ts';

/** Bytes of one HTTP body; nodes take 2 MB or more. */
const MAX_BODY = 1_500_000;

/** Cuts a list so that neither the number of requests nor the size of the body is too large for a node. */
export const chunks = (requests: readonly RpcRequest[], maxBatch: number): RpcRequest[][] => {
  const all: RpcRequest[][] = [];
  let size = 0;
  for (const request of requests) {
    const own = request.params?.reduce<number>((sum, param) => sum + sizeOf(param), 0) ?? 0;
    const last = all.at(-1);
    if (!last || last.length >= maxBatch || size + own > MAX_BODY) {
      all.push([request]);
      size = own;
    } else {
      last.push(request);
      size += own;
    }
  }
  return all;
};

const sizeOf = (param: unknown): number => {
  if (typeof param === 'string') return param.length;
  const data = (param as { data?: unknown } | null)?.data;
  return typeof data === 'string' ? data.length : 100;
};
