/**
 * Determines which rows of a log were not shown before; the log is read repeatedly, oldest row
 * first.
 */
import type { ApiObject } from '../connect/api-client.js';

/**
 * Created for one tail and used until it ends. `readAgain` begins each read of the log; if a read
 * is cut off, the next one continues it.
 */
export class FreshRows {
  /** The offset up to which the log was shown, now and at the start of this read. */
  private shown = -1;
  private before = -1;
  /**
   * One event may have several rows: those shown of the event at that offset, now and at the start
   * of this read.
   */
  private readonly rowsShown = new Set<string>();
  private rowsBefore: ReadonlySet<string> = new Set();
  /**
   * Running attempts that were shown, by message: when an attempt ends, the same row comes again
   * with an offset.
   */
  private readonly running = new Map<unknown, unknown>();

  /** Called before the log is read once more. */
  readAgain(): void {
    this.before = this.shown;
    this.rowsBefore = new Set(this.rowsShown);
  }

  /** Whether to show the row; the same row is not new the next time. */
  isNew(row: ApiObject): boolean {
    const { messageId, attempt, offset } = row;
    const wasRunning = attempt !== undefined && this.running.get(messageId) === attempt;
    if (offset === undefined) {
      // A running attempt is not in the journal yet, so its row has no offset.
      this.running.set(messageId, attempt);
      return !wasRunning;
    }
    const at = Number(offset);
    const name = `${messageId} ${row['state']}`;
    if (at < this.before || (at === this.before && this.rowsBefore.has(name))) return false;
    if (at > this.shown) this.rowsShown.clear();
    this.shown = Math.max(this.shown, at);
    if (at === this.shown) this.rowsShown.add(name);
    this.running.delete(messageId);
    return row['state'] !== 'ACTIVE' || !wasRunning;
  }
}
