import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { ApiError } from './errors.ts';
import { localsOf } from './locals.ts';

/** Largest body in bytes; the largest valid one is a payment with 100 items. */
export const MAX_BODY_BYTES = 512 * 1024;

const verify = (_request: unknown, _response: unknown, bytes: Buffer): void => {
  if (!isUtf8(bytes)) throw new ApiError('malformed_json', 'The body is not UTF-8');
};

const options = { limit: MAX_BODY_BYTES, inflate: false, type: () => true, verify };
const readJson = express.json({ ...options, strict: false });
const readForm = express.urlencoded({ ...options, extended: false, parameterLimit: 100 });

/** The refusal of a body that is too large. */
export const bodyTooLarge = (): ApiError =>
  new ApiError('payload_too_large', `The body must be at most ${MAX_BODY_BYTES} bytes`, {
    // The rest of the body is not worth reading.
    headers: { Connection: 'close' },
  });

/** Reads the body of an operation that takes one, after its content type was normalised. */
export const readBody: RequestHandler = (request, response, next) => {
  if ((localsOf(response).operation?.consumes.length ?? 0) === 0) {
    next();
    return;
  }
  const read = request.headers['content-type'] === 'application/json' ? readJson : readForm;
  read(request, response, (error?: unknown) => {
    next(error === undefined ? undefined : refusal(error));
  });
};

const refusal = (error: unknown): unknown => {
  const { type, cause } = error as { type?: string; cause?: unknown };
  switch (type) {
    case 'entity.too.large':
      return bodyTooLarge();
    case 'entity.parse.failed':
      return new ApiError('malformed_json', 'The body is not JSON');
    case 'entity.verify.failed':
      return error instanceof ApiError ? error : new ApiError('malformed_json', 'The body is not UTF-8');
    case 'parameters.too.many':
    case 'request.size.invalid':
    case 'request.aborted':
      return new ApiError('invalid_request', 'The body did not arrive as it was announced');
    default:
      return cause instanceof ApiError ? cause : error;
  }
};
