import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A listening endpoint of metrics. */
export interface MetricsServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** One scraper asks every few seconds; these bounds are for everybody else. */
const limits = { requestTimeout: 5_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 };
const MAX_SOCKETS = 20;
const SILENCE_MS = 30_000;

/** The pages that the port serves. */
export interface MetricsPages {
  readonly contentType: string;
  /** The metrics as text. */
  readonly render: () => Promise<string>;
  /** Whether the process does its work; null serves no health. */
  readonly isHealthy: (() => Promise<boolean>) | null;
  /** False while the process starts: `/metrics` says 503, so that nobody takes it for one that works. */
  readonly isStarted: () => boolean;
}

/**
 * Serves `GET /metrics` and, without content, `GET /healthz` (200 or 503), and nothing else.
 * @throws Error when the port is taken
 */
export const serveMetrics = (
  { host, port }: { readonly host: string; readonly port: number },
  { contentType, render, isHealthy, isStarted }: MetricsPages,
): Promise<MetricsServer> =>
  new Promise((resolve, reject) => {
    const server = http.createServer(limits, (request, response) => {
      const answer = (status: number): void => void response.writeHead(status, { 'Content-Length': 0 }).end();
      const path = request.url?.split('?', 1)[0];
      if (path !== '/metrics' && (path !== '/healthz' || isHealthy === null)) return answer(404);
      if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405);
      if (path === '/healthz' && isHealthy !== null) {
        isHealthy().then(
          (healthy) => answer(healthy ? 200 : 503),
          () => answer(503),
        );
        return;
      }
      if (!isStarted()) return answer(503);
      render().then(
        (text) => response.writeHead(200, { 'Content-Type': contentType }).end(text),
        () => answer(500),
      );
    });
    server.maxConnections = MAX_SOCKETS;
    server.setTimeout(SILENCE_MS, (socket) => socket.destroy());
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped());
            server.closeAllConnections();
          }),
      });
    });
  });
