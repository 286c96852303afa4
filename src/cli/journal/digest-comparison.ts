/**
 * Compares a journal that is replayed with the digests in it (`MemoryDigested`): a digest says what
 * memory was at an offset, which the replay passes.
 */
import type { Journal } from '../../engine/journal.js';
import { allStreams, isInPart } from '../../engine/resting/stream-part.js';
import {
  isDigest,
  type MemoryDigested,
  memoryDigestTerm,
  partIn,
} from '../../engine/snapshots/memory-digest.events.js';
import { partDigest } from '../../engine/snapshots/part-digest.js';
import { digestOf, itemsOf, type SectionDigest } from '../../engine/snapshots/state-digest.js';
import type { ProductFolding } from '../../server/history/product-folding.js';

/**
 * Of larger memories, only the last whole digest is compared: computing one takes a good part of a
 * replay.
 */
const itemsMax = 10_000;

/** How many streams are named for one difference; the rest are counted. */
const namedMax = 20;

/** A digest that the journal holds. */
export type KeptDigest = Pick<MemoryDigested, 'until' | 'label' | 'hex' | 'sections' | 'part'>;

/**
 * Created for one replay: call `compare` for each digest of `kept` when the replay reaches its
 * offset.
 */
export class DigestComparison {
  /** The last offset at which the whole memory agreed. */
  private agreedAt: number;
  private compared = 0;
  private differences = 0;
  private skipped = 0;
  private readonly found: string[] = [];

  /**
   * `label` names the program that replays (`imageLabel`); digests of other programs are skipped.
   */
  constructor(
    private readonly journal: Journal,
    private readonly folding: ProductFolding,
    private readonly label: string,
  ) {
    this.agreedAt = journal.startOffset;
  }

  /** Whether a difference was found. */
  get differs(): boolean {
    return this.differences > 0;
  }

  /** The digests to compare with between `from` and `until`, ordered by offset. */
  async kept(from: number, until: number): Promise<KeptDigest[]> {
    const own: KeptDigest[] = [];
    const range = { from: this.journal.startOffset, until: this.journal.highWatermark };
    const query = { terms: [[memoryDigestTerm]], ...range, order: 'oldest' } as const;
    for await (const envelope of this.journal.query(query)) {
      if (!isDigest(envelope)) continue;
      const { event: digest } = envelope;
      if (digest.until < from || digest.until > until) continue;
      if (digest.label === this.label) own.push(digest);
      else this.skipped += 1;
    }
    own.sort((one, other) => one.until - other.until);
    const last = own.findLast(({ part }) => part === undefined);
    return own.filter((each) => each.part || each === last || itemsOfAll(each) <= itemsMax);
  }

  /** Called once everything below `kept.until` is replayed: compares memory with the digest. */
  async compare(kept: KeptDigest): Promise<void> {
    this.compared += 1;
    const { engine } = this.folding;
    const part = partIn(kept);
    const digest = part === null ? digestOf(itemsOf(engine)) : partDigest(engine, part);
    if (digest.hex === kept.hex) {
      if (part === null) this.agreedAt = kept.until;
      return;
    }
    this.differences += 1;
    const sections = differing(digest.sections, kept);
    const of = part === null ? '' : ` (part ${part.number + 1} of ${part.of})`;
    this.found.push(`the digest in the journal at ${kept.until}${of} does not match`);
    if (sections.length === 0) this.found.push('its sections match: the digest itself was changed');
    for (const { section, text } of sections) {
      this.found.push(`${section}: ${text}`);
      this.found.push(...(await this.suspects(section, kept)));
    }
  }

  /** The lines to print about all comparisons. */
  lines(): readonly string[] {
    const { compared, differences, skipped } = this;
    const agreeing = `${compared - differences} of ${compared} digests in the journal match`;
    const others = skipped === 0 ? '' : `; ${skipped} are of other programs or settings`;
    if (compared === 0 && skipped === 0) return ['no digest in the journal to compare with'];
    return [...this.found, `${agreeing}${others}`];
  }

  /**
   * Streams of a kind that changed since the last agreement; if the digest is of a part, only those
   * in it.
   */
  private async suspects(section: string, kept: KeptDigest): Promise<string[]> {
    const { engine } = this.folding;
    if (!engine.kinds.includes(section)) return [];
    const part = partIn(kept) ?? allStreams;
    const names = new Set<string>();
    const range = { from: this.agreedAt, until: kept.until, order: 'oldest' as const };
    for await (const { kind, id } of this.journal.query({ terms: [], ...range })) {
      if (kind !== section) continue;
      const firstOffset = engine.actors(kind).firstOffsetOf(id);
      if (firstOffset === undefined || isInPart(firstOffset, part)) names.add(`${kind}/${id}`);
    }
    if (names.size === 0) return [`${section}: no stream has changed since ${this.agreedAt}`];
    const more = names.size > namedMax ? ` and ${names.size - namedMax} more` : '';
    const named = [...names].slice(0, namedMax).join(', ');
    return [`changed since ${this.agreedAt}: ${named}${more}`];
  }
}

/** The event holds a name, the number of items and a sum for each section, one after the other. */
function sectionsOf({ sections }: KeptDigest): SectionDigest[] {
  const found: SectionDigest[] = [];
  for (let index = 0; index < sections.length; index += 3) {
    const [section, items, sum] = sections.slice(index, index + 3);
    found.push({ section: String(section), items: Number(items), sum: String(sum) });
  }
  return found;
}

function itemsOfAll(kept: KeptDigest): number {
  return sectionsOf(kept).reduce((sum, { items }) => sum + items, 0);
}

function differing(own: readonly SectionDigest[], kept: KeptDigest) {
  const theirs = new Map(sectionsOf(kept).map((each) => [each.section, each]));
  const names = new Set([...own.map(({ section }) => section), ...theirs.keys()]);
  return [...names].sort().flatMap((section) => {
    const here = own.find((each) => each.section === section);
    const there = theirs.get(section);
    if (here?.sum === there?.sum && here?.items === there?.items) return [];
    const [is, was] = [here?.items ?? 0, there?.items ?? 0];
    const text = is === was ? `${is} items, not the same` : `${is} items, and ${was} then`;
    return [{ section, text }];
  });
}
