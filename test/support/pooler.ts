import net, { type AddressInfo } from 'node:net';

/** A proxy before PostgreSQL that resets the session after every transaction, as a pooler does that shares sessions. */
export interface Pooler {
  /** The connection URL with its host and port. */
  readonly url: string;
  close(): Promise<void>;
}

const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** The simple query `DISCARD ALL`, which ends LISTEN and forgets prepared statements. */
const discard = (() => {
  const text = Buffer.from('DISCARD ALL\0');
  const head = Buffer.alloc(5);
  head.write('Q', 0);
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
})();

/** Cuts a stream into messages of PostgreSQL's protocol. */
const createCutter = () => {
  let rest = Buffer.alloc(0);
  return (bytes: Buffer): Buffer[] => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Buffer[] = [];
    while (rest.length >= 5 && rest.length >= rest.readInt32BE(1) + 1) {
      const size = rest.readInt32BE(1) + 1;
      messages.push(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    return messages;
  };
};

/** Starts a pooler before the server of this URL. */
export const startPooler = async (url: string): Promise<Pooler> => {
  const target = new URL(url);
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [client, upstream].forEach((other) => other.destroy()));
    }
    client.pipe(upstream);
    const cut = createCutter();
    let isResetting = false;
    upstream.on('data', (bytes: Buffer) => {
      for (const message of cut(bytes)) {
        const isEnd = message[0] === READY && message[5] === IDLE;
        if (isResetting) {
          // The answers to its own query are the pooler's; the end of it is the end that the client waits for.
          if (!isEnd) continue;
          isResetting = false;
          client.write(message);
        } else if (isEnd) {
          isResetting = true;
          upstream.write(discard);
        } else client.write(message);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
