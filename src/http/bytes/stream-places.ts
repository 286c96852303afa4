/** The event streams of one kind that are open: so many at once, and none once the server stops. */

/** Serves a stream until it is over. */
export type ServeInPlace<Stream> = (stream: Stream, run: () => Promise<void>) => Promise<void>;

/**
 * A place is kept before the stream is there: what is found out first, for many clients together,
 * may settle for all of them at once.
 */
export class StreamPlaces<Stream extends { end(): void }> {
  private readonly streams = new Set<Stream>();
  /** For streams that are about to begin. */
  private kept = 0;
  private isStopped = false;

  constructor(private readonly max: number) {}

  /** Those that have begun. */
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

  /** Keeps a place, where there is one: call the answer, once, whatever becomes of the client. */
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

  /** Ends every stream; there are no more. */
  stop(): void {
    this.isStopped = true;
    for (const stream of this.streams) stream.end();
  }
}
