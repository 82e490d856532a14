import type { RequestHandler } from 'express';

const headers = Object.entries({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});

/** Answers hold tokens and personal data: they are not kept, not sniffed and not framed. */
export const securityHeaders: RequestHandler = (request, response, next) => {
  // Nobody has a copy to compare with; Express would answer 304 to `*`.
  delete request.headers['if-none-match'];
  delete request.headers['if-modified-since'];
  for (const [name, value] of headers) response.setHeader(name, value);
  next();
};
