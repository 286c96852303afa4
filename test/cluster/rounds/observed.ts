/** The observations of rounds of faults, for the checker. Times are Unix milliseconds. */

/** The limits of the messages of a lane; each lane is a queue, a flow-control key or neither. */
export interface Lane {
  readonly name: string;
  /** Whether the messages are delivered in the order in which the client publishes them. */
  readonly isOrdered: boolean;
  /** Maximum number of concurrent attempts; null = any number. */
  readonly parallelism: number | null;
  /** Maximum number of starts in a fixed window; null = any number. */
  readonly rate: { readonly starts: number; readonly periodMs: number } | null;
}

/** An attempt, by the clock of the destination: from its request to the end of its answer. */
export interface Arrival {
  readonly lane: string;
  /** The number of the message among all that the client has sent. */
  readonly number: number;
  readonly from: number;
  /** Infinity while the attempt is in progress. */
  readonly until: number;
  /**
   * How much earlier the attempt may have arrived, in milliseconds, because the destination hung.
   */
  readonly lateMs: number;
}

/** A request that was answered 2xx. The client sends one at a time, in the order of numbers. */
export interface Acknowledged {
  readonly lane: string;
  readonly number: number;
  readonly messageId: string;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** An owner was lost or released the log, and another one took over. */
export interface Takeover {
  /** Whether it was planned, so that the previous owner ended its attempts first. */
  readonly isPlanned: boolean;
  /** When the fault began, and when the next owner served. */
  readonly from: number;
  readonly until: number;
  /** When an owner that was stopped or cut off continued; null = never. */
  readonly wentOnAt: number | null;
}

/** Where the shared log first names a message. */
export interface Committed {
  readonly epoch: number;
  readonly at: number;
  /** Whether the batch counts: a stale owner's does not. */
  readonly counts: boolean;
}

/** All observations. */
export interface Observed {
  readonly lanes: readonly Lane[];
  /** In the order of arrival. */
  readonly arrivals: readonly Arrival[];
  readonly acknowledged: readonly Acknowledged[];
  readonly takeovers: readonly Takeover[];
  readonly committed: ReadonlyMap<string, Committed>;
}
