/** What an id leads to. Ids of the server tell their kind by what they begin with. Pure. */

/** A place of the console for what was typed. */
export interface ConsoleLink {
  /** An address below `/console`. */
  readonly to: string;
  readonly name: string;
}

const kinds: readonly (readonly [prefix: string, path: string, kind: string])[] = [
  ['msg_', '/messages/', 'message'],
  ['wfr_', '/workflows/', 'run'],
  ['scd_', '/schedules/', 'schedule'],
];

/** Where a typed id may be looked at; none where it is no id. */
export function destinationsOf(typed: string): readonly ConsoleLink[] {
  return kinds
    .filter(([prefix]) => typed.startsWith(prefix) && typed.length > prefix.length)
    .map(([, path, kind]) => ({
      to: `${path}${encodeURIComponent(typed)}`,
      name: `The ${kind} ${typed}`,
    }));
}
