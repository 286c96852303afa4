/** Offsets that a log may give out in the lazy modes: none that a crash would take is reused. */
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import type { Offset } from '../offsets/offset.js';

/** The store that offsets are leased from. */
export interface LeasingStore {
  /** Offsets leased at a time. */
  readonly leaseOffsets: number;
  readonly manifest: ManifestKeeper;
}

/** No offset is acknowledged that is not below the ceiling on disk: none is given out twice. */
export class OffsetLease {
  private ceiling: Offset = 0;
  private raising: Promise<void> | null = null;

  constructor(
    private readonly store: LeasingStore,
    private readonly logId: number,
  ) {}

  /** Settles once all offsets below `nextOffset` are leased; the next ones are asked for ahead. */
  async upTo(nextOffset: Offset): Promise<void> {
    const { leaseOffsets } = this.store;
    for (;;) {
      if (this.raising === null && nextOffset + leaseOffsets / 2 > this.ceiling) {
        this.raising = this.raiseTo(nextOffset + leaseOffsets);
        this.raising.catch(() => undefined);
      }
      if (nextOffset <= this.ceiling) return;
      await this.raising;
    }
  }

  private async raiseTo(ceiling: Offset): Promise<void> {
    try {
      await this.store.manifest.edit({ type: 'ceilingRaised', id: this.logId, ceiling });
      this.ceiling = ceiling;
    } finally {
      this.raising = null;
    }
  }
}
