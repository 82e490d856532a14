import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A merchant's own server, of another origin than the api. */
export interface Embedding {
  readonly origin: string;
  /** Serves a page, and returns its address. */
  serve(html: string, headers?: Record<string, string>): string;
  close(): Promise<void>;
}

/** Starts a server of pages on a free port. */
export const openEmbedding = async (): Promise<Embedding> => {
  const pages: { html: string; headers: Record<string, string> }[] = [];
  const server = http.createServer(({ url }, response) => {
    const page = pages[Number(url?.slice(1))];
    if (!page) return void response.writeHead(url === '/favicon.ico' ? 204 : 404).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    serve: (html, headers = {}) => `${origin}/${pages.push({ html, headers }) - 1}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
