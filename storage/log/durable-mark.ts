/** How far one log is durable: what its watermark says. */
import type { WatermarkKeeper } from '../manifest/watermark-keeper.js';
import type { Offset } from '../offsets/offset.js';
import type { FsyncMode } from './fsync-mode.js';

/** The store that keeps the watermark. */
export interface MarkingStore {
  readonly fsync: FsyncMode;
  readonly epoch: number;
  /** Null in a store that is only read. */
  readonly watermarks: WatermarkKeeper | null;
}

/** The log that it is about. */
export interface MarkedLog {
  readonly id: number;
  readonly logTag: number;
  /** All that is in it at first is durable. */
  readonly nextOffset: Offset;
}

export class DurableMark {
  private acknowledged: Offset;
  private durableOffset: Offset;

  constructor(
    private readonly store: MarkingStore,
    private readonly log: MarkedLog,
    private readonly writer: {
      readonly durablePlace: { readonly segment: number; readonly durablePosition: number };
    },
  ) {
    this.acknowledged = log.nextOffset;
    this.durableOffset = log.nextOffset;
  }

  /** Offsets below this are acknowledged. */
  committed(offset: Offset): void {
    this.acknowledged = offset;
    this.synced(this.store.fsync === 'strict' ? offset : this.durableOffset);
  }

  /** Offsets below this are on disk. */
  synced(offset: Offset): void {
    this.durableOffset = offset;
    const { store, log } = this;
    store.watermarks?.moved(log.id, () => ({
      epoch: store.epoch,
      durableOffset: this.durableOffset,
      acknowledged: this.acknowledged,
      logTag: log.logTag,
      ...this.writer.durablePlace,
    }));
  }
}
