/**
 * The state of a stream as an event: what a stream that lives for years has now and then, so that a
 * sweep may remove what led to it (ADR 36). Replay may begin a stream with it.
 */

/** What the stream is at this place, and what the indexes of its kind remember of it. */
export interface Checkpointed {
  readonly type: 'Checkpointed';
  /** Where the first event of the stream stands, or stood. */
  readonly began: number;
  /** Plain values, as the kind stores its states (`Decider.stored`). */
  readonly state: unknown;
  /** The entries under the id of the stream, by the names of the indexes and of their maps. */
  readonly entries: readonly CheckpointedEntry[];
}

/** One entry of one map of an index. */
export interface CheckpointedEntry {
  readonly index: string;
  readonly map: string;
  readonly value: unknown;
}

/** Streams whose kind asks for it have a checkpoint after so many events. */
export const eventsPerCheckpoint = 1024;

export function isCheckpoint(event: { readonly type: string }): event is Checkpointed {
  return event.type === 'Checkpointed';
}
