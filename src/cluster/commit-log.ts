/**
 * The port to a log that several nodes share: where a batch becomes durable beyond one machine
 * (ADR 63). An implementation keeps entries in one order that every reader sees; it need not fence.
 */

/** An entry as the log holds it. */
export interface SharedLogEntry {
  /** Its place: 0 for the first entry ever, then one more for each, without gaps. */
  readonly place: number;
  /**
   * When the log took the entry, in Unix milliseconds of the log's own clock; never falling. Null
   * if the log does not say: then the entry shows nothing of that clock.
   */
  readonly at: number | null;
  readonly bytes: Buffer;
}

/** How one append has ended, as far as the writer knows. */
export type AppendOutcome =
  /** It is durable at `place`, which need not be the expected one. */
  | { readonly kind: 'stored'; readonly place: number; readonly at: number | null }
  /** It may be in the log, now or later; once, twice or not at all. */
  | { readonly kind: 'unknown' }
  /** It is not in the log: the log compares places, and its end was another one. */
  | { readonly kind: 'refused' };

/** What a read has found. */
export interface ReadEntries {
  /** The first place that is still kept. */
  readonly start: number;
  /** The place that the next entry will have. */
  readonly end: number;
  /** From the place that was asked for on, or from `start` where that is later; may be fewer. */
  readonly entries: readonly SharedLogEntry[];
  /**
   * What the clock that entries have their `at` from said while this was read; a log whose clock
   * cannot be asked leaves it out.
   */
  readonly now?: number;
}

/** A log that nodes share. Every call may fail by an exception: then nothing is known. */
export interface CommitLog {
  /**
   * Appends an entry. A log that compares places refuses unless its end is `expected`. The bytes
   * are lent: they may change once the outcome is reported, or the next append has begun.
   */
  append(expected: number, bytes: Buffer): Promise<AppendOutcome>;
  /**
   * Reads from a place on; may wait a while where there is nothing yet. Where the log begins behind
   * that place, `start` says so, and there may be no entries. What it shows is as durable
   * as what `append` calls stored: an entry of unknown outcome that is read counts.
   */
  read(from: number): Promise<ReadEntries>;
  /** The place that the next entry will have. */
  end(): Promise<number>;
  /** Lets entries before a place go; places stay as they are. */
  trim(before: number): Promise<void>;
  close(): Promise<void>;
}
