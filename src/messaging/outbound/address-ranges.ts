/** The address ranges that are not the public internet, as a table. Pure. */
import ipaddr from 'ipaddr.js';

/** An address of either family, as ipaddr.js represents it. */
export type IpAddress = ReturnType<typeof ipaddr.parse>;
type Range = readonly [IpAddress, number];

/** Cloud metadata and link-local addresses: never reachable, whatever the configuration says. */
const metadata = ranges([
  '169.254.0.0/16',
  '168.63.129.16/32', // Azure
  '100.100.100.200/32', // Alibaba
  '192.0.0.192/32', // Oracle
  'fe80::/10',
  'fd00:ec2::254/128', // AWS
  'fd20:ce::254/128', // Google
]);

const restricted: readonly (readonly [Range, string])[] = [
  ...named('this network', ['0.0.0.0/8', '::/128']),
  ...named('loopback', ['127.0.0.0/8', '::1/128']),
  ...named('private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']),
  ...named('shared by a carrier', ['100.64.0.0/10']),
  ...named('reserved by the IETF', ['192.0.0.0/24', '2001::/23', '5f00::/16', 'fec0::/10']),
  ...named('documentation', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24']),
  ...named('documentation', ['2001:db8::/32', '3fff::/20']),
  ...named('benchmarking', ['198.18.0.0/15']),
  ...named('a transition relay', ['192.88.99.0/24', '2002::/16', '64:ff9b:1::/48', '::/96']),
  ...named('discarded', ['100::/64', '100:0:0:1::/64']),
  ...named('multicast', ['224.0.0.0/4', 'ff00::/8']),
  ...named('reserved', ['240.0.0.0/4']),
  // Every global address is in 2000::/3, or wraps an IPv4 address in ::/8.
  ...named('reserved', ['100::/8', '200::/7', '400::/6', '800::/5', '1000::/4']),
  ...named('reserved', ['4000::/2', '8000::/1']),
];

/** Prefixes in which IPv6 wraps an IPv4 address, and the positions of its four bytes. */
const wrappings: readonly (readonly [Range, readonly number[]])[] = [
  [rangeOf('::ffff:0:0/96'), [12, 13, 14, 15]], // v4-mapped
  [rangeOf('::ffff:0:0:0/96'), [12, 13, 14, 15]], // v4-translated
  [rangeOf('::/96'), [12, 13, 14, 15]], // v4-compatible
  [rangeOf('64:ff9b::/96'), [12, 13, 14, 15]], // NAT64
  [rangeOf('2002::/16'), [2, 3, 4, 5]], // 6to4
];
/** Teredo stores the client's IPv4 address inverted in the last four bytes. */
const teredo = rangeOf('2001::/32');
/**
 * NAT64 with a local prefix: the length of the prefix, and so the position of the IPv4 address, is
 * not known.
 */
const localNat64 = rangeOf('64:ff9b:1::/48');
const localNat64Readings = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/** The IPv4 addresses that an IPv6 address wraps. */
export interface EmbeddedIpv4 {
  readonly addresses: readonly IpAddress[];
  /** Whether packets can end up only at these addresses, so that they alone need to be allowed. */
  readonly isExact: boolean;
}

const nothingEmbedded: EmbeddedIpv4 = { addresses: [], isExact: false };

/** The IPv4 addresses at which packets to an IPv6 address may end up. */
export function embeddedIpv4(address: IpAddress): EmbeddedIpv4 {
  if (address.kind() === 'ipv4') return nothingEmbedded;
  const bytes = address.toByteArray();
  if (isIn(address, teredo)) {
    const client = bytes.slice(12).map((byte) => byte ^ 0xff);
    return { addresses: [ipaddr.fromByteArray(client)], isExact: true };
  }
  if (isIn(address, localNat64)) {
    return { addresses: localNat64Readings.map((places) => ipv4At(bytes, places)), isExact: false };
  }
  for (const [range, places] of wrappings) {
    if (isIn(address, range)) return { addresses: [ipv4At(bytes, places)], isExact: true };
  }
  return isIsatap(bytes)
    ? { addresses: [ipv4At(bytes, [12, 13, 14, 15])], isExact: false }
    : nothingEmbedded;
}

/**
 * ISATAP, with any prefix: the interface id is `0:5efe` and an IPv4 address, whatever its u and g
 * bits.
 */
function isIsatap(bytes: readonly number[]): boolean {
  const [flags = 0, zero, organization, type] = bytes.slice(8, 12);
  return flags <= 3 && zero === 0 && organization === 0x5e && type === 0xfe;
}

function ipv4At(bytes: readonly number[], places: readonly number[]): IpAddress {
  return ipaddr.fromByteArray(places.map((place) => bytes[place] ?? 0));
}

/** Whether an address is one at which clouds give credentials to their machines, or link-local. */
export function isMetadata(address: IpAddress): boolean {
  return metadata.some((range) => isIn(address, range));
}

/** The purpose of the range of an address; undefined = the public internet. */
export function restrictedRange(address: IpAddress): string | undefined {
  return restricted.find(([range]) => isIn(address, range))?.[1];
}

function isIn(address: IpAddress, [network, bits]: Range): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

function named(name: string, networks: readonly string[]): (readonly [Range, string])[] {
  return ranges(networks).map((range) => [range, name]);
}

function ranges(networks: readonly string[]): Range[] {
  return networks.map(rangeOf);
}

function rangeOf(network: string): Range {
  return ipaddr.parseCIDR(network);
}
