import net, { type AddressInfo } from 'node:net';

/** A TCP proxy before a server: its connections can be cut, and answers of HTTP lost. */
export interface TcpProxy {
  /** The URL of the server with host and port of the proxy, which passes bytes on to it from now on. */
  through(url: string): string;
  /** Requests that the server has answered, lost answers included. */
  answered(): number;
  /** The next answers are lost: the server has done its work, the connection breaks. */
  lose(answers: number): void;
  /** Until the next cut, connections stay open, new ones too, but nothing gets through, without any error. */
  freeze(): void;
  /** Nothing gets through the open connections, without any error; new ones work. */
  strand(): void;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Ends every connection as a server does whose process is gone: nothing is said, and no error is seen. New ones are taken. */
  hangUp(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Listens on a free port. */
export const createTcpProxy = async (): Promise<TcpProxy> => {
  let target = { host: '', port: 0 };
  let isWhole = true;
  let isFrozen = false;
  let answered = 0;
  let toLose = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    if (!isWhole) return void client.resetAndDestroy();
    const upstream = net.connect(target.port, target.host);
    if (isFrozen) client.pause();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    if (!isFrozen) client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      if (bytes.toString('latin1').startsWith('HTTP/1.1 ')) {
        answered += 1;
        if (toLose > 0) {
          toLose -= 1;
          return void client.resetAndDestroy();
        }
      }
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    isWhole = false;
    isFrozen = false;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    through: (given) => {
      const url = new URL(given);
      target = { host: url.hostname, port: Number(url.port) };
      url.hostname = '127.0.0.1';
      url.port = String((server.address() as AddressInfo).port);
      return url.href.replace(/\/$/, '');
    },
    answered: () => answered,
    lose: (answers) => {
      toLose = answers;
    },
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    strand: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut,
    hangUp: () => {
      for (const socket of sockets) socket.end();
    },
    mend: () => {
      isWhole = true;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
