/** Which event, and perhaps which run, a path names (workflows.md 3.4). Pure. */

import { pathTail, rawPathTail } from '../../grammar/path-tail.js';
import { ok, type Result, refused } from '../../grammar/result.js';

const eventIdLengthMax = 2048;

/** The event behind the first `segments` of a request target; it may hold slashes. */
export function eventIn(target: string, segments: number): Result<string> {
  return parseEventId(pathTail(target, segments));
}

/** What a notification names: an event of any run, or of one. */
export interface Notified {
  readonly runId: string | null;
  readonly eventId: string;
}

/**
 * The first of two names is a run's only where it looks like one or `isActive` knows it
 * (workflows.md 3.4): event ids may hold slashes. In the id of a run a slash is encoded.
 */
export function notifiedIn(
  target: string,
  segments: number,
  isActive: (runId: string) => boolean,
): Result<Notified> {
  const tail = rawPathTail(target, segments);
  const slash = tail.indexOf('/');
  const first = decodeURIComponent(tail.slice(0, Math.max(slash, 0)));
  const isRun = slash > 0 && (first.startsWith('wfr_') || isActive(first));
  const eventId = parseEventId(decodeURIComponent(isRun ? tail.slice(slash + 1) : tail));
  return eventId.ok ? ok({ runId: isRun ? first : null, eventId: eventId.value }) : eventId;
}

function parseEventId(text: string): Result<string> {
  return text.length > 0 && text.length <= eventIdLengthMax
    ? ok(text)
    : refused(`the event id must have 1 to ${eventIdLengthMax} characters`);
}
