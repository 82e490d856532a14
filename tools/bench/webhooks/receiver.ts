/**
 * A process with one server for all merchants; the path selects its behaviour. Reports arrivals and their times to the
 * parent.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval as every } from 'node:timers';

/** Messages to the parent: first the server's origins, then ids of events with their times of arrival. */
export interface ReceiverNote {
  readonly origins?: readonly string[];
  readonly arrived?: readonly (readonly [id: string, at: number])[];
}

type Behaviour = (response: http.ServerResponse) => void;

const megabytes = (response: http.ServerResponse): void => {
  const chunk = Buffer.alloc(65_536, 'x');
  let left = 160;
  const more = (): void => {
    while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', more);
    response.end();
  };
  more();
};

const drip = (response: http.ServerResponse): void => {
  response.writeHead(200);
  const timer = every(() => response.write('x'), 1_000);
  response.on('close', () => clearInterval(timer));
};

/** Behaviours by path; any other path accepts the event. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  '/error': (response) => response.writeHead(500).end('no'),
  '/later': (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
  '/elsewhere': (response) => response.writeHead(302, { location: '/' }).end(),
  '/silence': () => {},
  '/drip': drip,
  '/flood': (response) => megabytes(response.writeHead(200)),
  '/reset': (response) => response.socket?.resetAndDestroy(),
};

let arrived: [string, number][] = [];
const tell = (note: ReceiverNote): void => void process.send?.(note);

const serve: http.RequestListener = (request, response) => {
  request.resume().on('end', () => {
    const behave = behaviours[request.url ?? ''];
    if (behave !== undefined) return behave(response);
    arrived.push([String(request.headers['webhook-id']), performance.timeOrigin + performance.now()]);
    response.writeHead(204).end();
  });
};

const listen = async (port: number, address: string): Promise<number> => {
  const server = http.createServer(serve);
  server.keepAliveTimeout = 60_000;
  await once(server.listen(port, address), 'listening');
  return (server.address() as AddressInfo).port;
};

/** Listens on one port of several loopback addresses, which the sender treats as separate hosts. */
const listenEverywhere = async (count: number): Promise<string[]> => {
  const origins: string[] = [];
  let port = 0;
  for (let host = 1; host <= count; host += 1) {
    port = await listen(port, `127.0.0.${host}`);
    origins.push(`http://127.0.0.${host}:${port}`);
  }
  return origins;
};

void listenEverywhere(Number(process.argv[2])).then((origins) => tell({ origins }));
every(() => {
  if (arrived.length > 0) tell({ arrived });
  arrived = [];
}, 50);
process.on('disconnect', () => process.exit());
