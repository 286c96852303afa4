/** The past moment that a server shows to answer `?asOf=` (ADR 47). */

/** A moment of the journal. */
export interface PastMoment {
  /** Events before the moment lie below this offset. */
  readonly until: number;
  /** The time of the server's clock, Unix milliseconds. */
  readonly at: number;
}

/** How a server shows one moment: its journal ends there; what only memory held is unknown. */
export interface PastView extends PastMoment {
  /** Called repeatedly while the journal is folded; an error that it throws ends the folding. */
  throwIfStopped(): void;
}
