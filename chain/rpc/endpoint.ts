import { steadyClock } from '../../domain/tools/clock.ts';
import { formsOf, hide, type SecretForms } from '../../domain/tools/hide.ts';
import type { ServerTime } from '../../domain/tools/outside-clock.ts';
import { contradicts, inOneForm, isWellFormed, noBlockIn, withoutFuture } from './responses.ts';
import { RpcError, type RpcErrorKind } from './error.ts';
import { createBudget, createExchange, type Exchange } from './exchange.ts';
import { createLengths } from './lengths.ts';
import { withoutRepeats, type RpcOutcome, type RpcRequest } from './requests.ts';

export interface RpcEndpoint {
  /**
   * Sends requests as one JSON-RPC batch, which the endpoint runs in order. Equal requests are sent once, because some endpoints refuse them.
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
  error?: { code?: unknown; message?: unknown; data?: unknown } | string | null;
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
    if (typeof error === 'string') item!.error = hide(wordsOf(error), keys);
    else if (typeof error?.message === 'string') error.message = hide(wordsOf(error.message), keys);
  };
  return async (...call) => {
    const response = await exchange(...call);
    (Array.isArray(response) ? response : [response]).forEach(hideIn);
    return response;
  };
};

const failureOf = (given: NonNullable<WireResponse['error']>, method?: string): RpcError => {
  const error = typeof given === 'string' ? { message: given } : given;
  const message = typeof error.message === 'string' ? error.message : 'the node gave no message';
  const number = typeof error.code === 'string' ? Number.parseInt(error.code, 10) : error.code;
  const code = typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  const details = { method, code, data: error.data };
  const failure = new RpcError('rejected', message, details);
  return failure.refusal === 'pause' ? new RpcError('overloaded', message, details) : failure;
};

const failed = (kind: RpcErrorKind, message: string, method?: string): RpcOutcome => ({
  ok: false,
  error: new RpcError(kind, message, { method }),
});

const outcomeOf = (request: RpcRequest, response: WireResponse | null | undefined): RpcOutcome => {
  const { method, params } = request;
  if (response?.error) {
    if (response.result != null && Object.keys(response.error).length === 0)
      return failed('nonsense', `an empty error beside the result of ${method}`, method);
    const error = failureOf(response.error, method);
    return noBlockIn(request, error) ? { ok: true, result: null } : { ok: false, error };
  }
  const result = response?.result;
  if (noBlockIn(request, result)) return { ok: true, result: null };
  if (result !== undefined && isWellFormed(request, result))
    return contradicts(request, result)
      ? failed('lie', `the response to ${method} belongs to another request`)
      : { ok: true, result: inOneForm(request, result) };
  // An endpoint that does not know this tag may send nothing at all.
  if (params?.[1] === 'pending') return failed('rejected', 'no pending block');
  if (result === undefined) return failed('malformed', `no response to ${method}`, method);
  return failed('nonsense', `nonsense in response to ${method}`, method);
};

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

/** The error of an endpoint that refuses everything. */
const denial = ({ message, code }: RpcError): RpcError =>
  new RpcError('denied', message, code === null ? {} : { code });

/**
 * True when all outcomes are the same refusal, and either it is about the key, or its words are unknown and it covers
 * several methods.
 */
const isDenied = (requests: readonly RpcRequest[], outcomes: readonly (RpcOutcome | undefined)[]): boolean => {
  const [first] = outcomes;
  if (first?.ok !== false || !first.error.refuses) return false;
  const { refusal, message } = first.error;
  const isSame = outcomes.every((outcome) => outcome?.ok === false && outcome.error.message === message);
  const isUnclear = refusal === null && new Set(requests.map(({ method }) => method)).size > 1;
  return isSame && (refusal === 'access' || isUnclear);
};

/** True for two different responses, and for those that are nested too deeply to be compared, which no response is. */
const areDifferent = (one: WireResponse, other: WireResponse): boolean => {
  try {
    return JSON.stringify(one) !== JSON.stringify(other);
  } catch {
    return true;
  }
};

/** Responses by id. @throws RpcError when two different ones have the same id, or one has a number too high: then no id can be relied on */
const byIdOf = (items: readonly (WireResponse | null)[], count: number): ReadonlyMap<unknown, WireResponse> => {
  const byId = new Map<unknown, WireResponse>();
  for (const item of items) {
    if (item === null || typeof item !== 'object' || item.id == null) continue;
    if (Number(item.id) >= count) throw new RpcError('malformed', 'a response to a batch has the id of no request');
    const other = byId.get(item.id);
    if (other !== undefined && areDifferent(other, item))
      throw new RpcError('malformed', 'two responses to a batch have the same id');
    byId.set(item.id, item);
  }
  return byId;
};

/**
 * The outcomes of a batch; undefined for requests without a response of their own.
 * @throws RpcError when the batch is refused as such, when the response is not a list, or when it responds to nothing
 */
const outcomesOf = (requests: readonly RpcRequest[], response: unknown): (RpcOutcome | undefined)[] => {
  const refusal = batchRefusalOf(response);
  if (refusal) throw refusal.refusal === 'access' ? denial(refusal) : refusal;
  if (!Array.isArray(response)) throw new RpcError('malformed', 'the response to a batch is not a list');
  const items = response as readonly (WireResponse | null)[];
  const byId = byIdOf(items, requests.length);
  const isMissing = (id: number): boolean => !byId.has(id) && requests[id]!.params?.[1] !== 'pending';
  if (requests.some((_, id) => !isMissing(id)))
    return requests.map((request, id) => (isMissing(id) ? undefined : outcomeOf(request, byId.get(id))));
  const error = items.find((item) => item?.error)?.error;
  throw error ? failureOf(error) : new RpcError('malformed', 'the response to a batch has none of its ids');
};

/** Sends one request without a batch. A refusal by an HTTP status alone becomes its outcome. */
const askAlone = async (request: RpcRequest, exchange: (body: unknown) => Promise<unknown>): Promise<RpcOutcome> => {
  try {
    const response = await exchange(wire(request, 1));
    const [only, ...more] = Array.isArray(response) ? (response as WireResponse[]) : [response as WireResponse];
    return outcomeOf(request, more.length === 0 ? only : undefined);
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'rejected') throw error;
    return failed('rejected', error.message, request.method);
  }
};

