import pg from 'pg';
import type { Log } from '../../domain/ports/log.ts';
import type { NotificationSource } from '../../domain/ports/notifications.ts';
import { startLoop } from '../../domain/tools/repeat.ts';
import { createEpisode } from '../../domain/tools/episode.ts';
import { KEEP_ALIVE_AFTER } from '../connection.ts';
import { PAGES } from './pages.ts';

/** A notification channel. Its payload is the id of an account or a network, or empty. */
export type NotificationChannel = (typeof channels)[number];

/** The channels and payloads that wake a source, as in `{ carat_lane: accountId }`; null accepts any payload. */
type Wanted = Partial<Record<NotificationChannel, string | null>>;

/** Distributes the notifications of one database connection to the sources of a process. */
export interface Notifications {
  source(wanted: Wanted): NotificationSource & { close(): void };
  /** Passes on every notification of the channels with its payload. */
  listen(listener: NotificationListener): { close(): void };
  stop(): Promise<void>;
}

/** Receives notifications one by one. */
export interface NotificationListener {
  notified(channel: NotificationChannel, payload: string): void;
  /** The connection is new, so notifications may have been missed. */
  mayHaveMissed(): void;
}

/** The database to listen on, and the log. */
export interface NotificationOptions {
  readonly url: string;
  /** Those of workers by default. */
  readonly channels?: readonly NotificationChannel[];
  readonly log: Log;
}

const ofWorkers = [
  'carat_lane',
  'carat_block',
  'carat_outbox',
  'carat_webhook',
  'carat_catalogue',
  'carat_offers',
] as const;
const channels = [...ofWorkers, PAGES] as const;
const LONGEST_PAUSE_MS = 1_000;
/** Milliseconds between two checks of the connection, and until one is answered at the latest. */
const CHECK_EVERY_MS = 10_000;
const ANSWER_MS = 5_000;

/**
 * Listens on one connection and reconnects it when it fails. While it is down, waits end by their own timeouts only. After a
 * reconnect all waits end once, because notifications may have been missed.
 */
export const createNotifications = ({ url, log, channels = ofWorkers }: NotificationOptions): Notifications => {
  const listeners = new Set<NotificationListener>();
  const wanted = channels.map((channel) => `LISTEN ${channel}`).join('; ');
  const trouble = createEpisode();
  const connected = (): void => trouble.ends(() => log.info('The notification connection is back'));
  const { stop } = startLoop((stopping) => listen({ url, wanted }, listeners, stopping, connected), {
    everyMs: LONGEST_PAUSE_MS,
    failed: (error) =>
      trouble.begins(() => log.warn('The notification connection failed', { reason: (error as Error).message })),
  });

  return {
    source: (wanted) => {
      const { listener, wait } = createSource(wanted);
      listeners.add(listener);
      return { wait, close: () => void listeners.delete(listener) };
    },
    listen: (listener) => {
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    stop,
  };
};

const cut = (client: pg.Client): void => void client.connection.stream.destroy();

/** Runs a statement. Cuts a connection that does not answer in time: a balancer may keep it open, with no server behind. */
const ask = async (client: pg.Client, statement: string): Promise<void> => {
  const late = setTimeout(cut, ANSWER_MS, client).unref();
  await client.query(statement).finally(() => clearTimeout(late));
};

/** Asks again and again. @returns a function that stops the checks */
const keepChecking = (client: pg.Client, statement: string): (() => void) => {
  const timer = setInterval(() => void ask(client, statement).catch(() => undefined), CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
};

/** Runs one connection until it ends. */
const listen = async (
  { url, wanted }: { readonly url: string; readonly wanted: string },
  listeners: ReadonlySet<NotificationListener>,
  stopping: AbortSignal,
  onConnected: () => void,
): Promise<void> => {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'carat-notifications',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER,
    connectionTimeoutMillis: ANSWER_MS,
  });
  const giveUp = (): void => cut(client);
  stopping.addEventListener('abort', giveUp, { once: true });
  try {
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of listeners) listener.notified(channel as NotificationChannel, payload);
    });
    await client.connect();
    await ask(client, wanted);
    stopping.removeEventListener('abort', giveUp);
    onConnected();
    for (const listener of listeners) listener.mayHaveMissed();
    const stopChecks = keepChecking(client, wanted);
    await ended.finally(stopChecks);
  } finally {
    stopping.removeEventListener('abort', giveUp);
    const late = setTimeout(giveUp, LONGEST_PAUSE_MS).unref();
    await client.end().catch(() => undefined);
    clearTimeout(late);
  }
};

/** Creates a source. A notification between two waits ends the second one at once. */
const createSource = (wanted: Wanted): { listener: NotificationListener; wait: NotificationSource['wait'] } => {
  let missed = false;
  let waiting: (() => void) | null = null;
  const wake = (): void => {
    missed = true;
    waiting?.();
  };
  const listener: NotificationListener = {
    notified: (channel, payload) => {
      const accepted = wanted[channel];
      if (accepted === null || accepted === payload) wake();
    },
    mayHaveMissed: wake,
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
