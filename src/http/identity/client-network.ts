/** The network that counts as one client, wherever clients have equal shares. */
import ipaddr from 'ipaddr.js';

/** An IPv4 address, or the /64 network of an IPv6 address, because a host may use all of it. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
