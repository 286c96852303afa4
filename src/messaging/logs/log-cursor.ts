/** Where a page of the logs ended, as text that clients send back (messaging.md 9). Pure. */
import type { Result } from '../../grammar/result.js';
import { cursorAt, readCursor } from '../../http/cursor.js';
import { entryPlaceMax } from './log-entry.js';

/** The last row that was shown or examined: the next page begins after it. */
export type LogCursor =
  | {
      readonly at: 'journal';
      readonly offset: number;
      /** Index of the row among those of the event at `offset`, oldest first. */
      readonly place: number;
    }
  | {
      /** A row of an attempt in flight, which is not in the journal yet. */
      readonly at: 'running';
      readonly startedAt: number;
      readonly messageId: string;
      /** The end of the journal when attempts in flight were first listed. */
      readonly journalEnd: number;
    };

const inJournal = new RegExp(`^(\\d{1,15})-([0-${entryPlaceMax}])$`);
const amongRunning = /^(\d{1,15})-(\d{1,15})-([A-Za-z0-9._-]{1,256})$/;

/** Formats a cursor as text, which is opaque to clients (ADR 93). */
export function formatCursor(cursor: LogCursor): string {
  return cursorAt(
    cursor.at === 'journal'
      ? `${cursor.offset}-${cursor.place}`
      : `${cursor.journalEnd}-${cursor.startedAt}-${cursor.messageId}`,
  );
}

/** Parses a cursor; refused unless this server made it for a listing of logs. */
export function parseCursor(text: string): Result<LogCursor> {
  return readCursor(text, parsePlace);
}

/** Parses a position; null = it is none of a listing of logs. */
export function parsePlace(place: string): LogCursor | null {
  const row = inJournal.exec(place);
  if (row !== null) return { at: 'journal', offset: Number(row[1]), place: Number(row[2]) };
  const running = amongRunning.exec(place);
  if (running === null) return null;
  const [, journalEnd, startedAt, messageId = ''] = running;
  return {
    at: 'running',
    journalEnd: Number(journalEnd),
    startedAt: Number(startedAt),
    messageId,
  };
}
