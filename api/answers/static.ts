import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { lazily } from '../../domain/tools/lazily.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Form {
  readonly encoding: Encoding;
  readonly body: () => Buffer;
  /** Strong validator (RFC 9110 section 8.8.3), so each encoding has its own. */
  readonly etag: string;
}

/** An answer that never changes while the process runs, compressed at the first request that accepts it so. */
export interface StaticAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Best first; the last is not compressed. */
  readonly forms: readonly Form[];
}

/** Bytes up to which the best compression takes a tenth of a second at most. */
const SMALL = 131_072;

/** Of a megabyte of script, quality 11 saves another tenth, and takes seconds instead of milliseconds. */
const brotli = (body: Buffer): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: body.length <= SMALL ? 11 : 5 } });

/** @param maxAge seconds for which a cache may use the answer without asking again */
export const staticAnswer = (
  body: Buffer,
  { maxAge, headers }: { readonly maxAge: number; readonly headers: Readonly<Record<string, string>> },
): StaticAnswer => {
  const hash = createHash('sha256').update(JSON.stringify(headers)).update(body).digest('base64url').slice(0, 22);
  const form = (encoding: Encoding, compress: (body: Buffer) => Buffer): Form => ({
    encoding,
    body: lazily(() => compress(body)),
    etag: `"${hash}-${encoding}"`,
  });
  return {
    headers: { ...headers, 'Cache-Control': `private, max-age=${maxAge}`, Vary: 'Accept-Encoding' },
    forms: [form('br', brotli), form('gzip', gzipSync), form('identity', (plain) => plain)],
  };
};

/** Weak comparison (RFC 9110 section 13.1.2). `*` counts as no match: no cache sends it. */
const isCached = (request: Request, etag: string): boolean =>
  (request.headersDistinct['if-none-match'] ?? [])
    .flatMap((list) => list.split(','))
    .some((tag) => tag.trim().replace(/^W\//, '') === etag);

/** Sends the best encoding that the client accepts, or 304 if the client has it. */
export const sendStatic = (request: Request, response: Response, { headers, forms }: StaticAnswer): void => {
  const { encoding, body, etag } =
    forms.find((form) => request.acceptsEncodings(form.encoding) !== false) ?? forms.at(-1)!;
  response.set({ ...headers, ETag: etag });
  if (isCached(request, etag)) {
    response.removeHeader('Content-Type');
    response.statusCode = 304;
    return void response.end();
  }
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.end(body());
};
