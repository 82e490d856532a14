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
 * Finds `count` different free ports on 127.0.0.1. They lie below the range of ephemeral ports, so no outgoing
 * connection takes one before it is used.
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

/** A port that a service wants, and the environment variable that moves it. */
export interface WantedPort {
  readonly port: number;
  readonly service: string;
  readonly variable: string;
}

/**
 * Checks that ports of 127.0.0.1 are free.
 * @throws Error that names every port in use, with the environment variable to set
 */
export const requireFreePorts = async (wanted: readonly WantedPort[]): Promise<void> => {
  const problems = await Promise.all(wanted.map(problemOf));
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new Error(found.join('\n          '));
};

const problemOf = async ({ port, service, variable }: WantedPort): Promise<string | null> => {
  try {
    await close(await listen(port));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${code})`;
    return `port ${port} of ${service} ${why}; set ${variable} to a free port and start again`;
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
