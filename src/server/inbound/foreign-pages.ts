/**
 * Refuses requests that pages of other origins make a browser send. If the credentials are public,
 * as those of a development server are, such a page could use them. Also, a browser itself adds the
 * user name and password that a person once typed into its dialog, or that a link has in its URL.
 */
import ipaddr from 'ipaddr.js';
import { Refusal } from '../../grammar/result.js';
import { isOriginOf } from '../../http/identity/page-requests.js';
import type { RequestHead } from '../../http/request-head.js';
import { allowedOrigins, type Config } from '../configuration/config.js';
import type { OriginRule } from './cross-origin.js';

const foreignOrigin: Refusal = new Refusal(
  'forbidden',
  'forbidden: the credentials of a development server are public, so that pages of other ' +
    'origins may ask it nothing; STEPWELL_CORS_ORIGINS names those that may',
);

const foreignHost: Refusal = new Refusal(
  'forbidden',
  'forbidden: the credentials of a development server are public, so that it answers to no name ' +
    'of the internet; STEPWELL_PUBLIC_URL says one that is its own',
);

const foreignPassword: Refusal = new Refusal(
  'forbidden',
  'forbidden: a page of another origin changes nothing with a user name and password, which a ' +
    'browser adds by itself; STEPWELL_CORS_ORIGINS names the origins that may',
);

/**
 * Names under these domains are not in the public DNS, so no stranger can point one at this
 * machine: RFC 6761, RFC 6762 and RFC 8375, and `internal` by ICANN resolution 2024.07.29.06.
 */
const nearby = /(^|\.)(localhost|local|internal|test|home\.arpa)$/;

/** One instance per server. */
export class ForeignPages {
  private readonly hasPublicCredentials: boolean;
  private readonly publicHost: string | null;
  private readonly mayRead: OriginRule | null;

  constructor(config: Config) {
    this.hasPublicCredentials = config.isDevelopment;
    this.publicHost = config.publicUrl === null ? null : new URL(config.publicUrl).host;
    this.mayRead = allowedOrigins(config);
  }

  /**
   * Why a request of any kind is refused; undefined if it does not come from a foreign page. A
   * browser states the origin of the page in every request that may change something (the Fetch
   * standard); a page whose own name was pointed at this machine (DNS rebinding) has that name in
   * `Host`.
   */
  judge({ headers: { host, origin } }: RequestHead): Refusal | undefined {
    if (!this.hasPublicCredentials) return undefined;
    if (host !== undefined && !this.isOwnHost(host)) return foreignHost;
    return origin === undefined || this.mayAsk(origin, host) ? undefined : foreignOrigin;
  }

  /** Like `judge`, for requests that may change something. */
  judgeChange({ headers }: RequestHead): Refusal | undefined {
    const { authorization = '', host, origin } = headers;
    const isRemembered = /^basic /i.test(authorization);
    if (!isRemembered && !this.hasPublicCredentials) return undefined;
    // A browser sends no origin if a page merely links to a URL that changes something.
    const isForeign =
      origin === undefined
        ? this.isOtherSite(headers['sec-fetch-site'])
        : !this.mayAsk(origin, host);
    if (!isForeign) return undefined;
    return this.hasPublicCredentials ? foreignOrigin : foreignPassword;
  }

  /**
   * `same-site` is another origin of the same domain, or of this machine. All pages of this machine
   * may send requests to a development server.
   */
  private isOtherSite(site: unknown): boolean {
    return site === 'cross-site' || (site === 'same-site' && !this.hasPublicCredentials);
  }

  private mayAsk(origin: string, host = ''): boolean {
    if (this.mayRead?.(origin) === true || isOriginOf(origin, host)) return true;
    return this.publicHost !== null && isOriginOf(origin, this.publicHost);
  }

  private isOwnHost(host: string): boolean {
    const url = `http://${host}`;
    if (host.toLowerCase() === this.publicHost) return true;
    if (!URL.canParse(url)) return false;
    const name = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '');
    return ipaddr.isValid(name) || !name.includes('.') || nearby.test(name);
  }
}

/** Whether a browser may have sent the request for a page: other programs send neither header. */
export function isOfPage({ headers }: RequestHead): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}
