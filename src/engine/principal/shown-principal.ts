/** How to show who caused an event, and how to select events by who caused them. */
import { type Principal, principalTerm } from './principal.js';

const unknown = 'unknown';
const server = 'server';

/**
 * `token:deploy@203.0.113.7/8f3k2-1c`, with `-` if the request had no credential; `server`, or
 * `server(schedule/daily)` if it acted on behalf of another stream; `unknown`.
 */
export function shownPrincipal(by: Principal | null): string {
  if (by === null) return unknown;
  if (by.type === 'server') return by.stream === null ? server : `${server}(${by.stream})`;
  return `${by.name ?? '-'}@${by.address}/${by.requestId}`;
}

/** The principal as JSON; null = unknown. */
export type PrincipalObject =
  | { readonly name: string | null; readonly address: string; readonly requestId: string }
  | { readonly server: string | null }
  | null;

/** The content of `shownPrincipal` as fields; `server` is the stream it acted for, or null. */
export function principalObject(by: Principal | null): PrincipalObject {
  if (by === null) return null;
  if (by.type === 'server') return { server: by.stream };
  const { name, address, requestId } = by;
  return { name, address, requestId };
}

/** Selects the events that a principal caused. */
export interface PrincipalFilter {
  /** An index term that all these events carry; null = there is none, so all events are read. */
  readonly term: string | null;
  readonly matches: (by: Principal | null) => boolean;
}

/**
 * Accepts `unknown`; `server`, for everything that the server did by itself; `schedule/daily`, for
 * what it did on behalf of that stream; or else the name of a credential, for requests made with
 * it.
 */
export function principalFilter(text: string): PrincipalFilter {
  if (text === unknown) return { term: null, matches: (by) => by === null };
  if (text === server) return { term: null, matches: (by) => by?.type === 'server' };
  // A credential's name begins with its kind; a configured user name may contain a slash.
  if (/^[^:/]+\//.test(text)) {
    return { term: null, matches: (by) => by?.type === 'server' && by.stream === text };
  }
  const matches = (by: Principal | null) => by?.type === 'caller' && by.name === text;
  return { term: principalTerm(text), matches };
}
