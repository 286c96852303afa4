/**
 * The port to a log that several nodes share: where a batch becomes durable beyond one machine
 * (ADR 63). An implementation keeps entries in one order that every reader sees; it need not fence.
 */

/** An entry as the log holds it. */
export interface SharedLogEntry {
  /** The position in the log: 0 for the first entry ever, then 1, 2 and so on without gaps. */
  readonly place: number;
  /**
   * When the log took the entry, in Unix milliseconds of the log's own clock; never falling. Null
   * if the log does not say: then the entry shows nothing of that clock.
   */
  readonly at: number | null;
  readonly bytes: Buffer;
}

/** The outcome of one append, as far as the writer knows. */
export type AppendOutcome =
  /** It is durable at `place`, which need not be the expected one. */
  | { readonly kind: 'stored'; readonly place: number; readonly at: number | null }
  /** It may be in the log, now or later; once, twice or not at all. */
  | { readonly kind: 'unknown' }
  /**
   * The entry is not in the log: this log compares places, and its end was not the expected one.
   */
  | { readonly kind: 'refused' };

/** The result of a read. */
export interface ReadEntries {
  /** The first place that is still kept. */
  readonly start: number;
  /** The place that the next entry will have. */
  readonly end: number;
  /**
   * Entries from the requested place, or from `start` if that is later; possibly not all of them.
   */
  readonly entries: readonly SharedLogEntry[];
  /**
   * The time of the clock that sets `at`, taken during this read; absent if the log's clock cannot
   * be queried.
   */
  readonly now?: number;
}

/**
 * A log that nodes share. Every call may reject; then the caller knows nothing about its effect.
 */
export interface CommitLog {
  /**
   * Appends an entry. A log that compares places refuses unless its end is `expected`. The log only
   * borrows `bytes`: they may change once the outcome is reported or the next append begins.
   */
  append(expected: number, bytes: Buffer): Promise<AppendOutcome>;
  /**
   * Reads from a place onward; may wait a while if there is nothing yet. If the log now begins
   * after that place, `start` says so, and there may be no entries. What a read returns is as
   * durable as what `append` reports as stored: an entry of unknown outcome counts once it is read.
   */
  read(from: number): Promise<ReadEntries>;
  /** The place that the next entry will have. */
  end(): Promise<number>;
  /**
   * Allows the log to delete the entries before a place; the places of the others do not change.
   */
  trim(before: number): Promise<void>;
  close(): Promise<void>;
}
