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
