import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** It sleeps on request; meanwhile its kernel has room for two connections. */
const program = `
const server = require('node:http').createServer((_request, response) => response.writeHead(204).end());
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.send(server.address().port));
process.on('message', () => {
  process.send('asleep');
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900));
});
process.on('disconnect', () => process.exit());`;

/** A distant receiver: a connection is accepted after a second, when the client's kernel repeats its SYN. */
export const startFarReceiver = async (): Promise<{ readonly port: number; close(): void }> => {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message')) as [number];
  child.send('sleep');
  await once(child, 'message');
  const sockets: net.Socket[] = [];
  let hasRoom = true;
  while (hasRoom) {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    hasRoom = await Promise.race([once(socket, 'connect').then(() => true), delay(100, false)]);
  }
  return {
    port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      child.disconnect();
    },
  };
};
