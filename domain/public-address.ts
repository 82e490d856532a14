/**
 * The addresses that Carat may call on behalf of a merchant. A webhook must not lead into the operator's own network, so this
 * check runs twice: on the address in a configuration, and on the addresses to which a name resolves at each connection.
 */

interface Bits {
  readonly width: 32 | 128;
  readonly value: bigint;
}

const parse4 = (text: string): Bits | null => {
  if (!/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text)) return null;
  const bytes = text.split('.').map(Number);
  return bytes.some((byte) => byte > 255)
    ? null
    : { width: 32, value: bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) };
};

const parse6 = (text: string): Bits | null => {
  const url = `http://[${text}]`;
  if (!/^[\da-f.]*:[\da-f.:]*$/i.test(text) || !URL.canParse(url)) return null;
  // The URL standard has one notation only: hexadecimal groups, with at most one gap.
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const gap = Array<string>(8 - first.length - last.length).fill('0');
  const value = [...first, ...gap, ...last].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  return { width: 128, value };
};

/** Parses an address in the usual notation; null for any other text, and for an address with a zone. */
const parse = (text: string): Bits | null => parse4(text) ?? parse6(text);

const matcher = (blocks: readonly string[]): ((address: Bits) => boolean) => {
  const parsed = blocks.map((block) => {
    const [base = '', length] = block.split('/');
    const bits = parse(base);
    if (bits === null) throw new TypeError(`${block} is not a block of addresses`);
    return { ...bits, shift: BigInt(bits.width - Number(length)) };
  });
  return ({ width, value }) =>
    parsed.some((block) => block.width === width && value >> block.shift === block.value >> block.shift);
};

/** From IANA's registries of special-purpose addresses, and addresses that clouds use internally. */
const isReserved4 = matcher([
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
]);

/** All other addresses are loopback, mapped or translated IPv4, unique local, link-local, multicast or unassigned. */
const isUnicast6 = matcher(['2000::/3']);

const isReserved6 = matcher([
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which holds an IPv4 address
  '3fff::/20', // documentation
]);

const isLoopback = matcher(['127.0.0.0/8', '::1/128']);

/**
 * True for an address of the public internet.
 * @param address IPv4 with dots, or IPv6 in any notation without brackets; anything else is not public
 */
export const isPublicAddress = (address: string): boolean => {
  const bits = parse(address);
  if (bits === null) return false;
  return bits.width === 32 ? !isReserved4(bits) : isUnicast6(bits) && !isReserved6(bits);
};

/** True for 127.0.0.0/8 and ::1. */
export const isLoopbackAddress = (address: string): boolean => {
  const bits = parse(address);
  return bits !== null && isLoopback(bits);
};
