/** The open event streams of one kind: a limited number at once, and none once the server stops. */

/** Serves a stream until it is over. */
export type ServeInPlace<Stream> = (stream: Stream, run: () => Promise<void>) => Promise<void>;

/**
 * A place is reserved before its stream exists: the work that many clients wait for together may
 * finish for all of them at once.
 */
export class StreamPlaces<Stream extends { end(): void }> {
  private readonly streams = new Set<Stream>();
  /** Places reserved for streams that are about to begin. */
  private kept = 0;
  private isStopped = false;

  constructor(private readonly max: number) {}

  /** How many streams have begun. */
  get size(): number {
    return this.streams.size;
  }

  /** Whether there is a place for one more. */
  get hasPlace(): boolean {
    return !this.isStopped && this.streams.size + this.kept < this.max;
  }

  [Symbol.iterator](): Iterator<Stream> {
    return this.streams.values();
  }

  /**
   * Reserves a place; check `hasPlace` first. Call the returned function exactly once, whatever
   * happens to the client.
   */
  keepPlace(): ServeInPlace<Stream> {
    this.kept += 1;
    return async (stream, run) => {
      this.kept -= 1;
      this.streams.add(stream);
      if (this.isStopped) stream.end();
      try {
        await run();
      } finally {
        this.streams.delete(stream);
      }
    };
  }

  /** Ends every stream and admits no more. */
  stop(): void {
    this.isStopped = true;
    for (const stream of this.streams) stream.end();
  }
}
