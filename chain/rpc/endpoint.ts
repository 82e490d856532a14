import { steadyClock } from '../../domain/tools/clock.ts';
import { formsOf, hide, type SecretForms } from '../../domain/tools/hide.ts';
import type { ServerTime } from '../../domain/tools/outside-clock.ts';
import { isWellFormed } from './responses.ts';
import { RpcError } from './error.ts';
import { createBudget, createExchange, type Exchange } from './exchange.ts';
import type { RpcOutcome, RpcRequest } from './requests.ts';

export interface RpcEndpoint {
  /**
   * Sends requests as one JSON-RPC batch, which the endpoint runs in order.
   * @returns outcomes in the order of the requests
   * @throws RpcError when the endpoint does not respond at all
   */
  post(requests: readonly RpcRequest[], timeoutMs: number, signal?: AbortSignal): Promise<RpcOutcome[]>;
  /** Most requests that it accepts in one batch, learned from its refusals; Infinity when it has refused none. */
  longestBatch(): number;
}

interface WireResponse {
  id?: unknown;
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown } | null;
}

/** Characters of an error's message that are read. */
const MAX_WORDS = 3_000;

/** Shorter parts of a path or a query, such as `v2` or `archive`, are no keys. */
const SHORTEST_KEY = 8;

/** The parts of an endpoint's URL that may be keys. Providers name the key that they refuse. */
const keysOf = (text: string): string[] => {
  const { username, password, pathname, searchParams } = new URL(text);
  const credentials = [username, password].map(decodeURIComponent);
  const basic = Buffer.from(credentials.join(':')).toString('base64');
  const parts = [...pathname.split('/'), ...searchParams.values()];
  return [basic, ...credentials, ...parts.filter(({ length }) => length >= SHORTEST_KEY)];
};

/** The words of an error as PostgreSQL can store them. */
const wordsOf = (message: string): string => message.slice(0, MAX_WORDS).toWellFormed().replaceAll('\0', '');

/** Hides an endpoint's keys in its errors, which alerts and logs repeat. */
const withoutKeys = (exchange: Exchange, keys: readonly SecretForms[]): Exchange => {
  const hideIn = (item: WireResponse | null): void => {
    const { error } = item ?? {};
    if (typeof error?.message === 'string') error.message = hide(wordsOf(error.message), keys);
  };
  return async (...call) => {
    const response = await exchange(...call);
    (Array.isArray(response) ? response : [response]).forEach(hideIn);
    return response;
  };
};

const failureOf = (error: NonNullable<WireResponse['error']>, method?: string): RpcError => {
  const message = typeof error.message === 'string' ? error.message : 'the node gave no message';
  const code = typeof error.code === 'number' ? error.code : undefined;
  const details = { method, code, data: error.data };
  const failure = new RpcError('rejected', message, details);
  return failure.refusal === 'pause' ? new RpcError('overloaded', message, details) : failure;
};

const malformed = (message: string): RpcOutcome => ({ ok: false, error: new RpcError('malformed', message) });

const outcomeOf = (request: RpcRequest, response: WireResponse | null | undefined): RpcOutcome => {
  if (response == null) return malformed(`no response to ${request.method}`);
  if (response.error) return { ok: false, error: failureOf(response.error, request.method) };
  const { result } = response;
  if (result !== undefined && isWellFormed(request, result)) return { ok: true, result };
  // An endpoint that does not know this tag may send nothing at all.
  if (request.params?.[1] === 'pending') return { ok: false, error: new RpcError('rejected', 'no pending block') };
  return malformed(`nonsense in response to ${request.method}`);
};

/** Milliseconds after which an endpoint that refused a batch is sent longer ones again. */
const SHORTER_BATCHES_MS = 3_600_000;
/** Milliseconds by which each exchange extends the deadline: an endpoint that drips would hold up its network. */
const FURTHER_EXCHANGE_MS = 250;

const isOfBatch = ({ refusal }: RpcError): boolean => refusal === 'batch';

/**
 * The error with which an endpoint refuses a batch as such: one error in place of a list (JSON-RPC 2.0, section 6), a
 * list of one error (geth), or an error about batches for every request, or for every request from some position on.
 */
const batchRefusalOf = (response: unknown): RpcError | null => {
  const all = (Array.isArray(response) ? response : [response]) as (WireResponse | null)[];
  const errors = all.map((item) => (item?.error ? failureOf(item.error) : null));
  const first = errors.findIndex((error) => error !== null && isOfBatch(error));
  if (first >= 0 && errors.slice(first).every((error) => error !== null && isOfBatch(error))) return errors[first]!;
  return all.length === 1 ? errors[0]! : null;
};

/** The batch length that an endpoint was found to accept. */
const createLengths = () => {
  const unknown = { longest: Infinity, until: -Infinity, words: '' };
  let found = unknown;
  /** The length of the last batch that was rate-limited, until one of that length is accepted. */
  let paused = Infinity;
  const longest = (): number => (steadyClock.now() < found.until ? found.longest : Infinity);
  /** Records that a batch of this length was refused with these words. */
  const shorten = (refused: number, words: string): void => {
    // A concurrent batch may have been refused at a smaller length.
    found = {
      longest: Math.min(longest(), Math.ceil(refused / 2)),
      until: steadyClock.now() + SHORTER_BATCHES_MS,
      words,
    };
  };
  return {
    longest,
    shorten,
    /**
     * Records that a batch of this length was rate-limited. At the second time in a row it is shortened: an endpoint that
     * counts requests, not exchanges, accepts shorter batches although no pause helps.
     */
    pause: (length: number, words: string): void => {
      if (length >= paused) shorten(length, words);
      paused = Math.min(length, longest());
    },
    /** Records that a batch of this length was accepted. A shorter one says nothing about longer ones. */
    accept: (length: number): void => {
      if (length >= paused) paused = Infinity;
    },
    /** True when one request alone is refused as the batch was: the length was not the cause. */
    isOfOne: (error: RpcError): boolean => isOfBatch(error) || (longest() === 1 && error.message === found.words),
    forget: (): void => void (found = unknown),
  };
};

