import { createEndpoint } from './endpoint.ts';
import { RpcError } from './error.ts';
import type { RpcOutcome, RpcRequest } from './requests.ts';

/** The response of one endpoint of a network. */
export interface EndpointResponse {
  /** Position in the catalogue, from 1. */
  readonly endpoint: number;
  /** In the order of the requests; null when the endpoint did not respond. */
  readonly outcomes: readonly RpcOutcome[] | null;
  /** Why it did not respond, without its URL. */
  readonly error: RpcError | null;
}

/** The lowest balance that an endpoint reports, which is the one to act on; null when none responds. */
export const lowestBalance = (outcomes: readonly (RpcOutcome | undefined)[]): bigint | null =>
  outcomes
    .flatMap((outcome) => (outcome?.ok ? [BigInt(outcome.result as string)] : []))
    .reduce<bigint | null>((low, own) => (low !== null && low < own ? low : own), null);

/**
 * Sends the same requests to all endpoints at once, for a report about each. Unlike `Rpc`, it neither demotes an endpoint nor
 * verifies its chain.
 * @param timeoutMs of the whole
 */
export const askEach = (
  urls: readonly string[],
  requests: readonly RpcRequest[],
  timeoutMs: number,
): Promise<EndpointResponse[]> =>
  Promise.all(
    urls.map(async (url, index) => {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), timeoutMs);
      const endpoint = index + 1;
      try {
        const outcomes = await createEndpoint(url).post(requests, timeoutMs, controller.signal);
        return { endpoint, outcomes, error: null };
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        const late = error.kind === 'aborted' ? new RpcError('timeout', 'no response in time') : error;
        return { endpoint, outcomes: null, error: late };
      } finally {
        clearTimeout(timer);
      }
    }),
  );
