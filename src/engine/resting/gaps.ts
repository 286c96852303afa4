/** Where events are missing from streams: a sweep has taken them, or they are lost. */

/** An event at its place, as far as it is needed here. */
interface Placed {
  readonly kind: string;
  readonly id: string;
  readonly sequence: number;
  readonly offset: number;
}

/** An event is in the journal, and those that must stand before it are not: damage. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';

  constructor({ kind, id, sequence, offset }: Placed, expected: number) {
    super(
      `damaged data: the journal has event ${sequence} of ${kind} ${id} at offset ${offset}, ` +
        `where event ${expected} must follow`,
    );
  }
}

/** Streams of one kind of which replay has passed over events: a checkpoint has to follow. */
export class Gaps {
  private readonly open = new Map<string, Placed>();

  /** Replay has no stream that this event could follow on. */
  passedOver(envelope: Placed): void {
    if (!this.open.has(envelope.id)) this.open.set(envelope.id, envelope);
  }

  /** A checkpoint stands for what is missing. */
  close(id: string): void {
    this.open.delete(id);
  }

  /** Of each such stream, the first event that was passed over. */
  firsts(): Iterable<Placed> {
    return this.open.values();
  }

  /** After the last event of the past; throws `BrokenStream`. `lengthOf` a stream, in events. */
  requireNone(lengthOf: (id: string) => number): void {
    for (const envelope of this.open.values()) {
      throw new BrokenStream(envelope, lengthOf(envelope.id));
    }
  }
}
