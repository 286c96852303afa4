/** `stepwell journal print`: the journal in readable form, one line per event. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import { EventRedactions } from '../../server/journal/event-redactions.js';
import { journalJson, journalLine } from '../../server/journal/journal-line.js';
import { eventsOfStream } from '../../server/journal/named-stream.js';

/** What to print. Offsets are half-open: [from, until). */
export interface PrintOptions {
  /** `message/msg_1`, or only the id, which may contain slashes itself. */
  readonly stream?: string;
  readonly from?: number;
  readonly until?: number;
  readonly json?: boolean;
  /** Shows redacted values and server secrets in clear. */
  readonly reveal?: boolean;
}

/**
 * The lines, oldest event first, up to the durable end at the time of the call. Throws a one-line
 * `Error` if the journal does not hold what was named.
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

/**
 * The requested part of the journal. `from` may equal the end of the journal: more may be appended.
 */
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
