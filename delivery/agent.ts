import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { mayConnect, type WebhookHosts } from '../domain/webhook.ts';

/** The host is, or resolves to, an address that webhooks may not call. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'address_refused';

  constructor(host: string) {
    super(`Webhooks may not call ${host}`);
  }
}

/** Resolves a name to all its addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** The hosts that may be called, and how they are trusted and resolved. */
export interface AgentOptions {
  readonly hosts: WebhookHosts;
  /** Certificate authorities in PEM, in place of the system's. */
  readonly ca?: string;
  readonly resolve?: Resolve;
}

/** The connection pools to receivers, by scheme. */
export interface Agents {
  of(protocol: string): http.Agent;
  close(): void;
}

/** Idle connections are closed after this, in milliseconds. Most servers close earlier, and announce it. */
const IDLE_MS = 15_000;
/** Most idle connections: to one origin, and of both agents together. Node's agents bound only the former. */
const MAX_IDLE_PER_ORIGIN = 256;
const MAX_IDLE = 512;
/** Connection timeout per address of several, in milliseconds. Node's default of 250 is too short between continents. */
const ADDRESS_MS = 2_500;

/** Timeout of one DNS query to one server, in milliseconds, and tries per server. */
const DNS_PATIENCE = { timeout: 2_000, tries: 2 };

/**
 * Queries the system's DNS servers directly. Only four calls of `getaddrinfo` run at once in a process, so names with slow
 * servers would delay all others.
 */
const createResolve = (): Resolve => {
  const resolver = new Resolver(DNS_PATIENCE);
  return async (name) => {
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const lookups = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
    const [first] = lookups;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
};

/**
 * Resolves a name for a socket that is about to connect, and checks every address; the socket connects to one of these. A
 * single refused address refuses the name, because a mix of allowed and refused ones suggests an attack.
 */
const allowedLookup = (resolve: Resolve, isAllowed: AddressRule): LookupFunction => {
  const resolveAllowed = async (name: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(name);
    if (addresses.length === 0 || !addresses.every(isAllowed)) throw new AddressRefusedError(name);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (name, options, callback) => {
    resolveAllowed(name).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
};

type AddressRule = (address: string) => boolean;

/** Lets an agent connect to allowed addresses only. Checks an address in the URL here, because Node never looks it up. */
const guarded = <Guarded extends http.Agent>(agent: Guarded, resolve: Resolve, isAllowed: AddressRule): Guarded => {
  const connect: http.Agent['createConnection'] = agent.createConnection.bind(agent);
  const lookup = allowedLookup(resolve, isAllowed);
  const connectGuarded: http.Agent['createConnection'] = (to, callback) => {
    const host = to.host ?? '';
    if (isIP(host) === 0 || isAllowed(host)) return connect({ ...to, lookup }, callback);
    // The type requires a stream beside the error; Node does not.
    (callback as ((error: Error) => void) | undefined)?.(new AddressRefusedError(host));
    return undefined;
  };
  return Object.assign(agent, { createConnection: connectGuarded });
};

/** The idle connections of several agents, oldest first. */
type Idle = Set<Duplex>;

/**
 * Bounds the idle connections of several agents; the oldest is closed for a new one. Closes those that send data too: it would
 * keep them open without end, or count as the next response.
 */
const bounded = <Kept extends http.Agent>(agent: Kept, idle: Idle): Kept => {
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  const hangUp = function (this: Duplex): void {
    this.destroy();
  };
  const forget = function (this: Duplex): void {
    idle.delete(this);
  };
  const keepSocketAlive: http.Agent['keepSocketAlive'] = (socket) => {
    socket.on('data', hangUp);
    socket.on('close', forget);
    idle.add(socket);
    const [oldest] = idle;
    if (idle.size > MAX_IDLE && oldest !== undefined) {
      idle.delete(oldest);
      oldest.destroy();
    }
    return keep(socket);
  };
  const reuseSocket: http.Agent['reuseSocket'] = (socket, request) => {
    socket.off('data', hangUp);
    socket.off('close', forget);
    idle.delete(socket);
    reuse(socket, request);
  };
  return Object.assign(agent, { keepSocketAlive, reuseSocket });
};

/** Creates agents that keep connections alive. A connection stays with the address that was checked when it was opened. */
export const createAgents = ({ hosts, ca, resolve = createResolve() }: AgentOptions): Agents => {
  const shared = {
    keepAlive: true,
    maxFreeSockets: MAX_IDLE_PER_ORIGIN,
    timeout: IDLE_MS,
    noDelay: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
  };
  const allowedBy =
    (protocol: string): AddressRule =>
    (address) =>
      mayConnect(address, protocol, hosts);
  const idle: Idle = new Set();
  const plain = bounded(guarded(new http.Agent(shared), resolve, allowedBy('http:')), idle);
  const secure = bounded(guarded(new https.Agent({ ...shared, ca }), resolve, allowedBy('https:')), idle);
  return {
    of: (protocol) => (protocol === 'https:' ? secure : plain),
    close: () => {
      plain.destroy();
      secure.destroy();
    },
  };
};
