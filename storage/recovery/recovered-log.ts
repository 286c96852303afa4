/** What opening a log goes by and what it comes to. */
import type { ClosedLog, LogSettings, ManifestLog } from '../manifest/manifest.js';
import type { Watermark } from '../manifest/watermark-file.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';

/** What opening a log found, for the store's report. */
export interface LogReport {
  readonly name: string;
  readonly startOffset: number;
  readonly nextOffset: number;
  /** Bytes that were read to find the end of the log; 0 after a clean stop. */
  readonly scannedBytes: number;
  /** Bytes of the growing segment that were proven durable, and bytes that are intact. */
  readonly provenEnd: number;
  readonly intactEnd: number;
  /** Intact, unproven bytes: written again to a new segment before anybody sees them. */
  readonly rewrittenBytes: number;
  /** Offsets that were acknowledged in a lazy fsync mode and are gone; 0 in strict mode. */
  readonly lostOffsets: number;
}

/** A log ready to be opened. */
export interface RecoveredLog {
  readonly log: ManifestLog;
  readonly logTag: number;
  readonly segments: Segment[];
  readonly nextOffset: number;
  readonly lastTime: number;
  /** The segment to go on with, if there is one. */
  readonly growing: Segment | null;
  /** A segment that was made ahead and is still empty. */
  readonly prepared: Segment | null;
  /** Segments that are complete but not sealed yet. */
  readonly toSeal: readonly Segment[];
  readonly report: LogReport;
}

/** What stands beside the files of a log. */
export interface LogEvidence {
  readonly watermark: Watermark | null;
  /** The log's place in the clean marker; null after an unclean stop. */
  readonly closed: ClosedLog | null;
  readonly wasClean: boolean;
}

/** What a log is opened with: found by recovery, or nothing yet. */
export interface OpenedLog extends Omit<RecoveredLog, 'log' | 'report'> {
  readonly id: number;
  readonly name: string;
  readonly settings: LogSettings;
  readonly startOffset: Offset;
}