/** Speaks JSON-RPC 2.0 over HTTP to one URL. */
export const createEndpoint = (text: string, tellTime?: (time: ServerTime) => void): RpcEndpoint => {
  const exchange = withoutKeys(createExchange(text, tellTime), formsOf(keysOf(text)));
  const lengths = createLengths();

  /** Learns from a refusal. Only words about batches say that the length is the cause; any other error of a whole batch may be over soon. */
  const learnRefusal = (length: number, error: RpcError): void => {
    if (isOfBatch(error)) lengths.shorten(length, error.message);
    else if (lengths.isTrial(length)) lengths.fail(length, error.message);
    else lengths.halve(length, error.message);
  };

  /**
   * Sends a batch and learns from its end which length the endpoint accepts.
   * @param isFirst true when the exchange has all the time: a later one may be late because of those before it
   * @returns undefined for requests without a response; null when shorter batches must be sent
   */
  const batch = async (
    requests: readonly RpcRequest[],
    exchangeNow: (body: unknown) => Promise<unknown>,
    isFirst: boolean,
  ): Promise<(RpcOutcome | undefined)[] | null> => {
    const { length } = requests;
    const isTrial = lengths.isTrial(length);
    try {
      const outcomes = outcomesOf(requests, await exchangeNow(requests.map(wire)));
      const paused = outcomes.find((outcome) => outcome?.ok === false && outcome.error.kind === 'overloaded');
      if (paused?.ok === false) lengths.fail(length, paused.error.message);
      else if (outcomes.includes(undefined)) lengths.fail(length, 'no response to a part of a batch');
      else lengths.accept(length);
      return outcomes;
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
      if (error.kind === 'rejected') learnRefusal(length, error);
      else if (isTrial || isFirst || error.kind !== 'timeout') lengths.fail(length, error.message);
      if (error.kind === 'rejected' || isTrial) return null;
      throw error;
    }
  };

  return {
    longestBatch: lengths.longest,

    async post(all, timeoutMs, signal) {
      const { requests, places } = withoutRepeats(all);
      const outcomes: RpcOutcome[] = [];
      /** Positions of the requests without an outcome. */
      let open = requests.map((_, index) => index);
      /** Methods that were sent alone and refused with the words of the batch. */
      const alone = new Set<string>();
      const budget = createBudget();
      let until = steadyClock.now() + timeoutMs;
      const ask = async (part: readonly RpcRequest[]): Promise<(RpcOutcome | undefined)[] | null> => {
        // A longer batch than usual leaves time for shorter ones.
        const share = lengths.isTrial(part.length) ? 2 : 1;
        const exchangeNow = (body: unknown): Promise<unknown> =>
          exchange(body, (until - steadyClock.now()) / share, budget, signal);
        const isFirst = open.length === requests.length;
        if (part.length > 1) return batch(part, exchangeNow, isFirst);
        try {
          const outcome = await askAlone(part[0]!, exchangeNow);
          lengths.accept(1);
          return [outcome];
        } catch (error) {
          if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
          lengths.failAlone(isFirst);
          // The endpoint has responded to others: this one alone may be at fault.
          const isSpent = error.kind === 'timeout' || budget.bytes < 0 || budget.values < 0;
          if (isFirst || isSpent) throw error;
          return [failed(error.kind, error.message, part[0]!.method)];
        }
      };
      try {
        while (open.length > 0) {
          const positions = open.slice(0, lengths.longest());
          const part = positions.map((position) => requests[position]!);
          const responses = await ask(part);
          if (responses === null) continue;
          const [first] = responses;
          if (first?.ok === false && isDenied(part, responses)) throw denial(first.error);
          for (const [index, position] of positions.entries())
            if (responses[index] !== undefined) outcomes[position] = responses[index];
          open = open.filter((position) => outcomes[position] === undefined);
          until += FURTHER_EXCHANGE_MS;
          if (part.length > 1 || first?.ok !== false || !lengths.isOfOne(first.error)) continue;
          alone.add(part[0]!.method);
          if (alone.size > 1 && !isOfBatch(first.error)) throw denial(first.error);
        }
        const found = withoutFuture(requests, outcomes);
        return places.map((place) => found[place]!);
      } finally {
        if (alone.size > 0) lengths.forget();
      }
    },
  };
};

const wire = ({ method, params = [] }: RpcRequest, id: number): object => ({ jsonrpc: '2.0', id, method, params });
