/** Events that are missing from streams: a sweep has removed them, or they are lost. */

/** An event and its place, as far as needed here. */
interface Placed {
  readonly kind: string;
  readonly id: string;
  readonly sequence: number;
  readonly offset: number;
}

/** The journal has an event, but not those that must come before it: damage. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';

  constructor({ kind, id, sequence, offset }: Placed, expected: number) {
    super(
      `damaged data: the journal has event ${sequence} of ${kind} ${id} at offset ${offset}, ` +
        `where event ${expected} must follow`,
    );
  }
}

/** Streams of one kind of which replay has skipped events: a checkpoint has to follow. */
export class Gaps {
  private readonly open = new Map<string, Placed>();

  /** Notes an event that cannot follow on what replay has of its stream. */
  skipped(envelope: Placed): void {
    if (!this.open.has(envelope.id)) this.open.set(envelope.id, envelope);
  }

  /** A checkpoint replaces the missing events. */
  close(id: string): void {
    this.open.delete(id);
  }

  /** The first skipped event of each such stream. */
  firsts(): Iterable<Placed> {
    return this.open.values();
  }

  /** Call it after the last past event; throws `BrokenStream`. `lengthOf` returns event counts. */
  requireNone(lengthOf: (id: string) => number): void {
    for (const envelope of this.open.values()) {
      throw new BrokenStream(envelope, lengthOf(envelope.id));
    }
  }
}
