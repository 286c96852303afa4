/** Leases the offsets that a log assigns in the lazy modes: no offset lost in a crash is reused. */
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import type { Offset } from '../offsets/offset.js';

/** The store from which offsets are leased. */
export interface LeasingStore {
  /** Offsets leased at a time. */
  readonly leaseOffsets: number;
  readonly manifest: ManifestKeeper;
}

/** Every acknowledged offset is below the ceiling on disk, so none is assigned twice. */
export class OffsetLease {
  private ceiling: Offset = 0;
  private raising: Promise<void> | null = null;

  constructor(
    private readonly store: LeasingStore,
    private readonly logId: number,
  ) {}

  /** Settles once all offsets below `nextOffset` are leased; leases the next ones in advance. */
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
