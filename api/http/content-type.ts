import type { RequestHandler } from 'express';
import { ApiError } from './errors.ts';
import { localsOf } from './locals.ts';
import { bodyTooLarge, MAX_BODY_BYTES } from './read-body.ts';

/**
 * Reduces the content type to one of the operation's own, without parameters. The validator keeps a compiled schema for
 * every content type it ever saw, so a client that varies it would cost time and memory for ever. A body whose
 * announced length is too large is refused before its type.
 */
export const normaliseContentType: RequestHandler = (request, response, next) => {
  const consumes = localsOf(response).operation?.consumes ?? [];
  if (consumes.length === 0) {
    delete request.headers['content-type'];
    next();
    return;
  }
  // Of a body sent in chunks the length shows only when it is read.
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const known = consumes.find((candidate) => candidate === mediaType.trim());
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (known === undefined || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
    throw new ApiError('unsupported_media_type', `The body must be ${consumes.join(' or ')} in UTF-8`);
  }
  if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', 'The body must not be compressed');
  }
  request.headers['content-type'] = known;
  next();
};
