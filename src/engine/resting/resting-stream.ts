/** A stream that is not in memory as an object, but as bytes. */

/** A stored stream: `valueIn` and the kind's `fromStored` decode its state. */
export interface StoredStream {
  readonly id: string;
  /** Events so far. */
  readonly length: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The stored state. */
  readonly bytes: Buffer;
}

/**
 * A resting stream. A class, because its numbers are small integers in one place and doubles in
 * another: an object literal would then cost 1 us more (ADR 123).
 */
export class RestingStream implements StoredStream {
  constructor(
    readonly id: string,
    readonly length: number,
    readonly firstOffset: number,
    readonly lastOffset: number,
    readonly bytes: Buffer,
    /** When to ask the stream what it wants, Unix milliseconds; Infinity = it wants nothing. */
    readonly wantedAt: number,
  ) {}
}
