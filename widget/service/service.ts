import type { WidgetCheckout, WidgetPayment, WidgetPaymentState } from './types.ts';

/** The page's way to the api's widget endpoints for one payment or order. */
export interface Service {
  /** What is needed to pay; for an offered deal this reveals the offer. */
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
/** Failed streams in a row after which the page polls. */
const STREAM_FAILURES = 2;

const toError = async (response: Response): Promise<ServiceError> => {
  const problem = (await response.json().catch(() => ({}))) as { code?: unknown };
  const seconds = Number(response.headers.get('Retry-After') ?? 0);
  return new ServiceError(response.status, String(problem.code ?? ''), seconds > 0 ? seconds * 1_000 : 0);
};

const isFinal = ({ status }: ServiceError): boolean => status === 401 || status === 404 || status === 409;

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

  /** Resolves when the stream ends after at least one state; rejects without any. */
  const stream = async (listener: Listener, ended: AbortSignal): Promise<void> => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), ANSWER_TIMEOUT_MS);
    const alive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    let isHeard = false;
    try {
      const signal = AbortSignal.any([ended, silence.signal]);
      const response = await request('/events', signal, { headers: { Accept: 'text/event-stream' } });
      await readEvents(response.body!, alive, (data) => {
        isHeard = true;
        listener.connected(true);
        listener.state(JSON.parse(data) as WidgetPaymentState);
      });
    } catch (error) {
      if (!isHeard) throw error;
    } finally {
      clearTimeout(timer);
    }
    if (!isHeard) throw new ServiceError(0, '', 0);
  };

  const follow = async (listener: Listener, ended: AbortSignal): Promise<void> => {
    let failures = 0;
    while (!ended.aborted) {
      let wait = 0;
      try {
        if (failures < STREAM_FAILURES || failures % 10 === 0) await stream(listener, ended);
        else {
          listener.state(await get<WidgetPaymentState>('/events', { headers: { Accept: 'application/json' } }));
          listener.connected(true);
          failures += 1;
          wait = POLL_MS;
        }
        if (wait === 0) failures = 0;
      } catch (error) {
        if (ended.aborted) return;
        if (error instanceof ServiceError && isFinal(error)) return listener.refused();
        failures += 1;
        listener.connected(false);
        wait = Math.max(
          Math.min(MAX_PAUSE_MS, 1_000 * 2 ** Math.min(failures, 5)),
          (error as ServiceError).retryAfter ?? 0,
        );
      }
      // Half of each pause is random, so that the pages of a restarted api do not all return at once.
      await pause(Math.max(wait, 1_000) * (0.5 + Math.random() / 2), ended);
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
