import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { mayConnect, type WebhookHosts } from '../domain/webhook.ts';

/** A name stands for an address that webhooks may not call, or is one. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'address_refused';

  constructor(host: string) {
    super(`${host} is no place that webhooks may call`);
  }
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Which hosts may be called, and who else is believed than the public authorities. */
export interface AgentOptions {
  readonly hosts: WebhookHosts;
  /** PEM; instead of the system's. */
  readonly ca?: string;
  readonly resolve?: Resolve;
}

/** The connections to receivers, by scheme. */
export interface Agents {
  of(protocol: string): http.Agent;
  close(): void;
}

/** Unused connections are closed after that: most servers do so earlier, and say when. */
const IDLE_MS = 15_000;
const MAX_IDLE_PER_ORIGIN = 256;
/** For one address of several, in milliseconds: Node's own quarter of a second is too short for the other side of the world. */
const ADDRESS_MS = 2_500;

/** For one question to one server, in milliseconds, and how often it is asked. */
const DNS_PATIENCE = { timeout: 2_000, tries: 2 };

/**
 * Asks the servers of the system without its `getaddrinfo`, of which only four run at once in a process: names whose servers
 * are slow would hold up all others.
 */
const createResolve = (): Resolve => {
  const resolver = new Resolver(DNS_PATIENCE);
  return async (name) => {
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
};

/**
 * Resolves a name for the socket that is about to connect and answers judged addresses only, which are those that it connects
 * to. One address that is refused refuses the name: who mixes them is up to something.
 */
const judgedLookup = (resolve: Resolve, isAllowed: Judge): LookupFunction => {
  const judge = async (name: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(name);
    if (addresses.length === 0 || !addresses.every(isAllowed)) throw new AddressRefusedError(name);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (name, options, callback) => {
    judge(name).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
};

type Judge = (address: string) => boolean;

/** Lets an agent connect to judged addresses only. An address that is written in the URL itself is never looked up. */
const guarded = <Guarded extends http.Agent>(agent: Guarded, resolve: Resolve, isAllowed: Judge): Guarded => {
  const connect: http.Agent['createConnection'] = agent.createConnection.bind(agent);
  const lookup = judgedLookup(resolve, isAllowed);
  const connectGuarded: http.Agent['createConnection'] = (to, callback) => {
    const host = to.host ?? '';
    if (isIP(host) === 0 || isAllowed(host)) return connect({ ...to, lookup }, callback);
    // The type wants a stream beside an error as well; Node wants none.
    (callback as ((error: Error) => void) | undefined)?.(new AddressRefusedError(host));
    return undefined;
  };
  return Object.assign(agent, { createConnection: connectGuarded });
};

/** Closes connections that are kept and say something unasked: it would keep them for ever, or be taken for the next answer. */
const silent = <Kept extends http.Agent>(agent: Kept): Kept => {
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  const hangUp = function (this: Duplex): void {
    this.destroy();
  };
  const keepSocketAlive: http.Agent['keepSocketAlive'] = (socket) => {
    socket.on('data', hangUp);
    return keep(socket);
  };
  const reuseSocket: http.Agent['reuseSocket'] = (socket, request) => {
    socket.off('data', hangUp);
    reuse(socket, request);
  };
  return Object.assign(agent, { keepSocketAlive, reuseSocket });
};

/** Keeps connections to receivers alive. Each stays with the address that was judged when it was made. */
export const createAgents = ({ hosts, ca, resolve = createResolve() }: AgentOptions): Agents => {
  const shared = {
    keepAlive: true,
    maxFreeSockets: MAX_IDLE_PER_ORIGIN,
    timeout: IDLE_MS,
    noDelay: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
  };
  const judge =
    (protocol: string): Judge =>
    (address) =>
      mayConnect(address, protocol, hosts);
  const plain = silent(guarded(new http.Agent(shared), resolve, judge('http:')));
  const secure = silent(guarded(new https.Agent({ ...shared, ca }), resolve, judge('https:')));
  return {
    of: (protocol) => (protocol === 'https:' ? secure : plain),
    close: () => {
      plain.destroy();
      secure.destroy();
    },
  };
};
