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

/**
 * Serves `GET /metrics`, and nothing else.
 * @param render the metrics as text
 * @throws Error when the port is taken
 */
export const serveMetrics = (
  { host, port }: { readonly host: string; readonly port: number },
  contentType: string,
  render: () => Promise<string>,
): Promise<MetricsServer> =>
  new Promise((resolve, reject) => {
    const server = http.createServer(limits, (request, response) => {
      const refuse = (status: number): void => void response.writeHead(status, { 'Content-Length': 0 }).end();
      if (request.url?.split('?', 1)[0] !== '/metrics') return refuse(404);
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405);
      render().then(
        (text) => response.writeHead(200, { 'Content-Type': contentType }).end(text),
        () => refuse(500),
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
