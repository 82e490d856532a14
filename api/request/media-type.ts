import { invalidRequest } from '../../domain/errors.ts';
import { localsOf } from './locals.ts';
import type { Guard, Operation } from './specification.ts';

/** The media type of lists as files. */
export const CSV = 'text/csv';
/** The media type of server-sent events (WHATWG HTML, section 9.2). */
export const EVENT_STREAM = 'text/event-stream';

const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/** The media ranges of an `Accept` header with their weights. A range with an invalid weight has weight 0. */
const rangesOf = (accept: string): { readonly range: string; readonly quality: number }[] =>
  accept.split(',').map((text) => {
    const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = given === undefined ? 1 : Number(weight.exec(given)?.[1] ?? 0);
    return { range, quality };
  });

/** The client's weight for a media type; the most specific range that matches decides (RFC 9110 section 12.5.1). */
const qualityOf = (ranges: ReturnType<typeof rangesOf>, type: string): number => {
  for (const name of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const named = ranges.filter(({ range }) => range === name);
    if (named.length > 0) return Math.max(...named.map(({ quality }) => quality));
  }
  return 0;
};

/** True when the client prefers a media type that the operation has to JSON. Equal preference gets JSON. */
const prefers = (type: string, { produces }: Operation, accept: string | undefined): boolean => {
  if (accept === undefined || !produces.includes(type)) return false;
  const ranges = rangesOf(accept);
  return qualityOf(ranges, type) > qualityOf(ranges, 'application/json');
};

/** True when the client prefers a file of a list to JSON. */
export const wantsFile = (operation: Operation, accept: string | undefined): boolean => prefers(CSV, operation, accept);

/** Query parameters that a file does not have: it holds the whole list. */
const paging = ['page', 'per_page', 'cursor'];

/** Notes whether the client wants a file or events. Runs before the validator, which fills in defaults. */
export const chooseMediaType: Guard = (operation) => {
  if (operation.produces.includes(EVENT_STREAM)) {
    return [
      (request, response, next) => {
        localsOf(response).wantsEvents = prefers(EVENT_STREAM, operation, request.headers.accept);
        next();
      },
    ];
  }
  if (!operation.produces.includes(CSV)) return [];
  return [
    (request, response, next) => {
      const locals = localsOf(response);
      locals.wantsFile = wantsFile(operation, request.headers.accept);
      if (locals.wantsFile && request.httpVersion === '1.0') {
        const message =
          'must not ask for text/csv over HTTP/1.0, which cannot tell the end of a file from a broken connection';
        throw invalidRequest({ path: '/headers/accept', message });
      }
      const asked = locals.wantsFile ? paging.filter((name) => name in request.query) : [];
      if (asked.length > 0) {
        const message = 'must be left out for text/csv: a file holds the whole list';
        throw invalidRequest(...asked.map((name) => ({ path: `/query/${name}`, message })));
      }
      next();
    },
  ];
};
