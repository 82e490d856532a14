import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { stopParsing } from '../../api/http/node-parser.ts';

/*
 * A canary for the private field of Node's HTTP parser that `api/http/node-parser.ts` sets. Where it fails, this version of Node has
 * changed the field: mend that file before Carat runs on it.
 */

const REQUESTS = 500;

/** Sends pipelined requests in one chunk; answers how many of them Node makes when `atFirst` is called with the first one's socket. */
const requestsMade = async (atFirst: (socket: net.Socket) => void): Promise<number> => {
  let made = 0;
  const server = http.createServer(({ socket }) => {
    made += 1;
    if (made === 1) atFirst(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  const closed = new Promise((resolve) => void client.once('close', resolve));
  client.write('GET / HTTP/1.1\r\nHost: canary\r\n\r\n'.repeat(REQUESTS));
  await closed;
  await new Promise((resolve) => void server.close(resolve));
  return made;
};

describe(`the private HTTP parser of Node ${process.version}`, () => {
  it('is the field `parser` of a socket, with a function `onIncoming`', async () => {
    let found: unknown;
    await requestsMade((socket) => {
      found = (socket as { parser?: { onIncoming?: unknown } }).parser?.onIncoming;
      socket.destroy();
    });
    expect(typeof found).toBe('function');
  });

  it('makes no more requests of a chunk after stopParsing', async () => {
    const made = await requestsMade((socket) => {
      stopParsing(socket);
      socket.destroy();
    });
    expect(made).toBe(1);
  });

  it('makes requests of the whole chunk although its socket is destroyed, so stopParsing is needed', async () => {
    expect(await requestsMade((socket) => void socket.destroy())).toBeGreaterThan(1);
  });
});
