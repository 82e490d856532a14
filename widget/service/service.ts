import type { WidgetCheckout, WidgetPayment, WidgetPaymentState } from './types.ts';

/** The page's way to the api's widget endpoints for one payment or order. */
export interface Service {
  /** The data that pays; for an offered deal this reveals the offer. */
  payment(): Promise<WidgetPayment>;
  /** @param option its place in the order's options, from 0 */
  choose(option: number): Promise<WidgetCheckout>;
  checkout(): Promise<WidgetCheckout>;
  /**
   * Follows the payment until its end.
   * @returns ends it
   */
  follow(listener: Listener): () => void;
}

export interface Listener {
  state(state: WidgetPaymentState): void;
  /** False while the page does not hear of changes. */
  connected(isConnected: boolean): void;
  /** The token or the payment is not known, or no longer. */
  refused(): void;
}

/** An answer of the api that is no success. */
export class ServiceError extends Error {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Problem code of the api; empty without one. */
  readonly code: string;
  /** Milliseconds that the api asks to wait. */
  readonly retryAfter: number;

  constructor(status: number, code: string, retryAfter: number) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Milliseconds for an answer, and for a sign of life of a stream, whose heartbeat comes every 20 seconds. */
const ANSWER_TIMEOUT_MS = 20_000;
const SILENCE_MS = 45_000;
/** Milliseconds between two polls where streams do not come through. */
const POLL_MS = 5_000;
const MAX_PAUSE_MS = 30_000;
/** Milliseconds below which the end of a stream counts as a failure. */
const SHORT_MS = 10_000;

const toError = async (response: Response): Promise<ServiceError> => {
  const problem = (await response.json().catch(() => ({}))) as { code?: unknown };
  const seconds = Number(response.headers.get('Retry-After') ?? 0);
  return new ServiceError(response.status, String(problem.code ?? ''), seconds > 0 ? seconds * 1_000 : 0);
};

/** Reads server-sent events (WHATWG HTML section 9.2.6) and calls back with the data of each `state`. */
const readEvents = async (body: ReadableStream<Uint8Array>, alive: () => void, state: (data: string) => void) => {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    for (const block of blocks) {
      const lines = block.split(/\r?\n/);
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart());
      if (data.length > 0) state(data.join('\n'));
    }
  }
};

/** Waits until a time has passed, the page is looked at again, or the network is back. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      document.removeEventListener('visibilitychange', seen);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const seen = (): void => {
      if (!document.hidden) done();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener('online', done);
    document.addEventListener('visibilitychange', seen);
    signal.addEventListener('abort', done);
  });

/**
 * @param api origin and base path of the api, without a trailing slash
 * @param kind `payments` or `checkouts`
 */
export const createService = (api: string, kind: 'payments' | 'checkouts', id: string, token: string): Service => {
  const url = `${api}/api/v1/widget/${kind}/${encodeURIComponent(id)}`;

  const request = async (path: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response> => {
    const headers = { Authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    const options: RequestInit = {
      ...init,
      headers,
      signal,
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    };
    const response = await fetch(url + path, options).catch(() => {
      throw new ServiceError(0, '', 0);
    });
    if (!response.ok) throw await toError(response);
    return response;
  };

  const get = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const response = await request(path, AbortSignal.timeout(ANSWER_TIMEOUT_MS), init);
    return (await response.json().catch(() => {
      throw new ServiceError(0, '', 0);
    })) as T;
  };

  /** Resolves when the stream ends. @throws ServiceError when it does not begin */
  const stream = async (listener: Listener, ended: AbortSignal): Promise<void> => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), ANSWER_TIMEOUT_MS);
    const alive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    // A phone that slept, or went to a wallet app, may have lost the stream without notice.
    const seen = (): void => {
      if (!document.hidden) void poll(listener).catch(() => silence.abort());
    };
    document.addEventListener('visibilitychange', seen);
    try {
      const signal = AbortSignal.any([ended, silence.signal]);
      const response = await request('/events', signal, { headers: { Accept: 'text/event-stream' } });
      await readEvents(response.body!, alive, (data) => {
        listener.connected(true);
        listener.state(JSON.parse(data) as WidgetPaymentState);
      }).catch(() => {});
    } finally {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    }
  };

  const poll = async (listener: Listener): Promise<void> => {
    const state = await get<WidgetPaymentState>('/events', { headers: { Accept: 'application/json' } });
    listener.connected(true);
    listener.state(state);
  };

  /** Streams, and polls between two streams. Streams that fail or end at once are tried less and less often. */
  const follow = async (listener: Listener, ended: AbortSignal): Promise<void> => {
    let failures = 0;
    let nextStream = 0;
    while (!ended.aborted) {
      let wait = 0;
      if (performance.now() >= nextStream) {
        const since = performance.now();
        const retryAfter = await stream(listener, ended).then(
          () => 0,
          (error: ServiceError) => error.retryAfter,
        );
        failures = performance.now() - since < SHORT_MS ? failures + 1 : 0;
        nextStream = performance.now() + Math.max(retryAfter, Math.min(MAX_PAUSE_MS, 1_000 * 2 ** failures));
      }
      try {
        if (!ended.aborted) await poll(listener);
      } catch (error) {
        const { status, retryAfter } = error as ServiceError;
        if (status === 401 || status === 404 || status === 409) return listener.refused();
        wait = retryAfter;
        listener.connected(false);
      }
      wait = Math.max(wait, Math.min(POLL_MS, nextStream - performance.now()));
      // The pages of a restarted api do not all return at once.
      if (!ended.aborted) await pause(wait * (0.5 + Math.random()), ended);
    }
  };

  return {
    payment: () => get<WidgetPayment>(''),
    checkout: () => get<WidgetCheckout>(''),
    choose: (option) =>
      get<WidgetCheckout>('/choose', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ option }),
      }),
    follow: (listener) => {
      const end = new AbortController();
      void follow(listener, end.signal);
      return () => end.abort();
    },
  };
};
