/**
 * The destination in `/v2/publish/{destination}`: taken raw, never path-cleaned (messaging.md 1.5).
 * A URL is kept in the form in which it is called, because that form is signed.
 */
import { parseName } from './name.js';
import { ok, type Result, refused } from './result.js';

/** A URL to call, or the name of a URL group. */
export type Destination =
  | { readonly kind: 'url'; readonly text: string; readonly url: URL }
  | { readonly kind: 'group'; readonly name: string };

/** Limit for the characters of a URL, and of a destination with its query. */
export const urlLengthMax = 8192;
/** A proxy on the way may have collapsed `https://` into `https:/`. */
const collapsedScheme = /^(https?):\/(?!\/)/i;
const tooLong = `the destination is longer than ${urlLengthMax} characters`;
/** Path and query of characters that RFC 3986 allows, and others that clients use in queries. */
const plainTarget = /^(?:[/?][\w\-.~!$&'()*+,;=:@/?%[\]|]*)?$/;
/** An origin without a user, however it is spelt, and everything behind it. */
const written = /^https?:\/\/[^/?#\\@]+(.*)$/is;

/**
 * `tail` is the part of the path that names the destination, `query` the part of the request's
 * query that belongs to it.
 */
export function parseDestination(tail: string, query: string): Result<Destination> {
  if (tail === '') return refused('the destination is missing');
  if (tail.length + query.length > urlLengthMax) {
    return refused(tooLong);
  }
  const decoded = tail.includes(':/') ? tail : decode(tail);
  if (decoded === undefined) return refused('the destination is not valid percent-encoding');
  const path = decoded.replace(collapsedScheme, '$1://');
  if (/^https?:\/\//i.test(path)) return parseUrl(withQuery(path, query));
  if (path.includes(':/')) return refused('the destination must begin with http:// or https://');
  if (!parseName(path).ok) {
    return refused('the destination is neither a URL nor the name of a URL group');
  }
  return ok({ kind: 'group', name: path });
}

/**
 * Parses an absolute http or https URL. Everything behind the origin is kept as written, dot
 * segments included, if it is fit for a request line; otherwise it is normalized as browsers do.
 * The origin is normalized, so that a paused or limited origin has no other name.
 */
export function parseUrl(text: string): Result<Extract<Destination, { kind: 'url' }>> {
  const url = urlOf(text);
  if (url === undefined) return refused('the destination is not a valid URL');
  const [, target] = written.exec(text) ?? [];
  const isKept = target !== undefined && plainTarget.test(target);
  if (!isKept) url.hash = '';
  const called = isKept ? `${url.origin}${target}` : url.href;
  return called.length > urlLengthMax ? refused(tooLong) : ok({ kind: 'url', text: called, url });
}

/**
 * The target for the request line of `url`, of which `text` is the written form: nothing behind the
 * origin is cleaned.
 */
export function requestTarget(text: string, url: URL): string {
  // A user and a password are in front of the host; journals of earlier versions have other forms.
  if (!isCalledAsWritten(text, url)) return targetOf(url);
  const target = text.slice(url.origin.length);
  return target.startsWith('/') ? target : `/${target}`;
}

/** Path and query, with the "?" of an empty query, which `search` leaves out. */
function targetOf({ href, protocol }: URL): string {
  const [called = ''] = href.split('#', 1);
  return called.slice(called.indexOf('/', `${protocol}//`.length));
}

function isCalledAsWritten(text: string, { origin }: URL): boolean {
  return text.startsWith(origin) && plainTarget.test(text.slice(origin.length));
}

/** A destination that was percent-encoded may contain a query of its own. */
function withQuery(path: string, query: string): string {
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
