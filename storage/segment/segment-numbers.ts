/** The numbers of one log's segments: rising, each used once, by appends and compactions alike. */
import type { ManifestState } from '../manifest/manifest.js';

/**
 * One per open log, shared by everything that creates segments of it. A number that was taken but
 * not used is never used; numbers only have to be distinct.
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
