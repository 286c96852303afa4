/**
 * The sources of logs: the journal, its messages, and attempts in flight now. Attempts that were in
 * flight when a listing began, and have ended since, are still rows of it.
 */
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { JournalQuery } from '../../engine/journal.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import {
  JournalAroundDamage,
  type JournalReader,
} from '../../engine/reading/journal-around-damage.js';
import type { LogCursor } from './log-cursor.js';
import type { LogEntry } from './log-entry.js';
import type { LoggedMessages } from './published-messages.js';
import type { WalkBudget } from './walk-cost.js';

/** An attempt in flight, which is not in the journal yet. */
export interface RunningAttempt {
  readonly messageId: string;
  /** From 0. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Journal offset of the message's `MessagePublished`. */
  readonly publishedOffset: number;
}

/** The sources of logs, and the limits of reading them. */
export interface LogSource {
  readonly journal: JournalReader;
  readonly messages: LoggedMessages;
  /** Returns what a read finds now, once that is durable. */
  readonly shown: Engine['shown'];
  /** The attempts in flight now. */
  readonly running: () => readonly RunningAttempt[];
  readonly clock: Clock;
  /** Rows older than this, in milliseconds, are not shown. */
  readonly retentionMs: number;
  /** The longest time an attempt takes, milliseconds. */
  readonly attemptMsMax: number;
  /** The budget of one page. */
  readonly budget: WalkBudget;
}

/** The same source, skipping whatever is damaged, which is noted. */
export function aroundDamage(source: LogSource, damage: DamageNotes): LogSource {
  const journal = new JournalAroundDamage(source.journal, damage);
  return { ...source, journal, messages: { ...source.messages, journal } };
}

/** An attempt that was in flight when the listing began and has ended since. */
export interface AttemptEndedSince {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Journal offset of the event that records it. */
  readonly endOffset: number;
}

/** Identifies the row of an attempt: this does not change when the attempt ends. */
type Started = Pick<RunningAttempt, 'startedAt' | 'messageId'>;

/** The cursor of a page that ended among attempts in flight. */
type AmongAttempts = Extract<LogCursor, { readonly at: 'running' }>;

/** The part of a listing that decides which events record an attempt. */
interface AttemptListing {
  readonly terms: JournalQuery['terms'];
  entriesOf(envelope: EventEnvelope): readonly LogEntry<string>[];
}

/**
 * How many events are searched for attempts that have ended since the listing began. A client that
 * returns later than that finds what is in flight, and what was in the journal at its first page.
 */
const examinedMax = 10_000;

/** The `attempts` after the cursor, in the order of their rows: by start, then by id. */
export function inRowOrder<Attempt extends Started>(
  attempts: readonly Attempt[],
  cursor: AmongAttempts | null,
  isBackwards: boolean,
): Attempt[] {
  const sorted = [...attempts].sort((one, other) =>
    isBackwards ? inOrder(other, one) : inOrder(one, other),
  );
  return cursor === null
    ? sorted
    : sorted.filter((attempt) => isBehind(attempt, cursor, isBackwards));
}

/** Attempts after the cursor that ended since the listing began; `end` is that of the journal. */
export async function endedSince(
  { journal, end }: { readonly journal: JournalReader; readonly end: number },
  listing: AttemptListing,
  cursor: AmongAttempts,
  isBackwards: boolean,
): Promise<AttemptEndedSince[]> {
  const from = Math.max(cursor.journalEnd, journal.startOffset);
  if (from >= end) return [];
  const ended: AttemptEndedSince[] = [];
  let looks = 0;
  const { terms } = listing;
  for await (const envelope of journal.query({ terms, from, until: end, order: 'oldest' })) {
    const { id: messageId, offset: endOffset } = envelope;
    const began = listing.entriesOf(envelope).find(({ state }) => state === 'ACTIVE');
    const attempt = began && { messageId, startedAt: began.time, endOffset };
    if (attempt !== undefined && isBehind(attempt, cursor, isBackwards)) ended.push(attempt);
    looks += 1;
    if (looks >= examinedMax) break;
  }
  return ended;
}

function isBehind(attempt: Started, cursor: AmongAttempts, isBackwards: boolean): boolean {
  const distance = inOrder(attempt, cursor);
  return isBackwards ? distance < 0 : distance > 0;
}

/** Orders by start, then by id: an order that is stable while attempts come and go. */
function inOrder(one: Started, other: Started): number {
  if (one.startedAt !== other.startedAt) return one.startedAt - other.startedAt;
  if (one.messageId === other.messageId) return 0;
  return one.messageId < other.messageId ? -1 : 1;
}
