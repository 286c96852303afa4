/**
 * What pages of others make a developer's browser ask. The credentials of a development server are
 * public, and it delivers to the developer's own network: a page that could publish would read
 * that network by a callback.
 */
import ipaddr from 'ipaddr.js';
import { Refusal } from '../../grammar/result.js';
import type { RequestHead } from '../../http/request-head.js';
import { type Config, isLoopbackOrigin } from '../configuration/config.js';

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

/**
 * Names under these are not in the public DNS, so that no stranger can lead one here: RFC 6761,
 * RFC 6762 and RFC 8375, and `internal` by resolution 2024.07.29.06 of ICANN.
 */
const nearby = /(^|\.)(localhost|local|internal|test|home\.arpa)$/;

/** One for a development server; any other has none. */
export class ForeignPages {
  private readonly publicHost: string | null;

  constructor(private readonly config: Pick<Config, 'corsOrigins' | 'publicUrl'>) {
    this.publicHost = config.publicUrl === null ? null : new URL(config.publicUrl).host;
  }

  /**
   * Why a request is refused; undefined = it is not of such a page. A browser says the origin of
   * the page wherever the request may change something (the Fetch standard); a page whose own name
   * was led to this machine (DNS rebinding) has that name in `Host`.
   */
  judge({ headers: { host, origin } }: RequestHead): Refusal | undefined {
    if (host !== undefined && !this.isOwnHost(host)) return foreignHost;
    if (origin === undefined || this.mayAsk(origin, host)) return undefined;
    return foreignOrigin;
  }

  private mayAsk(origin: string, host = ''): boolean {
    if (isLoopbackOrigin(origin) || this.config.corsOrigins?.includes(origin) === true) return true;
    return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
  }

  private isOwnHost(host: string): boolean {
    const url = `http://${host}`;
    if (host.toLowerCase() === this.publicHost) return true;
    if (!URL.canParse(url)) return false;
    const name = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '');
    return ipaddr.isValid(name) || !name.includes('.') || nearby.test(name);
  }
}
