/** Which connections share what one client may take. */
import ipaddr from 'ipaddr.js';

/** What shares one share: an IPv4 address, or the network of an IPv6 address. */
export function shareOf(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
