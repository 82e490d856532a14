import { chunks, createEndpoint, resultOf, type RpcOutcome, type RpcRequest } from './endpoint.ts';
import { RpcError } from './error.ts';

export interface RpcOptions {
  /** In order of preference. They may hold API keys and never appear in an error. */
  readonly urls: readonly string[];
  /** EIP-155 id that every endpoint must have; null takes any. */
  readonly eip155: number | null;
  /** Milliseconds for one HTTP exchange. Default 10,000. */
  readonly timeoutMs?: number;
  /** Most requests in one HTTP exchange. Default 100, which every common provider takes. */
  readonly maxBatch?: number;
}

export interface RequestOptions {
  /** Asks this endpoint only, for answers that must come from the one that gave an earlier answer. */
  readonly endpoint?: number;
  readonly signal?: AbortSignal;
}

export interface RpcBatch {
  /** Which endpoint answered, for follow-up questions. */
  readonly endpoint: number;
  /** In the order of the requests. */
  readonly outcomes: readonly RpcOutcome[];
}

/** JSON-RPC to one network over several endpoints. */
export interface Rpc {
  readonly endpoints: number;
  /** @throws RpcError also when the endpoint rejects the request */
  call(method: string, params?: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  /**
   * Asks one endpoint everything, so that the answers fit together; another one where the first fails.
   * @throws RpcError when no endpoint answered
   */
  batch(requests: readonly RpcRequest[], options?: RequestOptions): Promise<RpcBatch>;
  /** Endpoints that do not rest after a failure, in order of preference. */
  awake(): readonly number[];
  /**
   * Asks as many endpoints as it takes, and compares what they say piece by piece.
   * @param pick the pieces of a result, as many for each one; of undefined where there was no result
   * @returns the pieces of all requests in order; undefined where fewer than `quorum` endpoints say the same
   */
  agree(
    requests: readonly RpcRequest[],
    quorum: number,
    pick: (result: unknown, index: number) => readonly (string | undefined)[],
    signal?: AbortSignal,
  ): Promise<(string | undefined)[]>;
  /**
   * Sends signed transactions in this order to one endpoint; what got no answer goes to the next. Never throws: an
   * outcome that is not the endpoint's own rejection means "possibly sent".
   */
  send(raws: readonly string[], signal?: AbortSignal): Promise<RpcOutcome[]>;
}

const FIRST_COOL_DOWN_MS = 500;
const LONGEST_COOL_DOWN_MS = 30_000;

/** Creates a client; nothing is connected before the first request. */
export const createRpc = ({ urls, eip155, timeoutMs = 10_000, maxBatch = 100 }: RpcOptions): Rpc => {
  const endpoints = urls.map((url) => createCheckedEndpoint(url, eip155, timeoutMs));
  if (endpoints.length === 0) throw new RangeError('a network needs at least one RPC URL');

  const batch: Rpc['batch'] = (requests, { endpoint: pinned, signal } = {}) => {
    const only = endpoints.filter((_, index) => index === pinned);
    return askInTurn(pinned === undefined ? inOrder(endpoints) : only, async (endpoint) => {
      const outcomes: RpcOutcome[] = [];
      for (const chunk of chunks(requests, maxBatch)) outcomes.push(...(await endpoint.exchange(chunk, signal)));
      return { endpoint: endpoints.indexOf(endpoint), outcomes };
    });
  };

  const awake = (): number[] => [...endpoints.keys()].filter((index) => endpoints[index]?.restMs() === 0);

  return {
    endpoints: endpoints.length,
    batch,

    call: async (method, params = [], options = {}) =>
      resultOf((await batch([{ method, params }], options)).outcomes[0]),

    awake,

    async agree(requests, quorum, pick, signal) {
      const ask = async (pinned?: number): Promise<(string | undefined)[]> => {
        const { outcomes } = await batch(requests, { endpoint: pinned, signal });
        return outcomes.flatMap((outcome, index) => pick(outcome.ok ? outcome.result : undefined, index));
      };
      if (quorum <= 1) return ask();
      // Those that failed just now are asked only when the others are too few.
      const asked = awake().length >= quorum ? awake() : [...endpoints.keys()];
      const ballots = await Promise.allSettled(asked.map(ask));
      const votes = ballots.flatMap((ballot) => (ballot.status === 'fulfilled' ? [ballot.value] : []));
      return (votes[0] ?? []).map((_, index) => {
        const cast = votes.map((vote) => vote[index]);
        return cast.find((one) => one !== undefined && cast.filter((other) => other === one).length >= quorum);
      });
    },

    async send(raws, signal) {
      const outcomes: RpcOutcome[] = [];
      const requests = raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }));
      for (const chunk of chunks(requests, maxBatch)) {
        try {
          outcomes.push(...(await askInTurn(inOrder(endpoints), (endpoint) => endpoint.exchange(chunk, signal))));
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
          // What follows would only leave a gap of nonces.
          while (outcomes.length < raws.length) outcomes.push({ ok: false, error });
          break;
        }
      }
      return outcomes;
    },
  };
};

