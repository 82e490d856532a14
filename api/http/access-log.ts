import type { RequestHandler } from 'express';
import type { Log } from '../../domain/log.ts';
import { localsOf } from './locals.ts';

/** One line for each answered request: never a URL, a header or a body, because they hold tokens and personal data. */
export const accessLog =
  (log: Log): RequestHandler =>
  (request, response, next) => {
    const started = process.hrtime.bigint();
    response.once('close', () => {
      const { requestId, operation, caller } = localsOf(response);
      log.info('request', {
        request_id: requestId,
        method: request.method,
        operation: operation?.id ?? null,
        status: response.writableFinished ? response.statusCode : null,
        ms: Number((process.hrtime.bigint() - started) / 1_000n) / 1_000,
        actor_id: caller?.actorId ?? null,
      });
    });
    next();
  };
