import type { Socket } from 'node:net';

/** The open sockets. */
export interface OpenSockets {
  readonly all: ReadonlySet<Socket>;
  opens(socket: Socket): void;
  /** A request of the socket begins. */
  requestBegins(socket: Socket): void;
  /** The answer to the socket's request stays open without end. */
  streamBegins(socket: Socket): void;
  /** The socket's last request has ended. */
  requestEnds(socket: Socket): void;
}

/**
 * Keeps at most `most` sockets open. At the limit a new socket replaces an existing one: the oldest one that never sent
 * a request, else the one idle between requests for longest, else the oldest stream of events, whose client can open another
 * one, else the one whose request has been in flight for longest,
 * if that is more than `longMs`. Otherwise one client could open all sockets and shut everybody out, with a token also
 * by bodies that never end. If no socket qualifies, the new one is closed.
 */
export const createOpenSockets = (most: number, longMs: number): OpenSockets => {
  const [all, silent, resting] = [new Set<Socket>(), new Set<Socket>(), new Set<Socket>()];
  /** Sockets with a request in flight, and when it began. */
  const asking = new Map<Socket, number>();
  const lasting = new Set<Socket>();
  const leaves = (socket: Socket): void =>
    [all, silent, resting, lasting, asking].forEach((sockets) => sockets.delete(socket));
  const findVictim = (): Socket | undefined => {
    const [quiet] = [silent, resting, lasting].find((sockets) => sockets.size > 0) ?? [];
    const [[longest, since] = [undefined, Infinity]] = asking;
    return quiet ?? (performance.now() - since > longMs ? longest : undefined);
  };
  return {
    all,
    opens: (socket) => {
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
    requestBegins: (socket) => {
      silent.delete(socket);
      resting.delete(socket);
      if (!asking.has(socket) && !lasting.has(socket)) asking.set(socket, performance.now());
    },
    streamBegins: (socket) => {
      if (asking.delete(socket)) lasting.add(socket);
    },
    requestEnds: (socket) => {
      asking.delete(socket);
      lasting.delete(socket);
      if (all.has(socket)) resting.add(socket);
    },
  };
};
