/**
 * `stepwell journal replay`: rebuilds memory from the journal with the deciders of the server; or,
 * if a narrower selection is given, prints the selected events.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import {
  journalSweepKind,
  journalSweepsId,
  sweptUntilBy,
} from '../../engine/history/journal-sweep.events.js';
import type { Journal } from '../../engine/journal.js';
import { principalFilter } from '../../engine/principal/shown-principal.js';
import { digestOf, itemsOf, type StateDigest } from '../../engine/snapshots/state-digest.js';
import type { ProductFolding } from '../../server/history/product-folding.js';
import { EventRedactions } from '../../server/journal/event-redactions.js';
import { type FoldedPart, foldJournal } from '../../server/journal/folded-journal.js';
import {
  type JournalMoment,
  offsetBehind,
  offsetFrom,
} from '../../server/journal/journal-moment.js';
import { selectedEvents, wholeJournal } from '../../server/journal/journal-selection.js';
import { DigestComparison } from './digest-comparison.js';
import { csvHeader, eventForm, type ShownAs } from './event-forms.js';
import { lifeOf } from './stream-life.js';

/** What to replay. */
export interface ReplayOptions {
  /** Up to this offset, exclusive, or time, inclusive. */
  readonly until?: JournalMoment;
  readonly since?: JournalMoment;
  readonly stream?: string;
  /** Types of events. */
  readonly type?: readonly string[];
  /** In the form that `principalFilter` takes. */
  readonly by?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly reveal?: boolean;
}

/** What a whole replay is compared with. */
export interface Comparison {
  /** Names the program that replays; digests of other programs are skipped. */
  readonly label: string;
  /** Called when something differs. */
  differs(): void;
  /**
   * Yields the lines of the comparison with the latest snapshot before an offset; returns whether
   * they differ.
   */
  withSnapshot(until: number): AsyncGenerator<string, boolean>;
}

/** One replay. */
export interface Replay {
  readonly journal: Journal;
  /** The memory that is rebuilt, empty at first. */
  readonly folding: ProductFolding;
  readonly options: ReplayOptions;
  readonly onProgress: (line: string) => void;
  readonly compare?: Comparison;
}

/** The lines; the last one of a whole replay is `digest <hex> at <offset>`. */
export function replayedLines(replay: Replay): AsyncGenerator<string> {
  const { stream, since, type, by } = replay.options;
  const isNarrow = [stream, since, type, by].some((given) => given !== undefined);
  return isNarrow ? eventLines(replay) : stateLines(replay);
}

/** The selected events, one line each; for a stream alone, also its final state. */
async function* eventLines({ journal, folding, options }: Replay): AsyncGenerator<string> {
  const { since, stream, type, by, json, csv } = options;
  const from = since === undefined ? journal.startOffset : await offsetFrom(journal, since);
  const until = await untilOf(journal, options);
  const redactions = options.reveal === true ? null : new EventRedactions(journal);
  const hiddenOf = async (envelope: EventEnvelope) => (await redactions?.of(envelope)) ?? null;
  const isAlone = [type, by, json, csv].every((given) => given === undefined);
  if (stream !== undefined && isAlone) {
    yield* lifeOf(journal, folding, { stream, from, until }, hiddenOf);
    return;
  }
  const shownAs: ShownAs = json === true ? 'json' : csv === true ? 'csv' : 'line';
  if (shownAs === 'csv') yield csvHeader;
  const events = selectedEvents(journal, {
    ...wholeJournal,
    from,
    until,
    stream: stream ?? null,
    types: type === undefined ? null : new Set(type),
    by: by === undefined ? null : principalFilter(by),
  });
  for await (const envelope of events) yield eventForm(envelope, await hiddenOf(envelope), shownAs);
}

async function untilOf(journal: Journal, { until }: ReplayOptions): Promise<number> {
  return until === undefined ? journal.highWatermark : offsetBehind(journal, until);
}

async function* stateLines(replay: Replay): AsyncGenerator<string> {
  const { journal, folding, options, compare } = replay;
  const until = await untilOf(journal, options);
  const { swept, sweptAt } = await lastSweep(journal);
  const digests = new DigestComparison(journal, folding, compare?.label ?? '');
  const { events, lastAt } = await folded(replay, { sweptAt, until }, digests);
  const digest = digestOf(itemsOf(folding.engine));
  const time = lastAt === null ? null : new Date(lastAt).toISOString();
  if (options.json === true) {
    const { hex, sections } = digest;
    yield JSON.stringify({ offset: until, time, events, sweptUntil: swept, digest: hex, sections });
    return;
  }
  if (options.csv === true) {
    yield* sectionLines(digest);
    return;
  }
  yield `${events} events${time === null ? '' : `, the last at ${time}`}`;
  if (until < swept) {
    yield `ended streams were swept up to ${swept}: those that ended after ${until} may be missing`;
  }
  for (const { section, items } of digest.sections) yield `${section}: ${items}`;
  if (compare !== undefined) {
    yield* digests.lines();
    let isOther = false;
    // As with the digests: memory that was dropped by the last sweep cannot be rebuilt.
    if (until > sweptAt) isOther = yield* compare.withSnapshot(until);
    else yield 'no snapshot to compare with: the snapshot knows what was swept since';
    if (digests.differs || isOther) compare.differs();
  }
  yield `digest ${digest.hex} at ${until}`;
}

/** Replays up to each digest in the journal and compares it, then replays the rest. */
async function folded(
  { journal, folding, onProgress }: Replay,
  { sweptAt, until }: { readonly sweptAt: number; readonly until: number },
  digests: DigestComparison,
): Promise<FoldedPart> {
  let events = 0;
  let lastAt: number | null = null;
  let from = journal.startOffset;
  const fold = async (end: number) => {
    const before = events;
    const progress = (count: number) => onProgress(`replayed ${before + count} events`);
    const part = await foldJournal(folding, journal, end, progress, from);
    events += part.events;
    lastAt = part.lastAt ?? lastAt;
    from = end;
  };
  // What had ended before the last sweep cannot be rebuilt, so only later digests are compared.
  for (const kept of await digests.kept(Math.max(sweptAt + 1, from), until)) {
    await fold(kept.until);
    await digests.compare(kept);
  }
  await fold(until);
  return { events, lastAt };
}

function* sectionLines({ sections }: StateDigest): Generator<string> {
  yield 'section,items,sum';
  for (const { section, items, sum } of sections) yield `${section},${items},${sum}`;
}

/**
 * For the last sweep whose records are missing here: where it ended, and the offset of its event; 0
 * and -1 if no such sweep is recorded.
 */
async function lastSweep(journal: Journal): Promise<{ swept: number; sweptAt: number }> {
  const newest = { ...wholeJournal, order: 'newest' as const };
  const stream = `${journalSweepKind}/${journalSweepsId}`;
  for await (const envelope of selectedEvents(journal, { ...newest, stream })) {
    const swept = sweptUntilBy(envelope);
    if (swept === null) continue;
    if (swept > journal.completeUntil) return { swept, sweptAt: envelope.offset };
    break;
  }
  return { swept: 0, sweptAt: -1 };
}
