/** The moment of the past that a server of an answer to `?asOf=` shows (ADR 47). */

/** A moment of the journal. */
export interface PastMoment {
  /** What happened before it lies below this offset. */
  readonly until: number;
  /** What the clock says, Unix milliseconds. */
  readonly at: number;
}

/** How a server shows one moment: its journal ends there, and what only memory held is unknown. */
export interface PastView extends PastMoment {
  /** Called again and again while it folds; what it throws ends that. */
  goOn(): void;
}
