import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../domain/log.ts';
import type { NotificationSource } from '../../domain/notifications.ts';

/** What is notified, and what the payload names: an account, a network, nothing. */
export type NotificationChannel = 'carat_lane' | 'carat_block' | 'carat_outbox';

/** Hands the notifications of one database connection to those parts of the process that wait for some of them. */
export interface Notifications {
  /** @param wanted which channel and payload wake this source, as `{ carat_lane: accountId }`; null takes any payload */
  source(wanted: Partial<Record<NotificationChannel, string | null>>): NotificationSource & { close(): void };
  stop(): Promise<void>;
}

export interface NotificationOptions {
  readonly url: string;
  readonly log: Log;
}

interface Listener {
  readonly wants: (channel: string, payload: string) => boolean;
  readonly wake: () => void;
}

const channels: readonly NotificationChannel[] = ['carat_lane', 'carat_block', 'carat_outbox'];
const LONGEST_PAUSE_MS = 1_000;

/**
 * Listens on one connection and keeps it up. While it is down no wait ends early, so each has its own end;
 * after it is back all end once, as something may have been missed.
 */
export const createNotifications = ({ url, log }: NotificationOptions): Notifications => {
  const listeners = new Set<Listener>();
  const stopping = new AbortController();

  const wakeAll = (): void => listeners.forEach((listener) => listener.wake());

  const listen = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url, application_name: 'carat-notifications', keepAlive: true });
    try {
      const ended = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
        stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      client.on('notification', ({ channel, payload = '' }) => {
        for (const listener of listeners) if (listener.wants(channel, payload)) listener.wake();
      });
      await client.connect();
      await client.query(channels.map((channel) => `LISTEN ${channel}`).join('; '));
      wakeAll();
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const keepListening = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await listen();
      } catch (error) {
        log.warn('The connection for notifications failed', { reason: (error as Error).message });
      }
      await delay(LONGEST_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = keepListening();

  return {
    source: (wanted) => {
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
      listeners.add(listener);
      return {
        wait: async (ms, signal) => {
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
        },
        close: () => void listeners.delete(listener),
      };
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
