import { createAgreement } from './agree.ts';
import { createSend } from './broadcast.ts';
import { createComparison } from './compare.ts';
import { chunks } from './endpoint.ts';
import { createBatch, createEveryone } from './in-turn.ts';
import { createMember, inOrder, isAwake, SHORT_MS, type EndpointTrouble, type Member, type Pool } from './member.ts';
import { resultOf, type RequestOptions, type RpcBatch, type RpcOutcome, type RpcRequest } from './requests.ts';

export interface RpcOptions {
  /** In order of preference. They may hold API keys and never appear in an error. */
  readonly urls: readonly string[];
  /** EIP-155 id that every endpoint must have; null takes any. */
  readonly eip155: number | null;
  /** Hash of block 0 that every endpoint must have; null takes any. */
  readonly genesisHash?: string | null;
  /** Milliseconds from block to block: how far endpoints may be apart. Default 2,000. */
  readonly blockTimeMs?: number;
  /** Milliseconds for one HTTP exchange. Default 10,000; less while there is another endpoint to ask. */
  readonly timeoutMs?: number;
  /** Most requests in one HTTP exchange. Default 98: with the two that ask whether it is the right chain 100, which every common provider takes. */
  readonly maxBatch?: number;
  /** Told each time an endpoint loses its place. */
  readonly report?: (trouble: EndpointTrouble) => void;
}

/** JSON-RPC to one network over several endpoints. */
export interface Rpc {
  readonly endpoints: number;
  /** @throws RpcError also when every endpoint rejects the request */
  call(method: string, params?: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  /**
   * Asks one endpoint everything, so that the answers fit together; another one where the first fails, answers nonsense, or
   * rejects what another one answers.
   * @throws RpcError when no endpoint answered
   */
  batch(requests: readonly RpcRequest[], options?: RequestOptions): Promise<RpcBatch>;
  /** Asks every endpoint that does not rest, or all when fewer than `fewest` are left; those that fail are left out. */
  everyone(requests: readonly RpcRequest[], options?: { fewest?: number; signal?: AbortSignal }): Promise<RpcBatch[]>;
  /** Endpoints that do not rest after a failure, the leading one first. */
  awake(): readonly number[];
  /** Endpoints that have answered and did not fail since. Of one that was never asked nothing is known. */
  well(): readonly number[];
  /** Takes its place from an endpoint that told what is not so. */
  blame(endpoint: number, reason: string): void;
  /** The same for a moment, for what may pass by itself. */
  doubt(endpoint: number, reason: string): void;
  /**
   * Compares the tips of all endpoints unless that was done within `maxAgeMs`: one that is behind, far ahead, or on a fork
   * of its own rests.
   */
  compare(maxAgeMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Asks as many endpoints as it takes, and compares what they say piece by piece. One that says something else than
   * the quorum loses its place.
   * @param pick the pieces of an endpoint's answers, as many for each endpoint
   * @returns the pieces; undefined where fewer than `quorum` endpoints say the same
   */
  agree(
    requests: readonly RpcRequest[],
    quorum: number,
    pick: (outcomes: readonly RpcOutcome[]) => readonly (string | undefined)[],
    signal?: AbortSignal,
  ): Promise<readonly (string | undefined)[]>;
  /**
   * Sends signed transactions in this order to every endpoint. Never throws: an outcome that is not a rejection, by as many
   * endpoints as took it, means "possibly sent".
   */
  send(raws: readonly string[], signal?: AbortSignal): Promise<RpcOutcome[]>;
}

/** Creates a client; nothing is connected before the first request. */
export const createRpc = (options: RpcOptions): Rpc => {
  const { urls, eip155, genesisHash = null, timeoutMs = 10_000, maxBatch = 98, blockTimeMs = 2_000 } = options;
  const report = (trouble: Omit<EndpointTrouble, 'hasOther'>): void => {
    const hasOther = members.some((member) => member.index !== trouble.endpoint && isAwake(member));
    options.report?.({ ...trouble, hasOther });
  };
  const members: readonly Member[] = urls.map((url, index) =>
    createMember(url, index, { isAlone: urls.length === 1, eip155, genesisHash, report }),
  );
  if (members.length === 0) throw new RangeError('a network needs at least one RPC URL');
  const pool: Pool = {
    members,
    timeoutMs,
    exchange: async (member, requests, { signal, ms = Math.min(timeoutMs, SHORT_MS) } = {}) => {
      const outcomes: RpcOutcome[] = [];
      for (const chunk of chunks(requests, maxBatch)) outcomes.push(...(await member.exchange(chunk, ms, signal)));
      return outcomes;
    },
  };
  const batch = createBatch(pool);
  return {
    endpoints: members.length,
    batch,
    everyone: createEveryone(pool),
    call: async (method, params = [], more = {}) => resultOf((await batch([{ method, params }], more)).outcomes[0]),
    awake: () => inOrder(members.filter(isAwake)).map(({ index }) => index),
    well: () => members.filter((member) => isAwake(member) && member.hasAnswered()).map(({ index }) => index),
    blame: (endpoint, reason) => members[endpoint]?.blame(reason),
    doubt: (endpoint, reason) => members[endpoint]?.fail(reason),
    compare: createComparison(pool, blockTimeMs),
    agree: createAgreement(pool),
    send: createSend(pool),
  };
};
