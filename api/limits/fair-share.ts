import { localsOf } from '../http/locals.ts';
import type { Guard } from '../http/routes.ts';
import type { OperationId } from '../http/specification.ts';

/** How many requests of a node are worked on at once. */
export interface ShareSize {
  /** While no other node asks for anything. */
  readonly alone: number;
  /** While others do. */
  readonly beside: number;
}

/** For so many milliseconds a node counts as one that asks. */
const RECENT_MS = 1_000;

interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
}

/** Waits for the node's turn, and answers what ends it. */
export type FairShare = (node: string, kind: string, size: ShareSize) => Promise<() => void>;

/**
 * Lets each node have so many requests of a kind worked on at once; more wait in the node's own line. A process works
 * through what arrives in the order of arrival, and its database connections are few: without this everybody would wait
 * behind a node that sends a thousand requests at once.
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

  return async (node, kind, { alone, beside }) => {
    note(node);
    const key = `${kind} ${node}`;
    const line = lines.get(key) ?? { underWay: 0, waiting: [] };
    lines.set(key, line);
    const hasRoom = (): boolean => line.underWay < (isAlone(node) ? alone : beside);
    if (hasRoom()) line.underWay += 1;
    else await new Promise<void>((begin) => line.waiting.push(begin));
    return () => {
      line.underWay -= 1;
      while (line.waiting.length > 0 && hasRoom()) {
        line.underWay += 1;
        line.waiting.shift()?.();
      }
      if (line.underWay === 0) lines.delete(key);
    };
  };
};

/** Of these the database does many by one statement, so they need no connection each. */
const batched: ReadonlySet<OperationId> = new Set(['createPayment', 'getPayment']);

/**
 * Shares the process between the nodes whose integrations call, before anything costly is done. Only the operator makes
 * nodes, so nobody can multiply a share.
 * @param connections how many of the process's database connections one node may use
 */
export const shareFairly = (connections: number): Guard => {
  const turn = createFairShare();
  const sizes = { batched: { alone: 64, beside: 4 }, single: { alone: connections, beside: connections } };
  return ({ id, limitedBy }) => {
    if (limitedBy !== 'caller') return [];
    const kind = batched.has(id) ? 'batched' : 'single';
    return [
      async (_request, response, next) => {
        const end = await turn(localsOf(response).caller!.nodeId, kind, sizes[kind]);
        // Who went away while waiting is not served.
        if (response.closed) return end();
        response.once('close', end);
        next();
      },
    ];
  };
};
