/** Parses the event, and possibly the run, that a path names (workflows.md 3.4). Pure. */

import { pathTail, rawPathTail } from '../../grammar/path-tail.js';
import { ok, type Result, refused } from '../../grammar/result.js';

const eventIdLengthMax = 2048;

/** The event id after the first `segments` of a request target; it may contain slashes. */
export function eventIn(target: string, segments: number): Result<string> {
  return parseEventId(pathTail(target, segments));
}

/** What a notification names: an event for any run, or for one run. */
export interface Notified {
  readonly runId: string | null;
  readonly eventId: string;
}

/** The most slashes in a run id that clients may leave unencoded. */
const runSlashesMax = 32;

/** The knowledge about runs that is needed to find a run id in a path. */
export interface ActiveRunIds {
  isActive(runId: string): boolean;
  waitsFor(runId: string, eventId: string): boolean;
}

/**
 * Finds the run and the event in a path. The part before a slash is a run id only if such a run is
 * active, or if it is the first segment and looks like a run id (workflows.md 3.4): both event ids
 * and run ids may contain slashes, which the published clients do not encode. If several prefixes
 * are active runs, the one that waits for the event wins, otherwise the shortest.
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

/**
 * The prefixes that may be a run id before an event id, shortest first; `length` includes the
 * slash.
 */
function runsIn(tail: string): readonly { readonly runId: string; readonly length: number }[] {
  const runs = [];
  let slash = tail.indexOf('/');
  while (slash >= 0 && runs.length <= runSlashesMax) {
    runs.push({ runId: decodeURIComponent(tail.slice(0, slash)), length: slash + 1 });
    slash = tail.indexOf('/', slash + 1);
  }
  return runs;
}

/** A run, and an event whose webhook it may have announced. */
export interface NamedWebhook {
  readonly runId: string;
  readonly eventId: string;
}

/**
 * The webhooks that a path may mean after its first `segments`: any slash may be the end of the run
 * id.
 */
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
