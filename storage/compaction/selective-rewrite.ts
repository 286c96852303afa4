/** Rewrites neighbours with some of their records: the common part of compactions and sweeps. */
import { batchHeaderLength } from '../format/record-batch.js';
import { segmentHeaderLength } from '../format/segment-format.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';
import { type GroupRewrite, isDamaged, spansOne } from './group-rewrite.js';
import { KeptPart, type RecordFilter } from './kept-part.js';
import { Fingerprint, type Remains } from './remains.js';

/** The limit for the notes of one group in memory; a group ends before it would exceed it. */
const notedBytesMax = 16 * 1024 * 1024;

/**
 * Replaces segments, the oldest first, without the records that a decision does not keep. If one
 * segment can hold what neighbours keep, they become one: so a segment that keeps nothing vanishes
 * into its neighbours. A segment that loses nothing and joins no other is not written.
 */
export class SelectiveRewrite {
  keptRecords = 0;
  removedRecords = 0;
  /** By how many bytes the log is shorter, headers and batches included. */
  removedBytes = 0;
  /** Everything below this is as decided. */
  until: Offset = 0;

  /** `settled` is awaited before each replacement, once all of its records are decided. */
  constructor(
    private readonly rewrite: GroupRewrite,
    private readonly segmentBytes: number,
    private readonly settled: () => Promise<void>,
  ) {}

  /** Decides once for each record, in order. A damaged segment stays as it is, in no group. */
  async run(segments: readonly Segment[], isKept: RecordFilter): Promise<void> {
    let group = new KeptGroup();
    for (const segment of segments) {
      const part = isDamaged(segment) ? null : await this.decide(segment, isKept);
      if (part === null || !group.canTake(part, this.segmentBytes)) {
        await this.replace(group);
        group = new KeptGroup();
      }
      if (part !== null) group.add(part);
    }
    await this.replace(group);
  }

  private async decide(segment: Segment, isKept: RecordFilter): Promise<KeptPart> {
    const part = new KeptPart(segment);
    await this.rewrite.read([segment], part.decide(isKept));
    return part;
  }

  private async replace(group: KeptGroup): Promise<void> {
    const { parts } = group;
    const segments = parts.map(({ segment }) => segment);
    if (parts.length > 1 || parts.some(({ isWhole }) => !isWhole)) {
      await this.settled();
      this.removedBytes += await this.rewrite.replace(segments, group.fingerprint, (take) =>
        this.readRemains(parts, take),
      );
    }
    for (const { segment, recordCount } of parts) {
      this.keptRecords += recordCount;
      this.removedRecords += segment.recordCount - recordCount;
      this.until = segment.nextOffset;
    }
  }

  /** What a group keeps, and its last batch even if empty, so that the log ends where it did. */
  private async readRemains(
    parts: readonly KeptPart[],
    take: (remains: Remains) => Promise<void>,
  ): Promise<void> {
    const end = parts.at(-1)?.segment.nextOffset;
    for (const part of parts) {
      if (part.recordCount === 0 && part.segment.nextOffset !== end) continue;
      const remainsOf = part.remains();
      await this.rewrite.read([part.segment], (batch) => {
        const remains = remainsOf(batch);
        if (remains.content.recordCount > 0 || batch.header.nextOffset === end)
          return take(remains);
      });
    }
  }
}

/** Neighbours whose kept records fit into one segment. */
class KeptGroup {
  readonly parts: KeptPart[] = [];
  private byteLength = segmentHeaderLength + batchHeaderLength;
  private notedBytes = 0;

  canTake(part: KeptPart, segmentBytes: number): boolean {
    const [first] = this.parts;
    if (first === undefined) return true;
    const isSmall = this.byteLength + part.byteLength <= segmentBytes;
    const isNoted = this.notedBytes + part.notedBytes <= notedBytesMax;
    return isSmall && isNoted && spansOne(first.segment, part.segment);
  }

  add(part: KeptPart): void {
    this.parts.push(part);
    this.byteLength += part.byteLength;
    this.notedBytes += part.notedBytes;
  }

  /** The fingerprint of everything that the group keeps. */
  get fingerprint(): Fingerprint {
    const fingerprint = new Fingerprint();
    for (const { checksums } of this.parts) {
      for (const checksum of checksums) fingerprint.add(checksum);
    }
    const emptyEnd = this.parts.at(-1)?.emptyEnd ?? null;
    if (emptyEnd !== null) fingerprint.add(emptyEnd);
    return fingerprint;
  }
}
