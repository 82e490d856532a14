import net from 'node:net';
import type { AddressInfo } from 'node:net';

/** A TCP connection to a database that can be cut and mended. */
export interface Wire {
  /** The URL with host and port of the wire. */
  through(databaseUrl: string): Promise<string>;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Listens on a free port and passes bytes on to the host and port of the URL it is given. */
export const createWire = async (): Promise<Wire> => {
  let target = { host: '', port: 0 };
  let whole = true;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    if (!whole) {
      client.resetAndDestroy();
      return;
    }
    const upstream = net.connect(target.port, target.host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    whole = false;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    through: (databaseUrl) => {
      const url = new URL(databaseUrl);
      target = { host: url.hostname, port: Number(url.port) };
      url.hostname = '127.0.0.1';
      url.port = String((server.address() as AddressInfo).port);
      return Promise.resolve(url.href);
    },
    cut,
    mend: () => {
      whole = true;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
