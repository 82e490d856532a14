import { startReceiver } from '../support/receiver.ts';

/** A merchant's server that stores events, and refuses some of them at first. */
export interface ModelReceiver {
  readonly origin: string;
  /** Every body that came with a webhook id, in the order in which they came. */
  bodiesOf(webhookId: string): readonly string[];
  close(): Promise<void>;
}

/** One delivery in so many is answered 500 when it comes for the first time. */
const REFUSED = 8;

/** Starts one on a free port. */
export const startModelReceiver = async (): Promise<ModelReceiver> => {
  const bodies = new Map<string, string[]>();
  const { origin, close } = await startReceiver({
    answer: ({ headers, body }, response) => {
      const id = String(headers['webhook-id']);
      const received = bodies.get(id) ?? [];
      bodies.set(id, [...received, body]);
      const isRefused = received.length === 0 && bodies.size % REFUSED === 0;
      response.writeHead(isRefused ? 500 : 204).end();
    },
  });
  return { origin, close, bodiesOf: (webhookId) => bodies.get(webhookId) ?? [] };
};