/** The error of an endpoint that refuses everything. */
const denial = ({ message, code }: RpcError): RpcError =>
  new RpcError('denied', message, code === null ? {} : { code });

/**
 * True when all outcomes are the same refusal, and either it is about the key, or its words are unknown and it covers
 * several methods.
 */
const isDenied = (requests: readonly RpcRequest[], outcomes: readonly RpcOutcome[]): boolean => {
  const [first] = outcomes;
  if (first?.ok !== false || !first.error.refuses) return false;
  const { refusal, message } = first.error;
  const isSame = outcomes.every((outcome) => !outcome.ok && outcome.error.message === message);
  const isUnclear = refusal === null && new Set(requests.map(({ method }) => method)).size > 1;
  return isSame && (refusal === 'access' || isUnclear);
};

/** @throws RpcError when the batch is refused as such, or the response is not a list */
const outcomesOf = (requests: readonly RpcRequest[], response: unknown): RpcOutcome[] => {
  const refusal = batchRefusalOf(response);
  if (refusal) throw refusal.refusal === 'access' ? denial(refusal) : refusal;
  if (!Array.isArray(response)) throw new RpcError('malformed', 'the response to a batch is not a list');
  const byId = new Map((response as (WireResponse | null)[]).map((item) => [item?.id, item]));
  return requests.map((request, id) => outcomeOf(request, byId.get(id)));
};

/** Sends one request without a batch. A refusal by an HTTP status alone becomes its outcome. */
const askAlone = async (request: RpcRequest, exchange: (body: unknown) => Promise<unknown>) => {
  try {
    return outcomeOf(request, (await exchange(wire(request, 1))) as WireResponse);
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'rejected') throw error;
    const { method } = request;
    return { ok: false, error: new RpcError('rejected', error.message, { method }) } as const;
  }
};

/** Speaks JSON-RPC 2.0 over HTTP to one URL. */
export const createEndpoint = (text: string, tellTime?: (time: ServerTime) => void): RpcEndpoint => {
  const exchange = withoutKeys(createExchange(text, tellTime), formsOf(keysOf(text)));
  const lengths = createLengths();

  /** @returns null when the endpoint refuses a batch of this length */
  const batch = async (
    requests: readonly RpcRequest[],
    exchangeNow: (body: unknown) => Promise<unknown>,
  ): Promise<RpcOutcome[] | null> => {
    try {
      const outcomes = outcomesOf(requests, await exchangeNow(requests.map(wire)));
      const paused = outcomes.find((outcome) => !outcome.ok && outcome.error.kind === 'overloaded');
      if (paused?.ok === false) lengths.pause(requests.length, paused.error.message);
      else lengths.accept(requests.length);
      return outcomes;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.kind === 'overloaded') lengths.pause(requests.length, error.message);
      if (error.kind !== 'rejected') throw error;
      lengths.shorten(requests.length, error.message);
      return null;
    }
  };

  return {
    longestBatch: lengths.longest,

    async post(requests, timeoutMs, signal) {
      const outcomes: RpcOutcome[] = [];
      /** Methods that were sent alone and refused with the words of the batch. */
      const alone = new Set<string>();
      const budget = createBudget();
      let until = steadyClock.now() + timeoutMs;
      try {
        while (outcomes.length < requests.length) {
          const part = requests.slice(outcomes.length, outcomes.length + lengths.longest());
          const exchangeNow = (body: unknown): Promise<unknown> =>
            exchange(body, until - steadyClock.now(), budget, signal);
          const responses =
            part.length === 1 ? [await askAlone(part[0]!, exchangeNow)] : await batch(part, exchangeNow);
          if (responses === null) continue;
          const [first] = responses;
          if (first?.ok === false && isDenied(part, responses)) throw denial(first.error);
          outcomes.push(...responses);
          until += FURTHER_EXCHANGE_MS;
          if (part.length > 1 || first?.ok !== false || !lengths.isOfOne(first.error)) continue;
          alone.add(part[0]!.method);
          if (alone.size > 1 && !isOfBatch(first.error)) throw denial(first.error);
        }
        return outcomes;
      } finally {
        if (alone.size > 0) lengths.forget();
      }
    },
  };
};

const wire = ({ method, params = [] }: RpcRequest, id: number): object => ({ jsonrpc: '2.0', id, method, params });

/** Bytes of one HTTP body; endpoints accept 2 MB or more. */
const MAX_BODY = 1_500_000;

/** Splits a list so that no part has too many requests or too large a body for an endpoint. */
export const chunks = (requests: readonly RpcRequest[], maxBatch: number): RpcRequest[][] => {
  const all: RpcRequest[][] = [];
  let size = 0;
  for (const request of requests) {
    const own = request.params?.reduce<number>((sum, param) => sum + sizeOf(param), 0) ?? 0;
    const last = all.at(-1);
    if (!last || last.length >= maxBatch || size + own > MAX_BODY) {
      all.push([request]);
      size = own;
    } else {
      last.push(request);
      size += own;
    }
  }
  return all;
};

const sizeOf = (param: unknown): number => {
  if (typeof param === 'string') return param.length;
  const data = (param as { data?: unknown } | null)?.data;
  return typeof data === 'string' ? data.length : 100;
};
