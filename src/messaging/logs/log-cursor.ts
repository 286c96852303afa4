/** Where a page of the logs ended, as text that clients carry back (messaging.md 9). Pure. */
import { ok, type Result, refused } from '../../grammar/result.js';
import { entryPlaceMax } from './log-entry.js';

/** The last row that was shown or looked at: the next page begins behind it. */
export type LogCursor =
  | {
      readonly at: 'journal';
      readonly offset: number;
      /** The row's place among those of the event at `offset`, oldest first. */
      readonly place: number;
    }
  | {
      /** A row of an attempt that is still running, which the journal does not know yet. */
      readonly at: 'running';
      readonly startedAt: number;
      readonly messageId: string;
      /** The end of the journal when the running ones were listed first. */
      readonly journalEnd: number;
    };

const inJournal = new RegExp(`^(\\d{1,15})-([0-${entryPlaceMax}])$`);
const amongRunning = /^(\d{1,15})-(\d{1,15})-([A-Za-z0-9._-]{1,256})$/;

export function formatCursor(cursor: LogCursor): string {
  return cursor.at === 'journal'
    ? `${cursor.offset}-${cursor.place}`
    : `${cursor.journalEnd}-${cursor.startedAt}-${cursor.messageId}`;
}

export function parseCursor(text: string): Result<LogCursor> {
  const row = inJournal.exec(text);
  if (row !== null) {
    return ok({ at: 'journal', offset: Number(row[1]), place: Number(row[2]) });
  }
  const running = amongRunning.exec(text);
  if (running === null) return refused('is no cursor of this listing');
  return ok({
    at: 'running',
    journalEnd: Number(running[1]),
    startedAt: Number(running[2]),
    messageId: running[3] ?? '',
  });
}
