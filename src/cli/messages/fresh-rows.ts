/** Which rows of a log that is read again and again, oldest first, were not shown before. */
import type { ApiObject } from '../connect/api-client.js';

/**
 * Made for one tail, which it lives as long as. Show it whole looks, each begun with `lookAgain`.
 */
export class FreshRows {
  /** The offset behind which the log was not shown yet, and where it was when this look began. */
  private shown = -1;
  private before = -1;
  /** Running attempts that were shown, by message: their end brings the same row with an offset. */
  private readonly running = new Map<unknown, unknown>();

  /** The log is read once more. */
  lookAgain(): void {
    this.before = this.shown;
  }

  /** Whether the row is shown now; it is not new the next time. */
  isNew(row: ApiObject): boolean {
    const { messageId, attempt, offset } = row;
    const wasRunning = attempt !== undefined && this.running.get(messageId) === attempt;
    if (offset === undefined) {
      // An attempt that runs is not in the journal yet, so that its row has no offset.
      this.running.set(messageId, attempt);
      return !wasRunning;
    }
    // An event of the journal may be several rows.
    if (Number(offset) <= this.before) return false;
    this.shown = Math.max(this.shown, Number(offset));
    this.running.delete(messageId);
    return row['state'] !== 'ACTIVE' || !wasRunning;
  }
}
