/** Finds the streams that a person names in `journal print --stream`. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';

/** Offsets are half-open: [from, until). */
interface Range {
  readonly from: number;
  readonly until: number;
}

/** One interpretation of a name; with `kind` null, streams of every kind. */
interface Reading {
  readonly kind: string | null;
  readonly id: string;
}

/** How many of the newest events are searched for names similar to a mistaken one. */
const examinedMax = 50_000;
const suggestionsMax = 3;

/**
 * The events of the streams that `named` refers to, oldest first: `message/msg_1`, or only the id.
 * Ids may contain slashes (`consumer/group/instance`), so a name with a slash is interpreted both
 * ways, and the first interpretation that finds events counts. Throws a one-line `Error` if nothing
 * is found.
 */
export async function* eventsOfStream(
  journal: Journal,
  named: string,
  range: Range,
): AsyncGenerator<EventEnvelope> {
  for (const reading of readingsOf(named)) {
    let isFound = false;
    for await (const envelope of eventsOf(journal, reading, range)) {
      isFound = true;
      yield envelope;
    }
    if (isFound) return;
  }
  throw new Error(await whyNothing(journal, named, range));
}

function readingsOf(named: string): Reading[] {
  const slash = named.indexOf('/');
  const whole = { kind: null, id: named };
  if (slash < 0) return [whole];
  return [{ kind: named.slice(0, slash), id: named.slice(slash + 1) }, whole];
}

async function* eventsOf(
  journal: Journal,
  { kind, id }: Reading,
  { from, until }: Range,
): AsyncGenerator<EventEnvelope> {
  for await (const envelope of journal.find(id, from, until)) {
    if (kind === null || envelope.kind === kind) yield envelope;
  }
}

async function whyNothing(journal: Journal, named: string, range: Range): Promise<string> {
  const whole = { from: journal.startOffset, until: journal.highWatermark };
  for (const reading of readingsOf(named)) {
    for await (const { offset } of eventsOf(journal, reading, whole)) {
      const nothing = `has no event from ${range.from} up to ${range.until}`;
      return `stream "${named}" ${nothing}; its first is at ${offset}`;
    }
  }
  const similar = await similarStreams(journal, named, whole);
  const hint = similar.length === 0 ? '' : `; did you mean ${similar.join(' or ')}?`;
  return `no stream "${named}" in this journal${hint}`;
}

/** Streams with the same id, then recently used ones whose name contains the given text. */
async function similarStreams(journal: Journal, named: string, range: Range): Promise<string[]> {
  const found = new Set<string>();
  for (const { id } of readingsOf(named)) {
    for await (const envelope of eventsOf(journal, { kind: null, id }, range)) {
      found.add(nameOf(envelope));
      if (found.size === suggestionsMax) return [...found];
    }
  }
  const part = named.toLowerCase();
  let looks = 0;
  for await (const envelope of journal.query({ terms: [], ...range, order: 'newest' })) {
    if (nameOf(envelope).toLowerCase().includes(part)) found.add(nameOf(envelope));
    looks += 1;
    if (found.size === suggestionsMax || looks === examinedMax) break;
  }
  return [...found];
}

function nameOf({ kind, id }: EventEnvelope): string {
  return `${kind}/${id}`;
}
