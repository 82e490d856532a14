import crypto from 'node:crypto';
import net from 'node:net';

const listen = (port: number): Promise<net.Server> =>
  new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
  });

const close = (server: net.Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/**
 * Finds `count` different ports that are free on 127.0.0.1 at this moment. They lie below the range from which systems
 * give ports to outgoing connections, so nothing takes one by chance before it is used.
 */
export const freePorts = async (count: number): Promise<number[]> => {
  const held: net.Server[] = [];
  try {
    for (let tries = 0; held.length < count; tries += 1) {
      const port = crypto.randomInt(12_000, 32_000);
      try {
        held.push(await listen(port));
      } catch (error) {
        if (tries > 200) throw error;
      }
    }
    return held.map((server) => (server.address() as net.AddressInfo).port);
  } finally {
    await Promise.all(held.map(close));
  }
};

/**
 * Throws an error that names the environment variable to set when a port of 127.0.0.1 is taken.
 *
 * @param port TCP port
 * @param service what wants the port, for the message
 * @param variable the environment variable that sets another port
 */
export const requireFreePort = async (port: number, service: string, variable: string): Promise<void> => {
  try {
    await close(await listen(port));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'is taken by another program' : `can not be used (${code})`;
    throw new Error(`port ${port} of ${service} ${why}; set ${variable} to a free port and start again`, {
      cause: error,
    });
  }
};

/** True when something accepts connections on this port of 127.0.0.1. */
export const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    const answer = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
