import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../domain/ports/log.ts';
import type { NotificationSource } from '../../domain/ports/notifications.ts';
import { createSpell } from '../../domain/tools/spell.ts';
import { KEEP_ALIVE_AFTER } from '../connection.ts';

/** What is notified, and what the payload names: an account, a network, nothing. */
export type NotificationChannel = (typeof channels)[number];

/** Which channels and payloads wake a source, as `{ carat_lane: accountId }`; null takes any payload. */
type Wanted = Partial<Record<NotificationChannel, string | null>>;

/** Hands the notifications of one database connection to those parts of the process that wait for some of them. */
export interface Notifications {
  source(wanted: Wanted): NotificationSource & { close(): void };
  stop(): Promise<void>;
}

/** Where to listen. */
export interface NotificationOptions {
  readonly url: string;
  readonly log: Log;
}

interface Listener {
  readonly wants: (channel: string, payload: string) => boolean;
  readonly wake: () => void;
}

const channels = ['carat_lane', 'carat_block', 'carat_outbox', 'carat_webhook', 'carat_catalogue'] as const;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Listens on one connection and keeps it up. While it is down no wait ends early, so each has its own end;
 * after it is back all end once, as something may have been missed.
 */
export const createNotifications = ({ url, log }: NotificationOptions): Notifications => {
  const listeners = new Set<Listener>();
  const stopping = new AbortController();

  const trouble = createSpell();

  const keepListening = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await listen(url, listeners, stopping.signal, () => {
          trouble.ends(() => log.info('The connection for notifications stands again'));
        });
      } catch (error) {
        const { message: reason } = error as Error;
        trouble.begins(() => log.warn('The connection for notifications failed', { reason }));
      }
      await delay(LONGEST_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = keepListening();

  return {
    source: (wanted) => {
      const { listener, wait } = createSource(wanted);
      listeners.add(listener);
      return { wait, close: () => void listeners.delete(listener) };
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

/** One connection, from its beginning to its end. */
const listen = async (
  url: string,
  listeners: ReadonlySet<Listener>,
  stopping: AbortSignal,
  onConnected: () => void,
): Promise<void> => {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'carat-notifications',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER,
  });
  try {
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of listeners) if (listener.wants(channel, payload)) listener.wake();
    });
    await client.connect();
    await client.query(channels.map((channel) => `LISTEN ${channel}`).join('; '));
    onConnected();
    for (const listener of listeners) listener.wake();
    await ended;
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Waits for what it wants; what came between two waits ends the second at once. */
const createSource = (wanted: Wanted): { listener: Listener; wait: NotificationSource['wait'] } => {
  let missed = false;
  let waiting: (() => void) | null = null;
  const listener: Listener = {
    wants: (channel, payload) => {
      const accepted = wanted[channel as NotificationChannel];
      return accepted === null || accepted === payload;
    },
    wake: () => {
      missed = true;
      waiting?.();
    },
  };
  const wait: NotificationSource['wait'] = async (ms, signal) => {
    if (!missed && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          waiting = null;
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end, { once: true });
        waiting = end;
      });
    }
    missed = false;
  };
  return { listener, wait };
};
