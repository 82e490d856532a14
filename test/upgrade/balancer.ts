import net, { type AddressInfo } from 'node:net';

/** A TCP balancer as before several apis: each new connection goes to the next one. */
export interface Balancer {
  readonly url: string;
  /** The ports of the apis from now on. Open connections stay where they are. */
  to(...ports: number[]): void;
  /** Connections that got to each port. */
  readonly counts: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

/** Listens on a free port. */
export const startBalancer = async (): Promise<Balancer> => {
  let targets: number[] = [];
  const counts = new Map<number, number>();
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const port = targets.shift();
    if (port === undefined) return void client.resetAndDestroy();
    targets.push(port);
    counts.set(port, (counts.get(port) ?? 0) + 1);
    const upstream = net.connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (...ports) => {
      targets = ports;
    },
    counts,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
