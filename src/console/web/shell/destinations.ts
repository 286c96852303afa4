/** The page that a typed id leads to. The prefix of a server's id says its kind. Pure. */

/** A link in the console for what was typed. */
export interface ConsoleLink {
  /** An address relative to `/console`. */
  readonly to: string;
  readonly name: string;
}

const kinds: readonly (readonly [prefix: string, path: string, kind: string])[] = [
  ['msg_', '/messages/', 'message'],
  ['wfr_', '/workflows/', 'run'],
  ['scd_', '/schedules/', 'schedule'],
];

/** Where a typed id can be viewed; empty if it is not an id. */
export function destinationsOf(typed: string): readonly ConsoleLink[] {
  return kinds
    .filter(([prefix]) => typed.startsWith(prefix) && typed.length > prefix.length)
    .map(([, path, kind]) => ({
      to: `${path}${encodeURIComponent(typed)}`,
      name: `The ${kind} ${typed}`,
    }));
}
