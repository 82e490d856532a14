import { isIP, isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * The address of the client: the peer, or the address that trusted proxies forward. If a proxy forwards something that
 * is not an address, the proxy's own address counts.
 */
export const clientAddress = (request: Request): string | null => {
  const { ip } = request;
  return ip !== undefined && isIP(ip) !== 0 ? ip : (request.socket.remoteAddress ?? null);
};

/** The eight groups of an IPv6 address, without leading zeros. */
const groupsOf = (address: string): string[] => {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((text) => (text === '' ? [] : text.split(':')));
  const zeros = Array.from({ length: 8 - before!.length - after!.length }, () => '0');
  return [...before!, ...zeros, ...after!];
};

/** The IPv4 address that an IPv6 address maps (RFC 4291 section 2.5.5.2), in any notation. */
const mappedAddress = (groups: readonly string[]): string | null => {
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return null;
  const numbers = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join('.');
};

/** Groups of addresses that the limits count. */
export interface AddressGroups {
  /** An IPv4 address, or the /64 of an IPv6 address: one client usually controls the whole /64. */
  readonly client: string;
  /** The /48 of an IPv6 address, the usual prefix of a site; null for an IPv4 address. */
  readonly site: string | null;
}

export const addressGroups = (address: string | null): AddressGroups => {
  const [plain = ''] = (address ?? '').split('%');
  if (!isIPv6(plain)) return { client: plain || 'unknown', site: null };
  const groups = groupsOf(plain);
  const mapped = mappedAddress(groups);
  if (mapped !== null) return { client: mapped, site: null };
  return { client: `${groups.slice(0, 4).join(':')}::/64`, site: `${groups.slice(0, 3).join(':')}::/48` };
};
