/** The products that routes belong to, by which the document groups them. */

/** A group of routes. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** In the order in which they are shown. */
export const tags = [
  {
    name: 'Messages',
    description:
      'Messages over HTTP: publishing, delivery, queues, schedules, URL groups, flow ' +
      'control, logs, dead letters, jobs.',
  },
  {
    name: 'Workflows',
    description: 'Runs of functions behind HTTP endpoints: steps, events, logs, failed runs.',
  },
  {
    name: 'Topics',
    description: 'Partitioned logs: produce, fetch, consumer groups, subscriptions, credentials.',
  },
  {
    name: 'Administration',
    description: 'The server itself: journal, tokens, backups, origins, settings, metrics.',
  },
  {
    name: 'Server',
    description: 'Routes that need no credential: health, metrics, this document.',
  },
] as const satisfies readonly Tag[];

type TagName = (typeof tags)[number]['name'];

/** The first pattern that matches a path decides. */
const table: readonly (readonly [RegExp, TagName])[] = [
  [/^\/v2\/(?:workflows|trigger|wait|notify|waiters|dlq\/resume)(?:\/|$)/, 'Workflows'],
  [/^\/v2\//, 'Messages'],
  [/^\/admin\/(?:topics|groups|subscriptions|credentials)(?:\/|$)/, 'Topics'],
  [/^\/admin\//, 'Administration'],
  [/^\/(?:$|console|docs|favicon|health|metrics|openapi|sink)/, 'Server'],
];

/** The product that a documented path belongs to. */
export function tagOf(path: string): TagName {
  return table.find(([pattern]) => pattern.test(path))?.[1] ?? 'Topics';
}
