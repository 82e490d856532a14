import { RpcError } from './error.ts';

export interface RpcRequest {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The answer to one request of a batch: its result, or why there is none. */
export type RpcOutcome =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: RpcError };

/**
 * The result of an outcome.
 * @throws RpcError when there is none
 */
export const resultOf = (outcome: RpcOutcome | undefined): unknown => {
  if (!outcome?.ok) throw outcome?.error ?? new RpcError('malformed', 'the endpoint left out an answer');
  return outcome.result;
};

export interface RequestOptions {
  /** Asks this endpoint only, for answers that must come from the one that gave an earlier answer. */
  readonly endpoint?: number;
  /** Begins with another one of those that do not rest for each number, which is counted up. */
  readonly turn?: number;
  /** Throws what makes an answer useless: the endpoint has failed then, and the next one is asked at once. */
  readonly accept?: (outcomes: readonly RpcOutcome[]) => void;
  readonly signal?: AbortSignal;
}

export interface RpcBatch {
  /** Which endpoint answered, for follow-up questions. */
  readonly endpoint: number;
  /** In the order of the requests. */
  readonly outcomes: readonly RpcOutcome[];
}
