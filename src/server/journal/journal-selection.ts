/** Which events of the journal are meant, and finding them. */

import type { EventEnvelope } from '../../engine/decider.js';
import type { PrincipalFilter } from '../../engine/principal/shown-principal.js';
import type { JournalReader } from '../../engine/reading/journal-around-damage.js';

/** Offsets are half-open: [from, until). null = it does not matter. */
export interface JournalSelection {
  readonly from: number;
  readonly until: number;
  readonly order: 'oldest' | 'newest';
  /** `<kind>/<id>`, or an id, which may hold slashes itself. */
  readonly stream: string | null;
  /** The types of events. */
  readonly types: ReadonlySet<string> | null;
  readonly by: PrincipalFilter | null;
}

/** Everything. */
export const wholeJournal: JournalSelection = {
  from: 0,
  until: Number.MAX_SAFE_INTEGER,
  order: 'oldest',
  stream: null,
  types: null,
  by: null,
};

/**
 * Everything of the journal that a selection looks at, in its order; null = an event that is not
 * meant, so that the reader can count what it costs. Terms of the index narrow it where there are
 * some.
 */
export async function* lookedAt(
  journal: Pick<JournalReader, 'query'>,
  selection: JournalSelection,
): AsyncGenerator<{ readonly offset: number; readonly meant: EventEnvelope | null }> {
  const { from, until, order, stream, by } = selection;
  const terms: (readonly string[])[] = [];
  if (stream !== null) terms.push(idsOf(stream));
  if (by?.term != null) terms.push([by.term]);
  for await (const envelope of journal.query({ terms, from, until, order })) {
    yield { offset: envelope.offset, meant: isMeant(envelope, selection) ? envelope : null };
  }
}

/** The events that are meant. */
export async function* selectedEvents(
  journal: Pick<JournalReader, 'query'>,
  selection: JournalSelection,
): AsyncGenerator<EventEnvelope> {
  for await (const { meant } of lookedAt(journal, selection)) if (meant !== null) yield meant;
}

/** The ids that the name of a stream may mean. */
function idsOf(stream: string): string[] {
  const slash = stream.indexOf('/');
  return slash < 0 ? [stream] : [stream, stream.slice(slash + 1)];
}

function isMeant(
  { kind, id, event, by: caused }: EventEnvelope,
  { stream, types, by }: JournalSelection,
): boolean {
  if (stream !== null && stream !== id && stream !== `${kind}/${id}`) return false;
  if (types !== null && !types.has(event.type)) return false;
  return by === null || by.matches(caused);
}