/** An endpoint that is known to serve the right chain, and rests for a while after each failure. */
interface CheckedEndpoint {
  /** @throws RpcError when there is no answer, one of another chain, or an overload */
  exchange(requests: readonly RpcRequest[], signal?: AbortSignal): Promise<RpcOutcome[]>;
  /** Milliseconds for which it rests from now on. */
  restMs(): number;
}

const createCheckedEndpoint = (url: string, eip155: number | null, timeoutMs: number): CheckedEndpoint => {
  const endpoint = createEndpoint(url);
  let verified = eip155 === null;
  let failures = 0;
  let restingUntil = 0;

  return {
    restMs: () => Math.max(0, restingUntil - Date.now()),

    async exchange(requests, signal) {
      try {
        // Asked along with the first requests, and again after each failure: a URL may start to serve another chain.
        // Remembered here, because another exchange may verify the endpoint while this one is on its way.
        const verifies = !verified;
        const asked = verifies ? [{ method: 'eth_chainId' }, ...requests] : requests;
        const outcomes = await endpoint.post(asked, timeoutMs, signal);
        if (verifies) requireChain(outcomes.shift(), eip155);
        const overload = outcomes.find((outcome) => !outcome.ok && outcome.error.kind === 'overloaded');
        if (overload && !overload.ok) throw overload.error;
        verified = true;
        failures = 0;
        restingUntil = 0;
        return outcomes;
      } catch (error) {
        if (error instanceof RpcError && error.kind !== 'aborted') {
          restingUntil = Date.now() + Math.min(FIRST_COOL_DOWN_MS * 2 ** failures, LONGEST_COOL_DOWN_MS);
          verified = eip155 === null;
          failures += 1;
        }
        throw error;
      }
    },
  };
};

const requireChain = (outcome: RpcOutcome | undefined, eip155: number | null): void => {
  const chainId = Number(resultOf(outcome));
  if (chainId !== eip155) throw new RpcError('wrong_chain', `an endpoint serves chain ${chainId} instead of ${eip155}`);
};

/** Those that rest after a failure come last, the one that rests longest behind all. */
const inOrder = (endpoints: readonly CheckedEndpoint[]): CheckedEndpoint[] =>
  endpoints
    .map((endpoint) => ({ endpoint, rest: endpoint.restMs() }))
    .sort((a, b) => a.rest - b.rest)
    .map(({ endpoint }) => endpoint);

const askInTurn = async <T>(
  endpoints: readonly CheckedEndpoint[],
  ask: (endpoint: CheckedEndpoint) => Promise<T>,
): Promise<T> => {
  let last: unknown = new RpcError('unreachable', 'no such endpoint');
  for (const endpoint of endpoints) {
    try {
      return await ask(endpoint);
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
      last = error;
    }
  }
  throw last;
};
