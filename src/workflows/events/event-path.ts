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

/** The id of a run has no more slashes than this where clients leave them as they are. */
const runSlashesMax = 32;

/** What is known of runs where a path may name one. */
export interface ActiveRunIds {
  isActive(runId: string): boolean;
  waitsFor(runId: string, eventId: string): boolean;
}

/**
 * What stands before a slash is the id of a run only where there is such an active one, or where it
 * is the first name and looks like one (workflows.md 3.4): event ids may hold slashes, and so may
 * those of runs, which the published clients do not encode. Of several it is the one that waits for
 * the event, else the shortest.
 */
export function notifiedIn(target: string, segments: number, runs: ActiveRunIds): Result<Notified> {
  const tail = rawPathTail(target, segments);
  const named = runsIn(tail);
  const active = named.filter(({ runId }) => runs.isActive(runId));
  const eventBehind = (length: number) => decodeURIComponent(tail.slice(length));
  const waiting = active.find(({ runId, length }) => runs.waitsFor(runId, eventBehind(length)));
  const looksSo = named.slice(0, 1).find(({ runId }) => runId.startsWith('wfr_'));
  const run = waiting ?? active[0] ?? looksSo;
  const eventId = parseEventId(eventBehind(run?.length ?? 0));
  return eventId.ok ? ok({ runId: run?.runId ?? null, eventId: eventId.value }) : eventId;
}

/** What may be the id of a run in front of an event, the shortest first; `length` has its slash. */
function runsIn(tail: string): readonly { readonly runId: string; readonly length: number }[] {
  const runs = [];
  let slash = tail.indexOf('/');
  while (slash >= 0 && runs.length <= runSlashesMax) {
    runs.push({ runId: decodeURIComponent(tail.slice(0, slash)), length: slash + 1 });
    slash = tail.indexOf('/', slash + 1);
  }
  return runs;
}

/** A run, and an event that it may have announced. */
export interface NamedWebhook {
  readonly runId: string;
  readonly eventId: string;
}

/** Which webhooks a path may mean behind its first `segments`; no slash says where a run ends. */
export function webhooksIn(target: string, segments: number): readonly NamedWebhook[] {
  const tail = rawPathTail(target, segments);
  return runsIn(tail).flatMap(({ runId, length }) => {
    const eventId = parseEventId(decodeURIComponent(tail.slice(length)));
    return eventId.ok ? [{ runId, eventId: eventId.value }] : [];
  });
}

function parseEventId(text: string): Result<string> {
  return text.length > 0 && text.length <= eventIdLengthMax
    ? ok(text)
    : refused(`the event id must have 1 to ${eventIdLengthMax} characters`);
}
