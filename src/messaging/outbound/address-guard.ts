/**
 * Decides where deliveries may go: the same rules for publishes, callbacks and every connection
 * that is opened (messaging.md 1.5). Pure.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { Refusal, refused } from '../../grammar/result.js';
import type { AllowedNetworks } from '../settings.js';
import { embeddedIpv4, type IpAddress, isMetadata, restrictedRange } from './address-ranges.js';

const hostLengthMax = 253;

/**
 * Denied ports above 1023: those that no web page may call (WHATWG fetch, "bad port"), and two of
 * data stores that take an HTTP request for commands.
 */
const deniedPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080, 11211,
]);

/** The result of checking an address; null = it may be reached. */
interface Verdict {
  readonly refusal: Refusal | null;
}

/** Each check returns why something may not be reached, or null. */
export class AddressGuard {
  private readonly networks: readonly [IpAddress, number][];
  private readonly hosts: ReadonlySet<string>;
  private readonly own: ReadonlySet<string>;
  /** Verdicts on literal addresses: the same few are called again and again. */
  private readonly literals = new LRUCache<string, Verdict>({ max: 1024 });

  /** `own`: the addresses of this machine's interfaces, which lead to its private services. */
  constructor(allowed: AllowedNetworks, own: readonly string[] = []) {
    this.own = new Set(own.map((address) => ipaddr.parse(address).toNormalizedString()));
    this.networks = allowed.networks.map((network) => ipaddr.parseCIDR(network));
    this.hosts = new Set(allowed.hosts);
  }

  /**
   * Checks everything that needs no look-up, at publish and again before dialling: scheme,
   * userinfo, port, and the address if the host is one. Names are checked when they resolve.
   */
  checkDestination(url: URL): Refusal | null {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      return refused('must begin with http:// or https://');
    }
    if (url.username !== '' || url.password !== '') {
      return refused('must not carry a user name or a password');
    }
    const host = dialledHost(url);
    if (host === '' || host.length > hostLengthMax) {
      return refused(`must name a host of 1 to ${hostLengthMax} characters`);
    }
    if (!this.hosts.has(host) && !isAllowedPort(url.port)) {
      return refused(`must not name port ${url.port}, which is not one of web servers`);
    }
    return isIP(host) === 0 ? null : this.checkLiteral(host);
  }

  /** Checks one address that `host` resolved to, or that a connection to it has reached. */
  checkAddress(address: string, host: string): Refusal | null {
    if (!ipaddr.isValid(address)) return refused(`must not resolve to ${address}: not an address`);
    const whole = ipaddr.parse(address);
    const { addresses: embedded, isExact } = embeddedIpv4(whole);
    const selected = [whole, ...embedded];
    if (selected.some(isMetadata)) {
      return refused(`must not reach ${address}: link-local and metadata addresses are closed`);
    }
    if (this.hosts.has(host) || this.isAllowed(whole)) return null;
    if (isExact && embedded.every((each) => this.isAllowed(each))) return null;
    for (const each of selected) {
      const range = this.isAllowed(each) ? undefined : this.closedRange(each);
      if (range !== undefined) return notAllowed(address, range);
    }
    return null;
  }

  /** Checks every address of a name: one forbidden address refuses the name (DNS rebinding). */
  checkAddresses(addresses: readonly string[], host: string): Refusal | null {
    if (addresses.length === 0) return refused('does not resolve to any address');
    for (const address of addresses) {
      const refusal = this.checkAddress(address, host);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  private checkLiteral(address: string): Refusal | null {
    const known = this.literals.get(address);
    if (known !== undefined) return known.refusal;
    const refusal = this.checkAddress(address, address);
    this.literals.set(address, { refusal });
    return refusal;
  }

  /** Why an address is closed unless a setting allows it; undefined = it is open. */
  private closedRange(address: IpAddress): string | undefined {
    return this.isOwn(address) ? 'own' : restrictedRange(address);
  }

  private isOwn(address: IpAddress): boolean {
    return this.own.size > 0 && this.own.has(address.toNormalizedString());
  }

  private isAllowed(address: IpAddress): boolean {
    return this.networks.some(
      (network) => network[0].kind() === address.kind() && address.match(network),
    );
  }
}

/**
 * The host as it is dialled: without the brackets of IPv6 and without one trailing dot. The URL
 * parser has already turned every spelling of an IPv4 address into four decimals.
 */
export function dialledHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** `text` is empty if the port is the default of the scheme. */
function isAllowedPort(text: string): boolean {
  const port = Number(text);
  if (text === '' || port === 80 || port === 443) return true;
  return port >= 1024 && !deniedPorts.has(port);
}

/** The setting that opens networks beyond the public internet. */
const setting = 'STEPWELL_ALLOW_NETWORKS';

/** The setting that could allow a refused destination; undefined = none could. */
export function settingOf({ details }: Refusal): string | undefined {
  return details?.['setting'] === setting ? setting : undefined;
}

function notAllowed(address: string, range: string): Refusal {
  const message = `must not reach ${address} (${range}); this server does not allow that network`;
  return new Refusal('invalid', message, undefined, { setting });
}
