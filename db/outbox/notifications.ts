import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../domain/ports/log.ts';
import type { NotificationSource } from '../../domain/ports/notifications.ts';
import { createSpell } from '../../domain/tools/spell.ts';
import { KEEP_ALIVE_AFTER } from '../connection.ts';

/** A notification channel. Its payload is the id of an account or a network, or empty. */
export type NotificationChannel = (typeof channels)[number];

/** The channels and payloads that wake a source, as in `{ carat_lane: accountId }`; null accepts any payload. */
type Wanted = Partial<Record<NotificationChannel, string | null>>;

/** Distributes the notifications of one database connection to the sources of a process. */
export interface Notifications {
  source(wanted: Wanted): NotificationSource & { close(): void };
  stop(): Promise<void>;
}

/** The database to listen on, and the log. */
export interface NotificationOptions {
  readonly url: string;
  readonly log: Log;
}

interface Listener {
  readonly wants: (channel: string, payload: string) => boolean;
  readonly wake: () => void;
}

const channels = [
  'carat_lane',
  'carat_block',
  'carat_outbox',
  'carat_webhook',
  'carat_catalogue',
  'carat_offers',
] as const;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Listens on one connection and reconnects it when it fails. While it is down, waits end by their own timeouts only. After a
 * reconnect all waits end once, because notifications may have been missed.
 */
export const createNotifications = ({ url, log }: NotificationOptions): Notifications => {
  const listeners = new Set<Listener>();
  const stopping = new AbortController();

  const trouble = createSpell();

  const keepListening = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await listen(url, listeners, stopping.signal, () => {
          trouble.ends(() => log.info('The notification connection is back'));
        });
      } catch (error) {
        const { message: reason } = error as Error;
        trouble.begins(() => log.warn('The notification connection failed', { reason }));
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

/** Runs one connection until it ends. */
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

/** Creates a source. A notification between two waits ends the second one at once. */
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
