import type { BlockPlace } from '../../domain/ports/watcher.ts';
import type { ServerTime } from '../../domain/tools/outside-clock.ts';
import { createAgreement } from './agree.ts';
import { createSend } from './broadcast.ts';
import { createComparison } from './compare.ts';
import type { RpcError } from './error.ts';
import { createFailover, createEveryone } from './failover.ts';
import {
  createMember,
  inOrder,
  isPreferred,
  SHORT_MS,
  type EndpointTrouble,
  type Member,
  type Pool,
} from './member.ts';
import { chunks, resultOf, type RequestOptions, type RpcBatch, type RpcOutcome, type RpcRequest } from './requests.ts';

export interface RpcOptions {
  /** In order of preference. They may contain API keys, so no error shows them. */
  readonly urls: readonly string[];
  /** EIP-155 chain id that every endpoint must serve; null accepts any. */
  readonly eip155: number | null;
  /** Hash of block 0 that every endpoint must have; null accepts any. */
  readonly genesisHash?: string | null;
  /**
   * Stored blocks of the chain that are confirmed, ascending. An endpoint without block 0 must have the oldest of them that it keeps.
   */
  readonly keptBlocks?: () => Promise<readonly BlockPlace[]>;
  /** Block time in milliseconds; it limits how far the tips of endpoints may differ. Default 2,000. */
  readonly blockTimeMs?: number;
  /** Timeout of one HTTP exchange in milliseconds. Default 10,000; shorter while another endpoint can be asked. */
  readonly timeoutMs?: number;
  /**
   * Most requests in one HTTP exchange. Default 98: with two that verify the chain 100, which common providers accept.
   */
  readonly maxBatch?: number;
  /** Called each time an endpoint is demoted. */
  readonly report?: (trouble: EndpointTrouble) => void;
  /** Called with each reading of an endpoint's clock. */
  readonly tellTime?: (time: ServerTime) => void;
}

/** JSON-RPC to one network over several endpoints. */
export interface Rpc {
  readonly endpoints: number;
  /** @throws RpcError also when every endpoint rejects the request */
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /**
   * Sends all requests to one endpoint, so that the responses are consistent. The next endpoint is asked when this one
   * fails, responds with nonsense, or rejects a request that another one grants.
   * @throws RpcError when no endpoint responds
   */
  batch(requests: readonly RpcRequest[], options?: RequestOptions): Promise<RpcBatch>;
  /**
   * Asks every endpoint that is not demoted, or all when fewer than `fewest` are left. Failed endpoints are omitted.
   */
  everyone(requests: readonly RpcRequest[], options?: { fewest?: number; signal?: AbortSignal }): Promise<RpcBatch[]>;
  /** Endpoints that are not demoted, the leading one first. */
  preferred(): readonly number[];
  /** Endpoints that have responded and not failed since. An endpoint that was never asked is not among them. */
  well(): readonly number[];
  /** False while an endpoint has not been compared with the others since its last demotion. */
  isCleared(): boolean;
  /** Demotes an endpoint that reported something false. */
  demote(endpoint: number, reason: string): void;
  /** Demotes an endpoint briefly, for a fault that may be temporary. */
  demoteBriefly(endpoint: number, reason: string): void;
  /**
   * Compares the tips of all endpoints unless that was done within `maxAgeMs`. An endpoint that is behind, far ahead or
   * on another fork is demoted.
   */
  compare(maxAgeMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Asks as many endpoints as necessary and compares their responses piece by piece. An endpoint that contradicts the
   * quorum is demoted, only briefly where the requests are about the newest block.
   * @param pick the pieces of an endpoint's responses, the same number for each endpoint
   * @param tellFailure called with the failure of each endpoint that does not respond
   * @returns the pieces; undefined where fewer than `quorum` endpoints agree
   */
  agree(
    requests: readonly RpcRequest[],
    quorum: number,
    pick: (outcomes: readonly RpcOutcome[]) => readonly (string | undefined)[],
    signal?: AbortSignal,
    tellFailure?: (error: RpcError) => void,
  ): Promise<readonly (string | undefined)[]>;
  /**
   * Sends signed transactions in this order to every endpoint. Never throws: every outcome but a rejection means
   * "possibly sent". Where endpoints differ, the majority counts, and a tie counts as accepted.
   */
  send(raws: readonly string[], signal?: AbortSignal): Promise<RpcOutcome[]>;
}

/** Creates a client; nothing is connected before the first request. */
export const createRpc = (options: RpcOptions): Rpc => {
  const { urls, eip155, genesisHash = null, timeoutMs = 10_000, maxBatch = 98, blockTimeMs = 2_000 } = options;
  const report = (trouble: Omit<EndpointTrouble, 'hasOther'>): void => {
    const hasOther = members.some((member) => member.index !== trouble.endpoint && isPreferred(member));
    options.report?.({ ...trouble, hasOther });
  };
  const { keptBlocks = () => Promise.resolve([]), tellTime } = options;
  const isAlone = urls.length === 1;
  const members: readonly Member[] = urls.map((url, index) =>
    createMember(url, index, { isAlone, eip155, genesisHash, keptBlocks, report, tellTime }),
  );
  if (members.length === 0) throw new RangeError('a network needs at least one RPC URL');
  const pool: Pool = {
    members,
    timeoutMs,
    // A sole endpoint has all the time, as nothing else can be asked.
    exchange: async (
      member,
      requests,
      { signal, ms = members.length === 1 ? timeoutMs : Math.min(timeoutMs, SHORT_MS) } = {},
    ) => {
      const outcomes: RpcOutcome[] = [];
      for (const chunk of chunks(requests, maxBatch)) outcomes.push(...(await member.exchange(chunk, ms, signal)));
      return outcomes;
    },
  };
  const batch = createFailover(pool);
  return {
    endpoints: members.length,
    batch,
    everyone: createEveryone(pool),
    call: async (method, params = []) => resultOf((await batch([{ method, params }])).outcomes[0]),
    preferred: () => inOrder(members.filter(isPreferred)).map(({ index }) => index),
    well: () => members.filter((member) => isPreferred(member) && member.hasResponded()).map(({ index }) => index),
    isCleared: () => members.every((member) => member.isCleared()),
    demote: (endpoint, reason) => members[endpoint]?.demote(reason),
    demoteBriefly: (endpoint, reason) => members[endpoint]?.demoteBriefly(reason),
    compare: createComparison(pool, blockTimeMs),
    agree: createAgreement(pool),
    send: createSend(pool),
  };
};
