/**
 * Holds what one machine folds against the digests that another one has recorded among the events:
 * a standing proof that both come to the same memory (ADR 73).
 */
import type { EventEnvelope } from '../decider.js';
import type { Engine } from '../engine.js';
import { digestStanding } from './live-digest.js';
import { type DigestedMemory, isDigest, partIn } from './memory-digest.events.js';
import { partDigest } from './part-digest.js';
import { differingSections, type StateDigest } from './state-digest.js';

/** The same events came to another memory on the machine that recorded its digest: a defect. */
class DigestDiffers extends Error {
  override readonly name = 'DigestDiffers';

  constructor(
    /** Of the journal. */
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

/** Receives what comparisons have come to. */
export interface DigestWatch {
  /** `isWhole`: of all of memory, not of a part of it. */
  same(until: number, isWhole: boolean): void;
  differs(error: DigestDiffers): void;
}

/** The digest that an event records; null where it records none. */
export function digestIn(envelope: EventEnvelope): DigestedMemory | null {
  return isDigest(envelope) ? envelope.event : null;
}

/**
 * Of a follower. It compares and reports to its watch; what a difference leads to is the watch's.
 */
export class RecordedDigests {
  /** `label`: that of this program (`imageLabel`). */
  constructor(
    private readonly engine: Engine,
    private readonly label: () => string,
    private readonly watch: DigestWatch,
  ) {}

  /**
   * Compares memory, which holds all below `heldUntil`, nothing else, and does not change until
   * this settles. Not compared: what another program has recorded, what was recorded too late,
   * and all of a memory too large.
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
