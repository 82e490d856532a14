import type { ServerResponse } from 'node:http';

const waiting = new WeakMap<ServerResponse, () => void>();

/** Calls `run` if the answer is to stay open without end. */
export const onceLasting = (response: ServerResponse, run: () => void): void => void waiting.set(response, run);

/** Frees an answer from the time limit of answers. Its socket is given up first where sockets run out. */
export const letLast = (response: ServerResponse): void => waiting.get(response)?.();
