/** A process with one server that is every merchant: the path says how it behaves. Tells its parent what arrived when. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval as every } from 'node:timers';

/** What the parent is told: first where the server answers, then ids of events with the time of their arrival. */
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

/** By path; what is not listed takes the event. */
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

/** Answers the port. */
const listen = async (port: number, address: string): Promise<number> => {
  const server = http.createServer(serve);
  server.keepAliveTimeout = 60_000;
  await once(server.listen(port, address), 'listening');
  return (server.address() as AddressInfo).port;
};

/** One port at each of so many loopback addresses, which are hosts of their own to the sender. */
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
