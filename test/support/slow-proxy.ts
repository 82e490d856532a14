import net, { type AddressInfo } from 'node:net';

/** A TCP proxy before a server that lets each byte arrive later. */
export interface SlowProxy {
  /** `host:port`. */
  readonly address: string;
  /** Milliseconds by which bytes of each direction are late from now on. */
  delay(ms: number): void;
  close(): Promise<void>;
}

/** Starts a proxy before a port of loopback, at first without a delay. */
export const startSlowProxy = async (port: number): Promise<SlowProxy> => {
  let delayMs = 0;
  const sockets = new Set<net.Socket>();

  /** Passes chunks on in their order, each once it is due. */
  const pass = (from: net.Socket, to: net.Socket): void => {
    const queue: { readonly bytes: Buffer; readonly due: number }[] = [];
    let timer: NodeJS.Timeout | null = null;
    const drain = (): void => {
      timer = null;
      const now = performance.now();
      while (queue.length > 0 && queue[0]!.due <= now) to.write(queue.shift()!.bytes);
      if (queue.length > 0) timer = setTimeout(drain, queue[0]!.due - now);
    };
    from.on('data', (bytes: Buffer) => {
      queue.push({ bytes, due: performance.now() + delayMs });
      if (timer === null) drain();
    });
    from.on('close', () => {
      if (timer !== null) clearTimeout(timer);
      to.destroy();
    });
  };

  const server = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    delay: (ms) => {
      delayMs = ms;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
