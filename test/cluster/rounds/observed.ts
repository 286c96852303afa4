/** What rounds of faults have seen, as the checker takes it. Times are Unix milliseconds. */

/** How the messages of a lane are limited: each lane is a queue, a key or neither. */
export interface Lane {
  readonly name: string;
  /** The client publishes them one after the other, and they are delivered in that order. */
  readonly isOrdered: boolean;
  /** Attempts at once; null = any number. */
  readonly parallelism: number | null;
  /** Starts in a fixed window; null = any number. */
  readonly rate: { readonly starts: number; readonly periodMs: number } | null;
}

/** An attempt, by the clock of the destination: from its request to the end of its answer. */
export interface Arrival {
  readonly lane: string;
  /** Of the message within all that the client has sent. */
  readonly number: number;
  readonly from: number;
  /** Infinity while it goes on. */
  readonly until: number;
  /** Milliseconds: so much earlier it may have come, as the destination stood still. */
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

/** An owner was lost, or gave the log up, and another one came. */
export interface Takeover {
  /** It was planned: the owner before has ended its attempts first. */
  readonly isPlanned: boolean;
  /** When the fault began, and when the next owner served. */
  readonly from: number;
  readonly until: number;
  /** When an owner that had been stopped, or was cut off, went on; null = it never did. */
  readonly wentOnAt: number | null;
}

/** Where the shared log first names a message. */
export interface Committed {
  readonly epoch: number;
  readonly at: number;
  /** Whether the batch counts: a stale owner's does not. */
  readonly counts: boolean;
}

/** All of it. */
export interface Observed {
  readonly lanes: readonly Lane[];
  /** In the order in which they came. */
  readonly arrivals: readonly Arrival[];
  readonly acknowledged: readonly Acknowledged[];
  readonly takeovers: readonly Takeover[];
  readonly committed: ReadonlyMap<string, Committed>;
}
