/** The pages that a typed id or name leads to. The prefix of a server's id says its kind. Pure. */

/** A link in the console for what was typed. */
export interface ConsoleLink {
  /** An address relative to `/console`. */
  readonly to: string;
  /** Filters of that page. */
  readonly search?: Readonly<Record<string, string>>;
  readonly name: string;
}

const kinds: readonly (readonly [prefix: string, path: string, kind: string])[] = [
  ['msg_', '/messages/', 'message'],
  ['wfr_', '/workflows/', 'run'],
  ['scd_', '/schedules/', 'schedule'],
];

/** Where a typed id, or a name that people chose, can be viewed; nothing is empty. */
export function destinationsOf(typed: string): readonly ConsoleLink[] {
  if (typed === '') return [];
  const [found] = kinds.filter(([prefix]) => typed.startsWith(prefix));
  if (found === undefined) return isLetterId(typed) ? [] : namedDestinations(typed);
  const [prefix, path, kind] = found;
  if (typed === prefix) return [];
  return [{ to: `${path}${encodeURIComponent(typed)}`, name: `The ${kind} ${typed}` }];
}

/** The form of a dead letter's id (messaging.md 10), which does not say what has failed. */
export const isLetterId = (typed: string): boolean => /^\d{13}-\d+(s[\dA-Z]{2})?$/.test(typed);

function namedDestinations(name: string): readonly ConsoleLink[] {
  const path = encodeURIComponent(name);
  return [
    { to: `/schedules/${path}`, name: `The schedule ${name}` },
    { to: `/topics/${path}`, name: `The topic ${name}` },
    { to: '/messages', search: { queueName: name }, name: `Messages of queue ${name}` },
  ];
}
