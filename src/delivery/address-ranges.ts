/** The ranges that are not the public internet, as a table (reliability 2.14, item 7). Pure. */
import ipaddr from 'ipaddr.js';

export type IpAddress = ReturnType<typeof ipaddr.parse>;
type Range = readonly [IpAddress, number];

/** Cloud metadata and the link: never reachable, whatever configuration says. */
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
];

/** Where IPv6 wraps an IPv4 address: the prefix and the offset of its four bytes. */
const wrappings: readonly (readonly [Range, number])[] = [
  [rangeOf('::ffff:0:0/96'), 12], // v4-mapped
  [rangeOf('::/96'), 12], // v4-compatible
  [rangeOf('64:ff9b::/96'), 12], // NAT64
  [rangeOf('2002::/16'), 2], // 6to4
];
/** Teredo keeps the client's IPv4 address inverted in its last four bytes. */
const teredo = rangeOf('2001::/32');

/** The IPv4 address that packets to an IPv6 address end up at; undefined = none is wrapped. */
export function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  if (address.kind() === 'ipv4') return undefined;
  const bytes = address.toByteArray();
  if (isIn(address, teredo)) {
    return ipaddr.fromByteArray(bytes.slice(12).map((byte) => byte ^ 0xff));
  }
  for (const [range, offset] of wrappings) {
    if (isIn(address, range)) return ipaddr.fromByteArray(bytes.slice(offset, offset + 4));
  }
  return undefined;
}

export function isMetadata(address: IpAddress): boolean {
  return metadata.some((range) => isIn(address, range));
}

/** What the address's range is for; undefined = the public internet. */
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
