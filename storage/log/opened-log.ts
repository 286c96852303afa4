/** The state of a log when this process opens it: found by recovery, or empty for a new log. */
import type { LogSettings } from '../manifest/manifest.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';

/** What a log is opened with: found by recovery, or empty for a new log. */
export interface OpenedLog {
  readonly id: number;
  readonly name: string;
  readonly logTag: number;
  readonly settings: LogSettings;
  readonly startOffset: Offset;
  readonly nextOffset: Offset;
  /** When its last batch was appended, Unix ms. */
  readonly lastTime: number;
  readonly segments: Segment[];
  /** The segment to continue writing, if there is one. */
  readonly growing: Segment | null;
  /** A segment that was created ahead of time and is still empty. */
  readonly prepared: Segment | null;
  /** Segments that are complete but not sealed yet. */
  readonly toSeal: readonly Segment[];
}
