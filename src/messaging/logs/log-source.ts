/**
 * What logs are made of: the journal, the messages in it, and what is in flight now. Attempts
 * that were in flight when a listing began, and have ended since, are still rows of it.
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

/** An attempt in flight: what the journal does not know yet. */
export interface RunningAttempt {
  readonly messageId: string;
  /** From 0. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Journal offset of the message's `MessagePublished`. */
  readonly publishedOffset: number;
}

/** What logs are made of. */
export interface LogSource {
  readonly journal: JournalReader;
  readonly messages: LoggedMessages;
  /** What a read finds now, once it is durable. */
  readonly shown: Engine['shown'];
  /** The attempts in flight now. */
  readonly running: () => readonly RunningAttempt[];
  readonly clock: Clock;
  /** Rows older than this are not shown, milliseconds. */
  readonly retentionMs: number;
  /** The longest an attempt takes, milliseconds. */
  readonly attemptMsMax: number;
  /** What one page may cost. */
  readonly budget: WalkBudget;
}

/** The same, as far as it can be read; what cannot is noted. */
export function aroundDamage(source: LogSource, damage: DamageNotes): LogSource {
  const journal = new JournalAroundDamage(source.journal, damage);
  return { ...source, journal, messages: { ...source.messages, journal } };
}

/** An attempt that was in flight when the listing began. */
export interface AttemptEndedSince {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Journal offset of the event that records it. */
  readonly endOffset: number;
}

/** An attempt by the place of its row: that stays when the attempt ends. */
type Started = Pick<RunningAttempt, 'startedAt' | 'messageId'>;

/** Where a page that ended among attempts goes on. */
type AmongAttempts = Extract<LogCursor, { readonly at: 'running' }>;

/** What of a listing says which events record an attempt. */
interface AttemptListing {
  readonly terms: JournalQuery['terms'];
  entriesOf(envelope: EventEnvelope): readonly LogEntry<string>[];
}

/**
 * So many events are looked at for attempts that have ended since the listing began. A client that
 * comes back later finds what is in flight, and what the journal had at its first page.
 */
const looksMax = 10_000;

/** `attempts` behind the cursor, in the order of their rows: by start, then by id. */
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

/** Those behind the cursor that have ended since the listing began; `end` is the journal's. */
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
    if (looks >= looksMax) break;
  }
  return ended;
}

function isBehind(attempt: Started, cursor: AmongAttempts, isBackwards: boolean): boolean {
  const distance = inOrder(attempt, cursor);
  return isBackwards ? distance < 0 : distance > 0;
}

/** By start, then by id: an order that stays while attempts come and go. */
function inOrder(one: Started, other: Started): number {
  if (one.startedAt !== other.startedAt) return one.startedAt - other.startedAt;
  if (one.messageId === other.messageId) return 0;
  return one.messageId < other.messageId ? -1 : 1;
}
