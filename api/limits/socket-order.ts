import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
