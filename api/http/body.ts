import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import express, { type RequestHandler, type Response } from 'express';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { ApiError } from '../errors/errors.ts';
import { localsOf } from '../request/locals.ts';
import type { Guard, Operation } from '../request/specification.ts';

/** Largest body in bytes; the largest valid one is a payment with 100 items. */
const MAX_BODY_BYTES = 512 * 1024;

/** Most values in a body; no valid body has as many. */
const MAX_VALUES = 1_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * True when a JSON text has more values than any valid body. Parsing, checking and comparing hundreds of thousands of
 * values blocks the process for a tenth of a second.
 */
const holdsTooMuch = (json: Buffer): boolean => {
  let values = 0;
  for (let at = 0; at < json.length && values <= MAX_VALUES; at += 1) {
    const byte = json[at];
    if (byte === COMMA || byte === OPEN || byte === OPEN_LIST) values += 1;
    if (byte !== QUOTE) continue;
    for (at += 1; at < json.length && json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
  }
  return values > MAX_VALUES;
};

/** Keeps the bytes, because numbers lose digits when they are parsed. */
const verify = (_request: unknown, response: ServerResponse, bytes: Buffer): void => {
  localsOf(response as Response).bytes = bytes;
  if (!isUtf8(bytes)) throw new ApiError('malformed_json', 'The body is not UTF-8');
};

const notJson = (): ApiError => new ApiError('malformed_json', 'The body is not valid JSON');

const verifyJson = (request: unknown, response: ServerResponse, bytes: Buffer): void => {
  verify(request, response, bytes);
  if (holdsTooMuch(bytes)) {
    // A text that ends with such a byte is truncated, so it is not JSON.
    if ([QUOTE, COMMA, OPEN_LIST, OPEN].includes(bytes.at(-1)!)) throw notJson();
    throw invalidRequest({ path: '/body', message: `must not hold more than ${MAX_VALUES} values` });
  }
};

const options = { limit: MAX_BODY_BYTES, inflate: false, type: () => true, verify };
const readJson = express.json({ ...options, strict: false, verify: verifyJson });
const readForm = express.urlencoded({ ...options, extended: false, parameterLimit: 100 });

const bodyTooLarge = (): ApiError =>
  new ApiError('payload_too_large', `The body must be at most ${MAX_BODY_BYTES} bytes`, {
    // The rest of the body is not read.
    headers: { Connection: 'close' },
  });

/** Maps the errors of Express's parsers to the codes of this API. */
const refusal = (error: unknown): unknown => {
  const { type, cause } = error as { type?: string; cause?: unknown };
  switch (type) {
    case 'entity.too.large':
      return bodyTooLarge();
    case 'entity.parse.failed':
      return notJson();
    case 'entity.verify.failed':
      return error instanceof ApiError || error instanceof DomainError
        ? error
        : new ApiError('malformed_json', 'The body is not UTF-8');
    case 'parameters.too.many':
      return new ApiError('invalid_request', 'The body has too many parameters');
    case 'request.size.invalid':
    case 'request.aborted':
      return new ApiError('invalid_request', 'The body does not match its headers, or did not arrive in full');
    default:
      return cause instanceof ApiError ? cause : error;
  }
};

/**
 * Reduces the content type to one of the operation's own, without parameters, because the validator keeps a compiled schema
 * for every content type it has seen: a client that varies it could fill the memory. A body whose announced length is too
 * large is refused before its type.
 */
const normaliseContentType =
  ({ consumes, needsBody }: Operation): RequestHandler =>
  ({ headers }, _response, next) => {
    const isAbsent = headers['content-type'] === undefined && headers['transfer-encoding'] === undefined;
    if (isAbsent && Number(headers['content-length'] ?? 0) === 0) {
      if (needsBody) throw invalidRequest({ path: '/body', message: 'is required' });
      return next();
    }
    // The length of a chunked body shows only as it is read.
    if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
    const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
    const known = consumes.find((candidate) => candidate === mediaType.trim());
    const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
    if (known === undefined || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
      throw new ApiError('unsupported_media_type', `The body must be ${consumes.join(' or ')} in UTF-8`);
    }
    if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
      throw new ApiError('unsupported_media_type', 'The body must not be compressed');
    }
    headers['content-type'] = known;
    next();
  };

/** A parameter of a form without a value counts as absent (RFC 6749 section 3.2). */
const withoutEmpty = (form: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));

const parseBody: RequestHandler = (request, response, next) => {
  const isJson = request.headers['content-type'] === 'application/json';
  const read = isJson ? readJson : readForm;
  read(request, response, (error?: unknown) => {
    if (error !== undefined) return next(refusal(error));
    if (!isJson) request.body = withoutEmpty(request.body as Record<string, unknown>);
    next();
  });
};

const forgetContentType: RequestHandler = (request, _response, next) => {
  delete request.headers['content-type'];
  next();
};

/** Reads the body of an operation that takes one. */
export const readBody: Guard = (operation) =>
  operation.consumes.length === 0 ? [forgetContentType] : [normaliseContentType(operation), parseBody];
