import { isRefused } from './responses.ts';
import { RpcError } from './error.ts';
import { inOrder, isOfTransport, isPreferred, SHORT_MS, type Member, type Pool } from './member.ts';
import type { RequestOptions, RpcBatch, RpcOutcome, RpcRequest } from './requests.ts';

/** Asks one endpoint after another until one responds. */
export const createFailover =
  ({ members, timeoutMs, exchange }: Pool) =>
  async (
    requests: readonly RpcRequest[],
    { endpoint, turn = 0, accept, signal }: RequestOptions = {},
  ): Promise<RpcBatch> => {
    const asked = endpoint === undefined ? rotated(members, turn) : members.filter(({ index }) => index === endpoint);
    const ask = async (member: Member): Promise<readonly RpcOutcome[]> => {
      const others = endpoint === undefined ? asked.slice(asked.indexOf(member) + 1) : members;
      const isLast = !others.some((other) => other !== member && isPreferred(other));
      const ms = isLast ? timeoutMs : Math.min(timeoutMs, SHORT_MS);
      const outcomes = await exchange(member, requests, { ms, signal });
      requireAccepted(member, outcomes, accept);
      return outcomes;
    };
    const found: { last?: RpcError; refused?: RpcBatch; response?: RpcBatch } = {};
    await relay(asked, 1, ask, (said, member) => {
      if (said.status === 'rejected') {
        found.last = worst(found.last, said.reason);
        return false;
      }
      const own = { endpoint: member.index, outcomes: said.value };
      const isFinal =
        endpoint !== undefined || !requests.some((request, index) => isRefused(request, said.value[index]));
      if (isFinal) found.response = own;
      else found.refused ??= own;
      return isFinal;
    });
    const { last, refused, response = refused } = found;
    // The exchange has demoted it for a fault of transport.
    const isFault = refused?.outcomes.some((outcome) => !outcome.ok && isOfTransport(outcome.error));
    if (refused && response !== refused && !isFault)
      members[refused.endpoint]?.demoteBriefly('rejects requests that others grant');
    if (response) return response;
    throw last ?? new RpcError('unreachable', 'no such endpoint');
  };

/** In order of preference, rotated among the endpoints that are not demoted. */
const rotated = (members: readonly Member[], first: number): Member[] => {
  const ordered = inOrder(members);
  const preferred = ordered.filter(isPreferred).length;
  const skipped = preferred === 0 ? 0 : first % preferred;
  return [...ordered.slice(skipped, preferred), ...ordered.slice(0, skipped), ...ordered.slice(preferred)];
};

/** The error to throw at the end: a wrong chain only when no endpoint failed in another way. */
export const worst = (last: RpcError | undefined, error: unknown): RpcError => {
  if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
  return last && error.kind === 'wrong_chain' ? last : error;
};

const requireAccepted = (member: Member, outcomes: readonly RpcOutcome[], accept: RequestOptions['accept']): void => {
  try {
    accept?.(outcomes);
  } catch (thrown) {
    // A response that cannot be decoded may be the contract's fault.
    const error = thrown instanceof RpcError ? thrown : new RpcError('inconsistent', 'a response cannot be decoded');
    if (error.kind === 'lie') member.demote(error.message);
    // The exchange has demoted it for a fault of transport.
    else if (!isOfTransport(error)) member.demoteBriefly(error.message);
    throw error;
  }
};

/** Asks the endpoints that are not demoted, all at once. */
export const createEveryone =
  ({ members, exchange }: Pool) =>
  async (
    requests: readonly RpcRequest[],
    { fewest = 2, signal }: { fewest?: number; signal?: AbortSignal } = {},
  ): Promise<RpcBatch[]> => {
    const preferred = members.filter(isPreferred);
    const asked = preferred.length >= Math.min(fewest, members.length) ? preferred : members;
    const responses = await Promise.allSettled(
      asked.map(async (member) => ({
        endpoint: member.index,
        outcomes: await exchange(member, requests, { signal }),
      })),
    );
    return responses.flatMap((response) => (response.status === 'fulfilled' ? [response.value] : []));
  };

/** Milliseconds of silence after which another endpoint is asked as well. */
export const PATIENCE_MS = 1_000;

/**
 * Asks endpoints in their order, `atOnce` of them concurrently. The next one is asked when one fails, when all have
 * responded and nothing is decided, and while one is silent, unless only the next one is demoted.
 * @param take receives each response and failure until it returns true; an error that it throws ends the relay
 */
export const relay = <Result>(
  asked: readonly Member[],
  atOnce: number,
  ask: (member: Member) => Promise<Result>,
  take: (said: PromiseSettledResult<Result>, member: Member) => boolean,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const waiting = [...asked];
    let open = 0;
    let isOver = false;

    const settle = (said: PromiseSettledResult<Result>, member: Member): void => {
      open -= 1;
      if (isOver) return;
      try {
        isOver = take(said, member);
      } catch (error) {
        isOver = true;
        reject(error);
      }
      if (!isOver && (said.status === 'rejected' || open === 0)) begin();
      if (isOver || open === 0) resolve();
    };

    const begin = (): void => {
      const member = waiting.shift();
      if (member === undefined) return;
      open += 1;
      const timer = setTimeout(() => {
        if (!isOver && waiting[0] && (isPreferred(waiting[0]) || !isPreferred(member))) begin();
      }, PATIENCE_MS);
      ask(member)
        .then(
          (value): PromiseSettledResult<Result> => ({ status: 'fulfilled', value }),
          (reason: unknown): PromiseSettledResult<Result> => ({ status: 'rejected', reason }),
        )
        .then((said) => {
          clearTimeout(timer);
          settle(said, member);
        }, reject);
    };

    if (asked.length === 0) resolve();
    for (let count = 0; count < atOnce; count += 1) begin();
  });
