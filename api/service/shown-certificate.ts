import type { X509Certificate } from 'node:crypto';
import dns from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';

/** The validity of a certificate, in milliseconds since the epoch. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

export interface CertificateReading extends Validity {
  /** The addresses behind the name that showed none, with the reasons; absent or empty when all have shown one. */
  readonly unread?: string;
}

/** A server, and the client's certificate that it may ask for. */
export interface TlsServer extends Pick<tls.ConnectionOptions, 'cert' | 'key'> {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

/** Milliseconds for all of it: a server that drips its handshake gets no more. */
const PATIENCE_MS = 5_000;
/** Most addresses of a name that are asked. */
const ADDRESSES = 8;
/** Codes of a machine that has no way to an address, such as one of IPv6. That is no fault of the server. */
const noWay = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

export const validityOf = ({ validFrom, validTo }: X509Certificate): Validity => ({
  from: Date.parse(validFrom),
  until: Date.parse(validTo),
});

/** Reads the certificate at one address. Nothing is sent or believed, so that a certificate that has ended is shown, too. */
const shownAt = (address: string, { port, name, cert, key }: TlsServer, signal: AbortSignal): Promise<Validity> =>
  new Promise((resolve, reject) => {
    const servername = net.isIP(name) === 0 ? { servername: name } : {};
    const socket = tls.connect({ host: address, port, ...servername, cert, key, rejectUnauthorized: false });
    const abort = (): void => void socket.destroy(new Error('no answer in time'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', abort));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate();
      socket.destroy();
      if (shown === undefined) reject(new Error('no certificate'));
      else resolve(validityOf(shown));
    });
    if (signal.aborted) abort();
  });

/** Finds the addresses of a name. */
type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;

const addressesOf = async (host: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> => {
  if (net.isIP(host) !== 0) return [host];
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no address in time')), { once: true });
  });
  const found = await Promise.race([resolve(host), late]);
  return found.slice(0, ADDRESSES).map(({ address }) => address);
};

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? (error as Error).message;

/**
 * Reads the certificates at all addresses of a server.
 * @returns the one that ends first: clients meet any of them
 * @throws Error when no address shows one
 */
export const shownBy = async (
  server: TlsServer,
  stop?: AbortSignal,
  resolve: Resolve = (host) => dns.lookup(host, { all: true }),
): Promise<CertificateReading> => {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = stop === undefined ? patience : AbortSignal.any([patience, stop]);
  const addresses = await addressesOf(server.host, resolve, signal);
  const readings = await Promise.allSettled(addresses.map((address) => shownAt(address, server, signal)));
  const shown = readings.flatMap((reading) => (reading.status === 'fulfilled' ? [reading.value] : []));
  const [first] = shown.toSorted((a, b) => a.until - b.until);
  const failed = readings.flatMap((reading, index) =>
    reading.status === 'rejected' ? [{ address: addresses[index]!, code: codeOf(reading.reason) }] : [],
  );
  if (first === undefined) throw new Error([...new Set(failed.map(({ code }) => code))].join(', '));
  const unread = failed.filter(({ code }) => !noWay.has(code)).map(({ address, code }) => `${address}: ${code}`);
  return { ...first, unread: unread.join(', ') };
};
