/**
 * What stands behind the marker of `/v2/publish/{destination}`: raw, never path-cleaned
 * (messaging.md 1.5). A URL is kept as it is called, because it is signed so.
 */
import { parseName } from './name.js';
import { ok, type Result, refused } from './result.js';

/** A URL to call, or the name of a URL group. */
export type Destination =
  | { readonly kind: 'url'; readonly text: string; readonly url: URL }
  | { readonly kind: 'group'; readonly name: string };

const destinationLengthMax = 8192;
/** A proxy on the way may have collapsed `https://` into `https:/`. */
const collapsedScheme = /^(https?):\/(?!\/)/i;
const tooLong = `the destination is longer than ${destinationLengthMax} characters`;
/** Path and query of what RFC 3986 allows there, and what clients write in queries all the same. */
const plainTarget = /^(?:[/?][\w\-.~!$&'()*+,;=:@/?%[\]|]*)?$/;
/** An origin without a user, however it is spelt, and what stands behind it. */
const written = /^https?:\/\/[^/?#\\@]+(.*)$/is;

/**
 * `tail` is the path behind the marker, `query` the request's query that is the destination's own.
 */
export function parseDestination(tail: string, query: string): Result<Destination> {
  if (tail === '') return refused('the destination is missing');
  if (tail.length + query.length > destinationLengthMax) {
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
 * An absolute http or https URL. What it names behind its origin is kept as it was written, dot
 * segments and all, if it is fit for a request line; anything else is written as browsers do. The
 * origin has one spelling, so that what is paused or limited by it has no other name.
 */
export function parseUrl(text: string): Result<Extract<Destination, { kind: 'url' }>> {
  const url = urlOf(text);
  if (url === undefined) return refused('the destination is not a valid URL');
  const [, target] = written.exec(text) ?? [];
  const isKept = target !== undefined && plainTarget.test(target);
  if (!isKept) url.hash = '';
  const called = isKept ? `${url.origin}${target}` : url.href;
  return called.length > destinationLengthMax
    ? refused(tooLong)
    : ok({ kind: 'url', text: called, url });
}

/** What a request line names of `url`, which `text` is: no URL is cleaned behind its origin. */
export function requestTarget(text: string, url: URL): string {
  // Journals of earlier versions have URLs that are written in other ways.
  if (!isCalledAsWritten(text, url)) return `${url.pathname}${url.search}`;
  const target = text.slice(url.origin.length);
  return target.startsWith('/') ? target : `/${target}`;
}

function isCalledAsWritten(text: string, { origin }: URL): boolean {
  return text.startsWith(origin) && plainTarget.test(text.slice(origin.length));
}

/** One that came percent-encoded may have brought a query of its own. */
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
