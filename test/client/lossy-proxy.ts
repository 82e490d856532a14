import net, { type AddressInfo } from 'node:net';

/** A TCP proxy before the api that loses answers. */
export interface LossyProxy {
  readonly url: string;
  /** Requests that the api has answered to it, lost answers included. */
  readonly answered: () => number;
  /** The next answers are lost: the api has done its work, the connection breaks. */
  lose(answers: number): void;
  close(): Promise<void>;
}

/** Listens on a free port and passes bytes on to the origin and back. */
export const createLossyProxy = async (origin: string): Promise<LossyProxy> => {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<net.Socket>();
  let answered = 0;
  let toLose = 0;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      if (bytes.toString('latin1').startsWith('HTTP/1.1 ')) {
        answered += 1;
        if (toLose > 0) {
          toLose -= 1;
          client.resetAndDestroy();
          return;
        }
      }
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    lose: (answers) => {
      toLose = answers;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
