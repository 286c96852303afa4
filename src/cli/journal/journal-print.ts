/** `stepwell journal print`: the journal in human words, one line per event. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import { EventRedactions } from '../../server/journal/event-redactions.js';
import { journalJson, journalLine } from '../../server/journal/journal-line.js';
import { eventsOfStream } from '../../server/journal/named-stream.js';

/** What to print. Offsets are half-open: [from, until). */
export interface PrintOptions {
  /** `message/msg_1`, or the id alone, which may hold slashes itself. */
  readonly stream?: string;
  readonly from?: number;
  readonly until?: number;
  readonly json?: boolean;
  /** Values in clear that are redacted, and secrets of the server. */
  readonly reveal?: boolean;
}

/**
 * The lines, oldest event first, up to the durable end of the moment it began. Throws an `Error` of
 * one line where the journal holds nothing of what was named.
 */
export async function* printedLines(
  journal: Journal,
  options: PrintOptions,
): AsyncGenerator<string> {
  const range = rangeOf(journal, options);
  const shown = options.json === true ? journalJson : journalLine;
  const redactions = options.reveal === true ? null : new EventRedactions(journal);
  const { stream } = options;
  const events =
    stream === undefined
      ? all(journal, range.from, range.until)
      : eventsOfStream(journal, stream, range);
  for await (const envelope of events) {
    yield shown(envelope, redactions === null ? null : await redactions.of(envelope));
  }
}

/** The part of the journal that is meant; its end itself may be a beginning: more may come. */
function rangeOf(journal: Journal, { from = 0, until }: PrintOptions) {
  const { startOffset, highWatermark } = journal;
  if (from > highWatermark) throw new Error(`the journal ends at ${highWatermark}, before ${from}`);
  if (until !== undefined && until < startOffset) {
    throw new Error(`the journal begins at ${startOffset}, behind ${until}`);
  }
  if (until !== undefined && until < from) throw new Error(`${until} lies before ${from}`);
  return {
    from: Math.max(from, startOffset),
    until: Math.min(until ?? highWatermark, highWatermark),
  };
}

async function* all(journal: Journal, from: number, until: number): AsyncGenerator<EventEnvelope> {
  if (from >= until) return;
  for await (const envelopes of journal.replay(from)) {
    for (const envelope of envelopes) {
      if (envelope.offset >= until) return;
      yield envelope;
    }
  }
}
