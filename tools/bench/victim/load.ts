/*
 * The neighbour's clients in a separate process: send the parent's requests until it says stop, and report the answers.
 */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadRequest } from '../http/load.ts';

export interface NeighbourJob {
  readonly url: string;
  readonly connections: number;
  /** Requests per second in total; null: each connection sends the next request after the last answer. */
  readonly perSecond: number | null;
  /** Sent round-robin; each `#` becomes a fresh text. */
  readonly requests: readonly LoadRequest[];
}

export interface NeighbourResult {
  /** Answers by status; 0 counts requests without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly bytes: number;
}

const fill = (text: string): string => (text.includes('#') ? text.replaceAll('#', randomUUID()) : text);

let statuses: Record<number, number> = {};
let bytes = 0;
let isOver = false;

const send = (agent: http.Agent, url: string, { method, path, headers, body }: LoadRequest): Promise<void> =>
  new Promise((resolve) => {
    const count = (status: number): void => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      resolve();
    };
    const request = http.request(url + fill(path), { agent, method, headers }, (response) => {
      response.on('data', (chunk: Buffer) => void (bytes += chunk.length));
      response.on('close', () => count(response.complete ? (response.statusCode ?? 0) : 0));
    });
    request.on('error', () => count(0));
    request.end(body === undefined ? undefined : fill(body));
  });

const run = async ({ url, connections, perSecond, requests }: NeighbourJob): Promise<NeighbourResult> => {
  [statuses, bytes, isOver] = [{}, 0, false];
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const pauseMs = perSecond === null ? 0 : (connections * 1_000) / perSecond;
  const connection = async (_: unknown, first: number): Promise<void> => {
    for (let turn = first; !isOver; turn += 1) {
      await Promise.all([send(agent, url, requests[turn % requests.length]!), delay(pauseMs)]);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return { statuses, bytes };
};

process.on('message', (message: NeighbourJob | 'stop') => {
  if (message === 'stop') isOver = true;
  else void run(message).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit());
