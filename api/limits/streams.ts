import type { Response } from 'express';
import { measure } from '../../runtime/measures.ts';
import { ApiError } from '../errors/errors.ts';
import type { Guard } from '../request/specification.ts';
import { addressGroups, clientAddress } from '../request/client-address.ts';
import { localsOf } from '../request/locals.ts';
import { EVENT_STREAM } from '../request/media-type.ts';

/** Most streams of events that are open at once. */
export interface StreamLimits {
  readonly ofProcess: number;
  /** Of an IPv4 address or an IPv6 /64; Infinity: no limit. */
  readonly ofAddress: number;
}

/** Most streams of one payment, whose token many may know. */
const OF_PAYMENT = 4;

/** Seconds after which a refused client may try again. A page asks for the state meanwhile. */
const RETRY_AFTER = 15;

const refusal = (code: 'rate_limited' | 'unavailable', detail: string): ApiError =>
  new ApiError(code, detail, { headers: { 'Retry-After': String(RETRY_AFTER) }, isFault: false });

/** Counts the open answers of each key. */
const createCount = (told: (open: number) => void = () => {}) => {
  const open = new Map<string, number>();
  const of = (key: string): number => open.get(key) ?? 0;
  return {
    of,
    begins: (key: string, response: Response): void => {
      open.set(key, of(key) + 1);
      told(of(key));
      response.once('close', () => {
        if (of(key) > 1) open.set(key, of(key) - 1);
        else open.delete(key);
        told(of(key));
      });
    },
  };
};

/**
 * Limits the streams of events of a process, of a client's address and of a payment. They hold a socket and some memory, but no
 * turn and no connection of the database.
 */
export const limitStreams = ({ ofProcess, ofAddress }: StreamLimits): Guard => {
  const all = createCount((open) => measure('streams', { open }));
  const [addresses, payments] = [createCount(), createCount()];
  return ({ produces }) => {
    if (!produces.includes(EVENT_STREAM)) return [];
    return [
      (request, response, next) => {
        const { wantsEvents, pathParams } = localsOf(response);
        // A client that has gone away closes no more, so it must not be counted.
        if (response.destroyed) return;
        if (wantsEvents !== true) return next();
        // Its token has been checked, so this is the id of a payment, in upper or lower case.
        const payment = (pathParams?.id ?? '').toLowerCase();
        const { client } = addressGroups(clientAddress(request));
        if (payments.of(payment) >= OF_PAYMENT) {
          throw refusal('rate_limited', `A payment has at most ${OF_PAYMENT} streams of events`);
        }
        if (addresses.of(client) >= ofAddress) throw refusal('rate_limited', 'Too many streams of events are open');
        if (all.of('') >= ofProcess)
          throw refusal('unavailable', 'This process has no room for more streams of events');
        payments.begins(payment, response);
        addresses.begins(client, response);
        all.begins('', response);
        next();
      },
    ];
  };
};
