/**
 * Which addresses Carat may call on behalf of a merchant. A webhook must not become a way into the operator's own network,
 * so the rule is asked twice: of an address that is written in a configuration, and of what a name resolves to at the
 * moment of connecting.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

type Family = 'ipv4' | 'ipv6';

/** Of one family each: Node finds an IPv4 address below the IPv6 blocks that hold mapped ones. */
const blocksOf = (family: Family, blocks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const block of blocks) {
    const [base = '', length] = block.split('/');
    list.addSubnet(base, Number(length), family);
  }
  return list;
};

/** Of the registries of special addresses that IANA keeps, and what clouds use for themselves. */
const reserved = {
  ipv4: blocksOf('ipv4', [
    '0.0.0.0/8', // this network
    '10.0.0.0/8', // private
    '100.64.0.0/10', // behind a carrier's NAT
    '127.0.0.0/8', // loopback
    '168.63.129.16/32', // Azure's own services
    '169.254.0.0/16', // link-local, metadata of clouds
    '172.16.0.0/12', // private
    '192.0.0.0/24', // protocol assignments
    '192.0.2.0/24', // documentation
    '192.88.99.0/24', // 6to4 relays
    '192.168.0.0/16', // private
    '198.18.0.0/15', // benchmarks
    '198.51.100.0/24', // documentation
    '203.0.113.0/24', // documentation
    '224.0.0.0/4', // multicast
    '240.0.0.0/4', // reserved, broadcast
  ]),
  ipv6: blocksOf('ipv6', [
    '::/3', // loopback, mapped and translated IPv4
    '4000::/2', // not assigned
    '8000::/1', // not assigned, unique local, link-local, multicast
    '2001::/23', // protocol assignments, Teredo among them
    '2001:db8::/32', // documentation
    '2002::/16', // 6to4, which holds an IPv4 address
    '3fff::/20', // documentation
  ]),
};

const loopback = { ipv4: blocksOf('ipv4', ['127.0.0.0/8']), ipv6: blocksOf('ipv6', ['::1/128']) };

/** Null for what is no address in the usual notation, and for an address with a zone. */
const familyOf = (text: string): Family | null => {
  if (isIPv4(text)) return 'ipv4';
  return isIPv6(text) && !text.includes('%') ? 'ipv6' : null;
};

/**
 * True when the address is one of the public internet.
 * @param address IPv4 with dots, or IPv6 in any notation without brackets; anything else is not public
 */
export const isPublicAddress = (address: string): boolean => {
  const family = familyOf(address);
  return family !== null && !reserved[family].check(address, family);
};

/** True for 127.0.0.0/8 and ::1. */
export const isLoopbackAddress = (address: string): boolean => {
  const family = familyOf(address);
  return family !== null && loopback[family].check(address, family);
};
