import { RpcError } from './error.ts';

export interface RpcRequest {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The outcome of one request of a batch: its result, or the error in its place. */
export type RpcOutcome =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: RpcError };

/**
 * The result of an outcome.
 * @throws RpcError when there is none
 */
export const resultOf = (outcome: RpcOutcome | undefined): unknown => {
  if (!outcome?.ok) throw outcome?.error ?? new RpcError('malformed', 'the endpoint omitted a response');
  return outcome.result;
};

export interface RequestOptions {
  /** Asks only this endpoint, for a response that must come from the same endpoint as an earlier one. */
  readonly endpoint?: number;
  /** Rotates which of the endpoints that are not demoted is asked first; the caller increments it. */
  readonly turn?: number;
  /** Throws when the responses are unusable: the endpoint then counts as failed, and the next one is asked at once. */
  readonly accept?: (outcomes: readonly RpcOutcome[]) => void;
  readonly signal?: AbortSignal;
}

export interface RpcBatch {
  /** The endpoint that responded, for follow-up questions. */
  readonly endpoint: number;
  /** In the order of the requests. */
  readonly outcomes: readonly RpcOutcome[];
}

/** Each different request once, and the place of every request among them. */
export const withoutRepeats = (all: readonly RpcRequest[]) => {
  const seen = new Map<string, number>();
  const requests: RpcRequest[] = [];
  const places = all.map((request) => {
    const text = JSON.stringify([request.method, request.params]);
    const place = seen.get(text) ?? requests.push(request) - 1;
    seen.set(text, place);
    return place;
  });
  return { requests, places };
};

/** Bytes of one HTTP body; endpoints accept 2 MB or more. */
const MAX_BODY = 1_500_000;

/** Splits a list so that no part has too many requests or too large a body for an endpoint. */
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
