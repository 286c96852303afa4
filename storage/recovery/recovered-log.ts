/** What is needed to open a log, and the result. */
import type { OpenedLog } from '../log/opened-log.js';
import type { ClosedLog, ManifestLog } from '../manifest/manifest.js';
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import type { Watermark } from '../manifest/watermarks.js';
import type { IsolatingStore } from '../segment/segment-damage.js';
import type { RestartedStore } from './rewrite-tail.js';

/** What opening a log found, for the store's report. */
export interface LogReport {
  readonly name: string;
  readonly startOffset: number;
  readonly nextOffset: number;
  /** How many bytes were read to find the end of the log; 0 after a clean stop. */
  readonly scannedBytes: number;
  /** Bytes of the growing segment that were proven durable; `intactEnd`: bytes that are intact. */
  readonly provenEnd: number;
  readonly intactEnd: number;
  /** Intact, unproven bytes: written again to a new segment before a reader sees them. */
  readonly rewrittenBytes: number;
  /** Offsets that were acknowledged in a lazy fsync mode and are lost; 0 in strict mode. */
  readonly lostOffsets: number;
}

/** A log ready to be opened. */
export interface RecoveredLog extends Omit<OpenedLog, 'id' | 'name' | 'settings' | 'startOffset'> {
  readonly log: ManifestLog;
  readonly report: LogReport;
}

/** The store whose logs are opened. */
export interface RecoveringStore extends RestartedStore, IsolatingStore {
  readonly manifest: ManifestKeeper;
  readonly readOnly: boolean;
}

/** Evidence about a log beside its own files. */
export interface LogEvidence {
  readonly watermark: Watermark | null;
  /** The log's entry in the clean marker; null after an unclean stop. */
  readonly closed: ClosedLog | null;
  readonly wasClean: boolean;
}

/** What opening a store found. */
export interface StoreReport {
  readonly epoch: number;
  /** Whether the last process closed the store. */
  readonly wasClean: boolean;
  readonly logs: readonly LogReport[];
}
