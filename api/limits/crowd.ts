import type { Socket } from 'node:net';

/** The sockets that are open. */
export interface Crowd {
  readonly all: ReadonlySet<Socket>;
  joins(socket: Socket): void;
  /** A request of the socket is under way. */
  asks(socket: Socket): void;
  /** None is any more. */
  rests(socket: Socket): void;
}

/**
 * Keeps so many sockets at most. Who comes when there are as many takes the place of one that has never asked anything,
 * else of one that rests between two requests, else of one whose request has been under way for more than `longMs`, each
 * time of the one that has been so for longest: else whoever opens them all would shut everybody out, with a token also
 * by bodies that never end. Where each asks and none has for so long, who comes is turned away.
 */
export const createCrowd = (most: number, longMs: number): Crowd => {
  const [all, silent, resting] = [new Set<Socket>(), new Set<Socket>(), new Set<Socket>()];
  /** With the moment since when. */
  const asking = new Map<Socket, number>();
  const leaves = (socket: Socket): void => [all, silent, resting, asking].forEach((sockets) => sockets.delete(socket));
  const findVictim = (): Socket | undefined => {
    const [quiet] = silent.size > 0 ? silent : resting;
    const [[longest, since] = [undefined, Infinity]] = asking;
    return quiet ?? (performance.now() - since > longMs ? longest : undefined);
  };
  return {
    all,
    joins: (socket) => {
      if (all.size >= most) {
        const victim = findVictim() ?? socket;
        leaves(victim);
        victim.destroy();
      }
      if (socket.destroyed) return;
      all.add(socket);
      silent.add(socket);
      socket.once('close', () => leaves(socket));
    },
    asks: (socket) => {
      silent.delete(socket);
      resting.delete(socket);
      if (!asking.has(socket)) asking.set(socket, performance.now());
    },
    rests: (socket) => {
      asking.delete(socket);
      if (all.has(socket)) resting.add(socket);
    },
  };
};
