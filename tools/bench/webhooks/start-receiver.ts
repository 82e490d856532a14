import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceiverNote } from './receiver.ts';

/** The merchants' process. */
export interface WebhookReceiver {
  readonly origin: string;
  /** The same server at each of its addresses; the first is `origin`. */
  readonly origins: readonly string[];
  /** First arrival of each event by id, in milliseconds since the epoch. */
  readonly arrivals: ReadonlyMap<string, number>;
  stop(): void;
}

/**
 * Starts a process with a server for all merchants.
 * @param addresses number of its addresses
 */
export const startWebhookReceiver = async (addresses = 1): Promise<WebhookReceiver> => {
  const file = fileURLToPath(new URL('receiver.ts', import.meta.url));
  const child = fork(file, [String(addresses)]);
  const arrivals = new Map<string, number>();
  child.on('message', ({ arrived = [] }: ReceiverNote) => {
    for (const [id, at] of arrived) if (!arrivals.has(id)) arrivals.set(id, at);
  });
  const [{ origins = [] }] = (await once(child, 'message')) as [ReceiverNote];
  return { origin: origins[0]!, origins, arrivals, stop: () => child.disconnect() };
};
