/** Which rows of a log that is read again and again, oldest first, were not shown before. */
import type { ApiObject } from '../connect/api-client.js';

/**
 * Made for one tail, which it lives as long as. Each look is begun with `lookAgain`; one that was
 * cut is gone on with by the next.
 */
export class FreshRows {
  /** The offset behind which the log was not shown yet, and where it was when this look began. */
  private shown = -1;
  private before = -1;
  /** Of the event there, which may be several rows: those that were shown, now and by then. */
  private readonly rowsShown = new Set<string>();
  private rowsBefore: ReadonlySet<string> = new Set();
  /** Running attempts that were shown, by message: their end brings the same row with an offset. */
  private readonly running = new Map<unknown, unknown>();

  /** The log is read once more. */
  lookAgain(): void {
    this.before = this.shown;
    this.rowsBefore = new Set(this.rowsShown);
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
