/** Selects events of the journal. */

import type { EventEnvelope } from '../../engine/decider.js';
import type { PrincipalFilter } from '../../engine/principal/shown-principal.js';
import type { JournalReader } from '../../engine/reading/journal-around-damage.js';

/** Offsets are half-open: [from, until). null = no restriction. */
export interface JournalSelection {
  readonly from: number;
  readonly until: number;
  readonly order: 'oldest' | 'newest';
  /** `<kind>/<id>`, or only an id, which may contain slashes itself. */
  readonly stream: string | null;
  /** The types of events. */
  readonly types: ReadonlySet<string> | null;
  readonly by: PrincipalFilter | null;
}

/** Selects everything. */
export const wholeJournal: JournalSelection = {
  from: 0,
  until: Number.MAX_SAFE_INTEGER,
  order: 'oldest',
  stream: null,
  types: null,
  by: null,
};

/**
 * All events that a selection has to examine, in its order; `selected` is null for an event that
 * does not match, so that the reader can count the cost. Index terms narrow the search if the
 * selection has any.
 */
export async function* lookedAt(
  journal: Pick<JournalReader, 'query'>,
  selection: JournalSelection,
): AsyncGenerator<{ readonly offset: number; readonly selected: EventEnvelope | null }> {
  const { from, until, order, stream, by } = selection;
  const terms: (readonly string[])[] = [];
  if (stream !== null) terms.push(idsOf(stream));
  if (by?.term != null) terms.push([by.term]);
  for await (const envelope of journal.query({ terms, from, until, order })) {
    yield { offset: envelope.offset, selected: isSelected(envelope, selection) ? envelope : null };
  }
}

/** The events that match. */
export async function* selectedEvents(
  journal: Pick<JournalReader, 'query'>,
  selection: JournalSelection,
): AsyncGenerator<EventEnvelope> {
  for await (const { selected } of lookedAt(journal, selection))
    if (selected !== null) yield selected;
}

/** The ids that the name of a stream may refer to. */
function idsOf(stream: string): string[] {
  const slash = stream.indexOf('/');
  return slash < 0 ? [stream] : [stream, stream.slice(slash + 1)];
}

function isSelected(
  { kind, id, event, by: caused }: EventEnvelope,
  { stream, types, by }: JournalSelection,
): boolean {
  if (stream !== null && stream !== id && stream !== `${kind}/${id}`) return false;
  if (types !== null && !types.has(event.type)) return false;
  return by === null || by.matches(caused);
}
