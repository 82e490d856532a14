import { localsOf } from '../request/locals.ts';
import { wantsFile } from '../request/media-type.ts';
import type { Guard } from '../request/guard.ts';
import type { TurnKind } from '../request/specification.ts';

/** How many requests of a node are worked on at once, as far as one caller makes them; one more for its others. */
export interface ShareSize {
  /** While no other node asks for anything. */
  readonly alone: number;
  /** While others do. */
  readonly beside: number;
}

/** Longest rest of a turn, in milliseconds: work that took long may only have waited for a lock. */
const MAX_REST_MS = 1_000;
/** For so many milliseconds a node counts as one that asks. */
const RECENT_MS = 1_000;

/** Who asks: one caller of a node. */
export interface Asker {
  readonly node: string;
  readonly caller: string;
}

interface Line {
  /** Callers with requests under way, and how many. */
  readonly underWay: Map<string, number>;
  readonly waiting: { readonly caller: string; readonly begin: () => void }[];
}

/** Waits for a turn of the caller's node, and answers what ends it. */
export type FairShare = (asker: Asker, kind: string, size: ShareSize) => Promise<() => void>;

/**
 * Lets each node have so many requests of a kind worked on at once; more wait in the node's own line. A process works
 * through what arrives in the order of arrival, and its database connections are few: without this everybody would wait
 * behind a node that sends a thousand requests at once. One turn more is for whoever else calls for the node, because
 * a turn lasts as long as a client takes to send its body and to read its answer: with a token that can do little one
 * could keep all others of its node from everything, also from revoking it.
 * @param elapsed milliseconds on a clock that is never set
 */
export const createFairShare = (elapsed = (): number => performance.now()): FairShare => {
  const lines = new Map<string, Line>();
  /** The node that asked last, and the one that did before it: enough to know whether any is alone. */
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
      // Who began more while the node was alone takes nothing from the others.
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
 * How many turns of each kind a node has. Work that costs a hundred times as much as other work has turns of its own, so
 * that it holds up nothing else of its node; what holds a connection comes to `connections` of them, in which those of the
 * others of a caller's node are not counted. A turn with a `rest` stays taken for that many times as long as its work took, so
 * that requests one after the other leave the database to everybody else.
 */
const turnSizes = (connections: number): Readonly<Record<TurnKind, ShareSize & { readonly rest?: number }>> => ({
  single: { alone: connections, beside: Math.max(1, connections - 2) },
  batched: { alone: 64, beside: 4 },
  list: { alone: 2, beside: 1 },
  file: { alone: 1, beside: 1 },
  bulk: { alone: 1, beside: 1, rest: 3 },
  // These hold no connection while they wait.
  slow: { alone: 4, beside: 4 },
});

/**
 * Shares the process between the nodes whose integrations call, before anything costly is done. Only the operator makes
 * nodes, so nobody can multiply a share.
 * @param connections how many of the process's database connections one node may use
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
        const end = await turn({ node, caller }, kind, size);
        // Who went away while waiting is not served.
        if (response.destroyed) return end();
        const began = performance.now();
        const restAndEnd = (): void => {
          const ms = Math.min(rest * (performance.now() - began), MAX_REST_MS);
          if (ms > 0) setTimeout(end, ms).unref();
          else end();
        };
        // What was begun goes on without the client: else who breaks off again and again could have any number under way.
        response.once('close', () => void Promise.allSettled([localsOf(response).work]).then(restAndEnd));
        next();
      },
    ];
  };
};
