import { invalidRequest } from '../../domain/errors.ts';
import { localsOf } from '../http/locals.ts';
import type { Guard } from '../http/routes.ts';
import type { Operation } from '../http/specification.ts';

/** What a list can be beside JSON. */
export const CSV = 'text/csv';

const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/** The media ranges of an `Accept` header with their weights; one whose weight is none counts for nothing. */
const rangesOf = (accept: string): { readonly range: string; readonly quality: number }[] =>
  accept.split(',').map((text) => {
    const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = given === undefined ? 1 : Number(weight.exec(given)?.[1] ?? 0);
    return { range, quality };
  });

/** How much a client wants a media type: the range that names it most closely says so (RFC 9110 section 12.5.1). */
const qualityOf = (ranges: ReturnType<typeof rangesOf>, type: string): number => {
  for (const name of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const named = ranges.filter(({ range }) => range === name);
    if (named.length > 0) return Math.max(...named.map(({ quality }) => quality));
  }
  return 0;
};

/** True when a client wants a file of a list, and that more than its JSON: who takes either, or neither, gets JSON. */
export const wantsFile = ({ produces }: Operation, accept: string | undefined): boolean => {
  if (accept === undefined || !produces.includes(CSV)) return false;
  const ranges = rangesOf(accept);
  return qualityOf(ranges, CSV) > qualityOf(ranges, 'application/json');
};

/** What a file knows nothing of: it holds the whole list. */
const paging = ['page', 'per_page', 'cursor'];

/** Notes whether a client wants a file. Runs before the validator, which fills in what was not asked for. */
export const chooseMediaType: Guard = (operation) => {
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
