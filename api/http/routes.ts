import { randomUUID } from 'node:crypto';
import type { RequestHandler, Express } from 'express';
import type { Log } from '../../domain/ports/log.ts';
import { measure } from '../../runtime/measures.ts';
import { ApiError } from '../errors/errors.ts';
import type { Guard, Operation } from '../request/specification.ts';
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

/**
 * A pattern without groups. Express decodes groups before any guard runs, and would refuse invalid percent-encoding before
 * it checks the token.
 */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** Reads the values of a path template, still encoded. */
const paramsReader = (template: string): ((path: string) => Record<string, string>) => {
  const places = template
    .split('/')
    .map((part, place) => ({ name: part.slice(1, -1), place, isParam: part.startsWith('{') }))
    .filter(({ isParam }) => isParam);
  return (path) => {
    const parts = path.split('/');
    return Object.fromEntries(places.map(({ name, place }) => [name, parts[place] ?? '']));
  };
};

/** Stores the operation of the request, and allows other origins to read the answer where the operation does. */
const begin = (operation: Operation): RequestHandler => {
  const method = operation.method.toUpperCase();
  const readParams = paramsReader(operation.path);
  return (request, response, next) => {
    // Express routes HEAD to GET. Node sends no body to a HEAD request, although the handler writes one.
    const locals = localsOf(response);
    locals.isHead = request.method === 'HEAD';
    request.method = method;
    locals.operation = operation;
    locals.pathParams = readParams(request.path);
    if (operation.cors) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After');
    }
    next();
  };
};

const answerPreflight =
  (methods: string): RequestHandler =>
  (_request, response) => {
    response.writeHead(204, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
      'Access-Control-Max-Age': '86400',
    });
    response.end();
  };

/** Mounts every operation with its guards, the handler last. Everything else gets 405 or 404. */
export const mountOperations = (app: Express, operations: readonly Operation[], guards: readonly Guard[]): void => {
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const own = operations.filter((operation) => operation.path === path);
    const methods = own.map(({ method }) => method.toUpperCase()).join(', ');
    const route = app.route(patternOf(path));
    for (const operation of own) {
      route[operation.method](begin(operation), ...guards.flatMap((guard) => guard(operation)));
    }
    if (own.some(({ cors }) => cors)) route.options(answerPreflight(methods));
    route.all((request) => {
      const headers = { Allow: methods };
      throw new ApiError('method_not_allowed', `This route does not support ${request.method}`, { headers });
    });
  }
  app.use(() => {
    throw new ApiError('route_not_found', 'This route does not exist; /docs lists all routes');
  });
};
