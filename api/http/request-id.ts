import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { localsOf } from './locals.ts';

/** Takes the client's `X-Request-Id` if it is harmless, else makes one, and answers with it. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  localsOf(response).requestId = id;
  response.setHeader('X-Request-Id', id);
  next();
};
