/** How people and programs name who caused an event, and ask for what one has caused. */
import { type Principal, principalTerm } from './principal.js';

const unknown = 'unknown';
const server = 'server';

/**
 * `token:deploy@203.0.113.7/8f3k2-1c`, with `-` for a request without a credential; `server`, or
 * `server(schedule/daily)` where it was not for the stream of the event; `unknown`.
 */
export function shownPrincipal(by: Principal | null): string {
  if (by === null) return unknown;
  if (by.type === 'server') return by.stream === null ? server : `${server}(${by.stream})`;
  return `${by.name ?? '-'}@${by.address}/${by.requestId}`;
}

/** The same as JSON has it; null = unknown. */
export type PrincipalObject =
  | { readonly name: string | null; readonly address: string; readonly requestId: string }
  | { readonly server: string | null }
  | null;

/** What `shownPrincipal` says, in fields; `server` is the stream it was done for, or null. */
export function principalObject(by: Principal | null): PrincipalObject {
  if (by === null) return null;
  if (by.type === 'server') return { server: by.stream };
  const { name, address, requestId } = by;
  return { name, address, requestId };
}

/** Selects the events that a principal caused. */
export interface PrincipalFilter {
  /** An index term that all of them carry; null = there is none, so all events are looked at. */
  readonly term: string | null;
  readonly matches: (by: Principal | null) => boolean;
}

/**
 * `unknown`; `server`: all that it did by itself; `schedule/daily`: what it did for the sake of
 * that stream; anything else is the name of a credential: what was requested with it.
 */
export function principalFilter(text: string): PrincipalFilter {
  if (text === unknown) return { term: null, matches: (by) => by === null };
  if (text === server) return { term: null, matches: (by) => by?.type === 'server' };
  if (text.includes('/')) {
    return { term: null, matches: (by) => by?.type === 'server' && by.stream === text };
  }
  const matches = (by: Principal | null) => by?.type === 'caller' && by.name === text;
  return { term: principalTerm(text), matches };
}
