import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceiverNote } from './receiver.ts';

/** The merchants' process. */
export interface WebhookReceiver {
  readonly origin: string;
  /** When each event arrived first, by its id, in milliseconds since the epoch. */
  readonly arrivals: ReadonlyMap<string, number>;
  stop(): void;
}

/** Starts a process with a server that is every merchant. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const child = fork(fileURLToPath(new URL('receiver.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  const arrivals = new Map<string, number>();
  child.on('message', ({ arrived = [] }: ReceiverNote) => {
    for (const [id, at] of arrived) if (!arrivals.has(id)) arrivals.set(id, at);
  });
  const [{ port = 0 }] = (await once(child, 'message')) as [ReceiverNote];
  return { origin: `http://127.0.0.1:${port}`, arrivals, stop: () => child.disconnect() };
};
