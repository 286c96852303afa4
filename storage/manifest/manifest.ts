/** Which logs and segments are live in a data folder, and from which offset. A pure fold. */
import type { SegmentEnd, SegmentLink } from '../format/segment-format.js';
import type { Offset } from '../offsets/offset.js';

/** The settings with which a log was created. */
export interface LogSettings {
  /** The next segment is filled with zeros first, so that appending to it changes no file size. */
  readonly preparesNextSegment?: boolean;
}

/** A live segment. `end` is null while it grows; `digest` (hex) is set once it is sealed. */
export interface ManifestSegment {
  readonly number: number;
  readonly end: SegmentEnd | null;
  readonly digest: string | null;
  /** If it replaces others: what the header of the next segment says of the last of those. */
  readonly link?: SegmentLink;
}

/**
 * A live log. Its segments are in offset order; numbers are never reused, and rise except for
 * segments that replace others.
 */
export interface ManifestLog {
  readonly id: number;
  readonly name: string;
  readonly settings: LogSettings;
  readonly startOffset: Offset;
  /** In the lazy fsync modes: no offset at or above this was ever assigned. */
  readonly ceiling: Offset;
  readonly nextNumber: number;
  readonly segments: readonly ManifestSegment[];
  /** Below this, offsets were compacted: each key occurs at most once. Absent: none were. */
  readonly compactedUntil?: Offset;
}

/** Where a log ended when the store was closed: `end` of its growing segment `number`. */
export interface ClosedLog {
  readonly id: number;
  readonly number: number;
  readonly end: SegmentEnd;
}

/** The whole state of the manifest. */
export interface ManifestState {
  /** Rises by one at every start. */
  readonly epoch: number;
  readonly nextLogId: number;
  readonly logs: readonly ManifestLog[];
  /** Dropped logs whose files may still exist and must be removed. */
  readonly dropped: readonly number[];
  /** The clean marker: set by a clean stop; the next start removes it before it reads anything. */
  readonly closed: readonly ClosedLog[] | null;
  /**
   * The id (hex) of the write-ahead log that counts: a program that does not know of it must not
   * open the store. Absent or null: none counts.
   */
  readonly writesAhead?: string | null;
}

/** A change, durable before it takes effect. */
export type ManifestEdit =
  | { readonly type: 'state'; readonly state: ManifestState }
  | {
      readonly type: 'logCreated';
      readonly id: number;
      readonly name: string;
      readonly settings: LogSettings;
    }
  | { readonly type: 'logDropped'; readonly id: number }
  | { readonly type: 'segmentAdded'; readonly id: number; readonly number: number }
  | {
      readonly type: 'segmentSealed';
      readonly id: number;
      readonly number: number;
      readonly end: SegmentEnd;
      readonly digest: string;
    }
  | {
      readonly type: 'recovered';
      readonly id: number;
      readonly segments: readonly ManifestSegment[];
    }
  | { readonly type: 'numbersReserved'; readonly id: number; readonly nextNumber: number }
  | {
      readonly type: 'segmentsReplaced';
      readonly id: number;
      /** The numbers of neighbours, in order. */
      readonly replaced: readonly number[];
      readonly by: ManifestSegment;
    }
  | { readonly type: 'compacted'; readonly id: number; readonly until: Offset }
  | { readonly type: 'trimmed'; readonly id: number; readonly startOffset: Offset }
  | { readonly type: 'ceilingRaised'; readonly id: number; readonly ceiling: Offset }
  | { readonly type: 'closed'; readonly logs: readonly ClosedLog[] };

/** A store without logs. */
export const emptyManifest: ManifestState = {
  epoch: 0,
  nextLogId: 0,
  logs: [],
  dropped: [],
  closed: null,
};

/** The state after an edit. */
export function applyEdit(state: ManifestState, edit: ManifestEdit): ManifestState {
  switch (edit.type) {
    case 'state':
      return edit.state;
    case 'closed':
      return { ...state, closed: edit.logs };
    case 'logCreated':
      return {
        ...state,
        nextLogId: edit.id + 1,
        logs: [...state.logs, newLog(edit.id, edit.name, edit.settings)],
      };
    case 'logDropped':
      return {
        ...state,
        logs: state.logs.filter(({ id }) => id !== edit.id),
        dropped: [...state.dropped, edit.id],
      };
    default:
      return {
        ...state,
        logs: state.logs.map((log) => (log.id === edit.id ? changedLog(log, edit) : log)),
      };
  }
}

function newLog(id: number, name: string, settings: LogSettings): ManifestLog {
  return { id, name, settings, startOffset: 0, ceiling: 0, nextNumber: 0, segments: [] };
}

/** Whether an ended segment lies completely below `offset`. */
function endsBy(offset: Offset, end: SegmentEnd | null): boolean {
  return end !== null && end.nextOffset <= offset;
}

type LogEdit = Exclude<
  ManifestEdit,
  { readonly type: 'state' | 'closed' | 'logCreated' | 'logDropped' }
>;

function changedLog(log: ManifestLog, edit: LogEdit): ManifestLog {
  switch (edit.type) {
    case 'segmentAdded': {
      const added = { number: edit.number, end: null, digest: null };
      const nextNumber = Math.max(log.nextNumber, edit.number + 1);
      return { ...log, nextNumber, segments: [...log.segments, added] };
    }
    case 'segmentSealed': {
      const { number, end, digest } = edit;
      const sealed = { number, end, digest };
      return { ...log, segments: log.segments.map((s) => (s.number === number ? sealed : s)) };
    }
    case 'recovered': {
      const last = edit.segments.at(-1)?.number ?? -1;
      return {
        ...log,
        segments: edit.segments,
        nextNumber: Math.max(log.nextNumber, last + 1),
      };
    }
    case 'numbersReserved':
      return { ...log, nextNumber: Math.max(log.nextNumber, edit.nextNumber) };
    case 'segmentsReplaced': {
      const first = log.segments.findIndex(({ number }) => number === edit.replaced[0]);
      const segments = log.segments.toSpliced(first, edit.replaced.length, edit.by);
      return { ...log, segments };
    }
    case 'compacted':
      return { ...log, compactedUntil: edit.until };
    case 'trimmed':
      return {
        ...log,
        startOffset: edit.startOffset,
        segments: log.segments.filter(({ end }) => !endsBy(edit.startOffset, end)),
      };
    case 'ceilingRaised':
      return { ...log, ceiling: edit.ceiling };
  }
}
