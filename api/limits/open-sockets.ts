import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const waiting = new WeakMap<ServerResponse, () => void>();

/** Calls `run` if the answer is to stay open without end. */
export const onceLasting = (response: ServerResponse, run: () => void): void => void waiting.set(response, run);

/** Frees an answer from the time limit of answers. Its socket is given up first where sockets run out. */
export const letLast = (response: ServerResponse): void => waiting.get(response)?.();

interface Place {
  /** Resolves when the request that arrived before this one on the socket has passed. */
  readonly mayAsk: Promise<void>;
  readonly pass: () => void;
}

const places = new WeakMap<ServerResponse, Place>();
const latest = new WeakMap<Socket, Promise<void>>();

/**
 * Notes that a request begins on a socket. Pipelined requests must ask for turns of their node in the order of arrival:
 * a turn lasts until its answer is written, and answers are written in that order. A request that overtook an earlier
 * one could hold the very turn that the earlier one waits for, and neither would be answered.
 */
export const joinSocket = (socket: Socket, response: ServerResponse): void => {
  const { promise, resolve: pass } = Promise.withResolvers<void>();
  places.set(response, { mayAsk: latest.get(socket) ?? Promise.resolve(), pass });
  latest.set(socket, promise);
  response.once('close', pass);
};

/**
 * Waits until the earlier requests of the socket have their turns or are answered, then asks, and lets the next request
 * ask as soon as this one has its turn.
 */
export const askInOrder = async <Turn>(response: ServerResponse, ask: () => Promise<Turn>): Promise<Turn> => {
  const { mayAsk, pass } = places.get(response)!;
  await mayAsk;
  const turn = await ask();
  pass();
  return turn;
};

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
