import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Log } from '../../domain/ports/log.ts';
import { measure } from '../../runtime/measures.ts';
import { localsOf, paymentOf } from '../request/locals.ts';

/** Answers hold tokens and personal data, so they must not be stored, sniffed or framed. */
const securityHeaders = Object.entries({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});

/**
 * Gives every request, before its route is known, an id (the client's `X-Request-Id` if that is harmless), safe headers for
 * its answer, and one log line once it is answered. The line contains no URL, header or body, because they hold tokens and
 * personal data; it has the client's address only after 401 and 429, and the id of the payment that the request is about.
 */
export const everyRequest =
  (log: Log): RequestHandler =>
  (request, response, next) => {
    const started = process.hrtime.bigint();
    const locals = localsOf(response);
    const given = request.headers['x-request-id'];
    locals.requestId = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    response.setHeader('X-Request-Id', locals.requestId);
    for (const [name, value] of securityHeaders) response.setHeader(name, value);
    // Express must not answer 304: only static answers are cached, and `sendStatic` reads the raw headers.
    delete request.headers['if-none-match'];
    delete request.headers['if-modified-since'];
    response.once('close', () => {
      const payment = paymentOf(locals);
      const operation = locals.operation?.id ?? null;
      const status = response.writableFinished ? response.statusCode : null;
      const ms = Number((process.hrtime.bigint() - started) / 1_000n) / 1_000;
      const isFault = status !== null && locals.isFault === true;
      measure('request', { operation, status, seconds: ms / 1_000, isStream: locals.wantsEvents === true, isFault });
      log.info('request', {
        request_id: locals.requestId,
        method: request.method,
        operation,
        status,
        ms,
        actor_id: locals.caller?.actorId ?? null,
        ...(payment === undefined ? {} : { payment_id: payment }),
        ...(locals.address === undefined ? {} : { address: locals.address }),
      });
    });
    next();
  };
