/** Reads from the journal what spans need. */
import type { Tracer } from './span.js';

/** At most `max` reads are in progress; spans beyond that, or whose read fails, are dropped. */
export class SpanReads {
  private reading = 0;

  constructor(
    private readonly tracer: Pick<Tracer, 'drop'>,
    private readonly max: number,
  ) {}

  /** `read` reads what one span needs, and adds the span. */
  begin(read: () => Promise<void>): void {
    if (this.reading >= this.max) {
      this.tracer.drop();
      return;
    }
    this.reading += 1;
    void read()
      .catch(() => this.tracer.drop())
      .finally(() => {
        this.reading -= 1;
      });
  }
}
