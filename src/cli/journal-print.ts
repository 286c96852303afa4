/** `stepwell journal print`: the journal in human words, one line per event. */
import type { EventEnvelope } from '../engine/decider.js';
import type { Journal } from '../engine/journal.js';
import { journalJson, journalLine } from './journal-line.js';

/** What to print. Offsets are half-open: [from, until). */
export interface PrintOptions {
  /** `message/msg_1`, or the id alone. */
  readonly stream?: string;
  readonly from?: number;
  readonly until?: number;
  readonly json?: boolean;
}

/** The lines, oldest event first, up to the durable end of the moment it began. */
export async function* printedLines(
  journal: Journal,
  options: PrintOptions,
): AsyncGenerator<string> {
  const from = Math.max(options.from ?? 0, journal.startOffset);
  const until = Math.min(options.until ?? journal.highWatermark, journal.highWatermark);
  const shown = options.json === true ? journalJson : journalLine;
  const { stream } = options;
  const events =
    stream === undefined ? all(journal, from, until) : ofStream(journal, stream, from, until);
  for await (const envelope of events) yield shown(envelope);
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

/** Neither kinds nor ids hold a slash. */
async function* ofStream(
  journal: Journal,
  stream: string,
  from: number,
  until: number,
): AsyncGenerator<EventEnvelope> {
  const slash = stream.indexOf('/');
  const kind = slash < 0 ? null : stream.slice(0, slash);
  for await (const envelope of journal.find(stream.slice(slash + 1), from, until)) {
    if (kind === null || envelope.kind === kind) yield envelope;
  }
}
