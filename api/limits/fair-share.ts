import { localsOf } from '../request/locals.ts';
import { wantsFile } from '../request/media-type.ts';
import type { Guard, TurnKind } from '../request/specification.ts';
import { askInOrder } from './open-sockets.ts';

/** How many requests of one caller of a node are processed at once. The node's other callers together get one more. */
export interface ShareSize {
  /** While no other node sends requests. */
  readonly alone: number;
  /** While other nodes do. */
  readonly beside: number;
}

/**
 * Longest time for which a turn stays taken after its work, in milliseconds: slow work may only have waited for a lock.
 */
const MAX_REST_MS = 1_000;
/** Milliseconds for which a node counts as active after a request. */
const RECENT_MS = 1_000;

/** One caller of a node. */
export interface Asker {
  readonly node: string;
  readonly caller: string;
}

interface Line {
  /** Number of requests in flight by caller. */
  readonly underWay: Map<string, number>;
  readonly waiting: { readonly caller: string; readonly begin: () => void }[];
}

/** Waits for a turn of the caller's node, and returns the function that ends it. */
export type FairShare = (asker: Asker, kind: string, size: ShareSize) => Promise<() => void>;

/**
 * Limits how many requests of a kind each node has in flight; the rest wait in the node's own queue. A process works in
 * the order of arrival and has few database connections, so without this limit everybody would wait behind a node that
 * sends a thousand requests at once. The node's other callers get one turn more: a turn lasts as long as its client
 * sends the body and reads the answer, so one caller with few permissions could otherwise block all others of its node,
 * even its own revocation.
 * @param elapsed monotonic clock, in milliseconds
 */
export const createFairShare = (elapsed = (): number => performance.now()): FairShare => {
  const lines = new Map<string, Line>();
  /** The two nodes that sent the latest requests: enough to know whether a node is alone. */
  let latest = { node: '', at: -Infinity };
  let other = latest;

  const note = (node: string): void => {
    if (node !== latest.node) other = latest;
    latest = { node, at: elapsed() };
  };
  const isAlone = (node: string): boolean => elapsed() - (node === latest.node ? other : latest).at >= RECENT_MS;

  return async ({ node, caller }, kind, { alone, beside }) => {
    note(node);
    const key = `${kind} ${node}`;
    const line = lines.get(key) ?? { underWay: new Map<string, number>(), waiting: [] };
    lines.set(key, line);
    const { underWay, waiting } = line;
    const mayBegin = (): ((caller: string) => boolean) => {
      const turns = isAlone(node) ? alone : beside;
      // Extra requests that a caller began while the node was alone do not count against the others.
      const taken = [...underWay.values()].reduce((sum, count) => sum + Math.min(count, turns), 0);
      return (name) => taken <= turns && (underWay.get(name) ?? 0) < turns;
    };
    const begin = (name: string): void => void underWay.set(name, (underWay.get(name) ?? 0) + 1);

    if (mayBegin()(caller)) begin(caller);
    else await new Promise<void>((resolve) => waiting.push({ caller, begin: resolve }));
    return () => {
      const left = underWay.get(caller)! - 1;
      if (left > 0) underWay.set(caller, left);
      else underWay.delete(caller);
      for (;;) {
        const may = mayBegin();
        const place = waiting.findIndex((other) => may(other.caller));
        if (place < 0) break;
        const [next] = waiting.splice(place, 1);
        begin(next!.caller);
        next!.begin();
      }
      if (underWay.size === 0) lines.delete(key);
    };
  };
};

/**
 * Turns of each kind for a node. Work that costs a hundred times as much as other work is a separate kind, so that it
 * blocks nothing else of its node. The kinds that hold a database connection use `connections` of them in total, not
 * counting the extra turns of the node's other callers. A turn with a `rest` stays taken for that many times the
 * duration of its work, so that sequential requests leave the database to everybody else.
 */
const turnSizes = (connections: number): Readonly<Record<TurnKind, ShareSize & { readonly rest?: number }>> => ({
  single: { alone: connections, beside: Math.max(1, connections - 2) },
  batched: { alone: 64, beside: 4 },
  list: { alone: 2, beside: 1 },
  file: { alone: 1, beside: 1 },
  bulk: { alone: 1, beside: 1, rest: 3 },
  // Holds no connection while it waits.
  slow: { alone: 4, beside: 4 },
});

/**
 * Shares the process fairly between nodes, before anything costly is done. Only the operator creates nodes, so nobody
 * can multiply a share.
 * @param connections number of the process's database connections that one node may use
 */
export const shareFairly = (connections: number): Guard => {
  const turn = createFairShare();
  const sizes = turnSizes(connections);
  return (operation) => {
    if (operation.limitedBy !== 'caller') return [];
    return [
      async (request, response, next) => {
        const kind = wantsFile(operation, request.headers.accept) ? 'file' : operation.turns;
        const { nodeId: node, actorId: caller } = localsOf(response).caller!;
        const { rest = 0, ...size } = sizes[kind];
        const end = await askInOrder(response, () => turn({ node, caller }, kind, size));
        // A client that left the queue is not served.
        if (response.destroyed) return end();
        const began = performance.now();
        const restAndEnd = (): void => {
          const ms = Math.min(rest * (performance.now() - began), MAX_REST_MS);
          if (ms > 0) setTimeout(end, ms).unref();
          else end();
        };
        // Work in progress continues after the client is gone and keeps its turn. Otherwise a client could start any
        // number of requests by breaking off again and again.
        response.once('close', () => void Promise.allSettled([localsOf(response).work]).then(restAndEnd));
        next();
      },
    ];
  };
};
