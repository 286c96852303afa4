/** Groups connections by the client whose share they count towards. */
import ipaddr from 'ipaddr.js';

/**
 * The key of the share an address belongs to: an IPv4 address, or the /64 network of an IPv6
 * address.
 */
export function shareOf(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
