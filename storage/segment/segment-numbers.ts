/** The numbers of one log's segments: rising, and none twice, for appends and compactions alike. */
import type { ManifestState } from '../manifest/manifest.js';

/**
 * One for each open log, shared by all that make segments of it. A number that was taken and not
 * used is left out for good; numbers have no other meaning than to be apart.
 */
export class SegmentNumbers {
  private next: number;

  constructor(manifest: ManifestState, logId: number) {
    this.next = manifest.logs.find(({ id }) => id === logId)?.nextNumber ?? 0;
  }

  /** A number that no other segment of the log has. */
  take(): number {
    this.next += 1;
    return this.next - 1;
  }
}
