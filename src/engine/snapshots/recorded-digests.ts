/**
 * Compares what one machine folds with the digests that another one has recorded among the events:
 * continuous proof that both reach the same memory (ADR 73).
 */
import type { EventEnvelope } from '../decider.js';
import type { Engine } from '../engine.js';
import { digestStanding } from './live-digest.js';
import { type DigestedMemory, isDigest, partIn } from './memory-digest.events.js';
import { partDigest } from './part-digest.js';
import { differingSections, type StateDigest } from './state-digest.js';

/** The same events led to another memory on the machine that recorded its digest: a defect. */
class DigestDiffers extends Error {
  override readonly name = 'DigestDiffers';

  constructor(
    /** A journal offset. */
    readonly until: number,
    /** The kinds of streams, and the maps of indexes, that differ. */
    readonly sections: readonly string[],
  ) {
    super(
      `the events below ${until} were folded to another memory than the owner's: ` +
        sections.join(', '),
    );
  }
}

/** Receives the results of comparisons. */
export interface DigestWatch {
  /** `isWhole`: all of memory was compared, not a part of it. */
  same(until: number, isWhole: boolean): void;
  differs(error: DigestDiffers): void;
}

/** The digest that an event records; null if it records none. */
export function digestIn(envelope: EventEnvelope): DigestedMemory | null {
  return isDigest(envelope) ? envelope.event : null;
}

/** Used by a follower. Reports differences to its watch, which decides what follows from them. */
export class RecordedDigests {
  /** `label` is that of this program (`imageLabel`). */
  constructor(
    private readonly engine: Engine,
    private readonly label: () => string,
    private readonly watch: DigestWatch,
  ) {}

  /**
   * Compares memory, which holds everything below `heldUntil`, nothing else, and does not change
   * until this settles. Not compared: digests of another program, digests that were recorded too
   * late, and all of a memory that is too large.
   */
  async compare(recorded: DigestedMemory, heldUntil: number): Promise<void> {
    if (recorded.label !== this.label() || heldUntil > recorded.until) return;
    const { engine } = this;
    const part = partIn(recorded);
    const own = part === null ? await digestStanding(engine) : partDigest(engine, part);
    if (own === null) return;
    if (own.hex === recorded.hex) this.watch.same(recorded.until, part === null);
    else {
      const sections = differingSections(own, digestOf(recorded));
      this.watch.differs(new DigestDiffers(recorded.until, sections));
    }
  }
}

function digestOf({ hex, sections: flat }: DigestedMemory): StateDigest {
  const sections = [];
  for (let at = 0; at + 2 < flat.length; at += 3) {
    const [section, items, sum] = flat.slice(at, at + 3);
    sections.push({ section: String(section), items: Number(items), sum: String(sum) });
  }
  return { hex, sections };
}
