/**
 * What stands behind the marker of `/v2/publish/{destination}`: raw, never path-cleaned
 * (messaging.md 1.5). A URL is kept as it was written, because it is called and signed as it was
 * written.
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
const printableAscii = /^[\x21-\x7e]+$/;

/**
 * `tail` is the path behind the marker, `query` the request's query that is the destination's own.
 */
export function parseDestination(tail: string, query: string): Result<Destination> {
  if (tail === '') return refused('the destination is missing');
  if (tail.length + query.length > destinationLengthMax) {
    return refused(`the destination is longer than ${destinationLengthMax} characters`);
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

/** An absolute http or https URL, kept as written where it is plain ASCII without a fragment. */
export function parseUrl(text: string): Result<Extract<Destination, { kind: 'url' }>> {
  const url = urlOf(text);
  if (url === undefined) return refused('the destination is not a valid URL');
  const asWritten = printableAscii.test(text) && !text.includes('#');
  if (!asWritten) url.hash = '';
  return ok({ kind: 'url', text: asWritten ? text : url.href, url });
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
