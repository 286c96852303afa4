/** Writes the watermarks of logs that moved: soon after, all together, and synced once a second. */
import type { FsyncMode } from '../disk/fsync-mode.js';
import type { Timer } from '../disk/timer.js';
import type { Offset } from '../offsets/offset.js';
import type { DurablePlace, Watermark, WatermarkFile } from './watermark-file.js';

const writeDelayMs = 20;
const syncIntervalMs = 1000;

export class WatermarkKeeper {
  private readonly due = new Map<number, () => Watermark>();
  private cancel: (() => void) | null = null;
  private writing: Promise<void> = Promise.resolve();
  private syncedAt = 0;
  private stopped = false;

  constructor(
    private readonly file: WatermarkFile,
    private readonly after: Timer,
    private readonly now: () => number,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** A log's durable end has moved. One timer serves all logs, under load and at rest. */
  moved(logId: number, mark: () => Watermark): void {
    this.due.set(logId, mark);
    if (this.cancel !== null || this.stopped) return;
    this.cancel = this.after(writeDelayMs, () => {
      this.cancel = null;
      this.writing = this.writing.then(() => this.writeDue(false)).catch(this.failed);
    });
  }

  /** Writes what is due and syncs it: the clean stop. */
  async close(): Promise<void> {
    await this.stop();
    await this.writeDue(true);
    await this.file.close();
  }

  /** Writes nothing any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    this.cancel = null;
    await this.writing;
  }

  private async writeDue(sync: boolean): Promise<void> {
    const due = [...this.due];
    this.due.clear();
    for (const [logId, mark] of due) {
      const isWritten = await this.file.write(logId, mark());
      // It only ever adds proof: on a full disk it waits for the next one that is due.
      if (!isWritten && !this.due.has(logId)) this.due.set(logId, mark);
    }
    const now = this.now();
    if (!sync && now - this.syncedAt < syncIntervalMs) return;
    this.syncedAt = now;
    await this.file.sync();
  }
}

/** The store that keeps the watermarks. */
export interface MarkingStore {
  readonly fsync: FsyncMode;
  readonly epoch: number;
  /** Null in a store that is only read. */
  readonly watermarks: WatermarkKeeper | null;
}

/** The log that a mark is about. */
interface MarkedLog {
  readonly id: number;
  readonly logTag: number;
  /** All that is in it at first is durable. */
  readonly nextOffset: Offset;
}

/** How far one log is durable: what its watermark says. */
export class DurableMark {
  private acknowledged: Offset;
  private durableOffset: Offset;

  constructor(
    private readonly store: MarkingStore,
    private readonly log: MarkedLog,
    private readonly writer: { readonly durablePlace: DurablePlace; readonly isSynced: boolean },
  ) {
    this.acknowledged = log.nextOffset;
    this.durableOffset = log.nextOffset;
  }

  /** Offsets below this are acknowledged. */
  committed(offset: Offset): void {
    this.acknowledged = offset;
    const { fsync } = this.store;
    if (fsync !== 'strict') this.synced(this.durableOffset);
    // What was written ahead is certified by the log that it is in.
    else if (this.writer.isSynced) this.synced(offset);
  }

  /** Offsets below this are in the file of their segment, on disk. */
  synced(offset: Offset): void {
    this.durableOffset = Math.max(this.durableOffset, offset);
    this.store.watermarks?.moved(this.log.id, this.watermark);
  }

  private readonly watermark = (): Watermark => ({
    epoch: this.store.epoch,
    durableOffset: this.durableOffset,
    acknowledged: this.acknowledged,
    logTag: this.log.logTag,
    ...this.writer.durablePlace,
  });
}
