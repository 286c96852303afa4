/**
 * Holds a journal that is folded anew against the digests that it holds itself (`MemoryDigested`):
 * what memory was when the server looked at it, at an offset that the fold passes.
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

/** Of larger memories only the last whole digest is compared: each takes a good part of a fold. */
const itemsMax = 10_000;

/** Streams that are named for one difference; more are counted. */
const namedMax = 20;

/** A digest that the journal holds. */
export type KeptDigest = Pick<MemoryDigested, 'until' | 'label' | 'hex' | 'sections' | 'part'>;

/** Made for one replay: give it each digest of `kept` when the fold has come to it. */
export class DigestComparison {
  /** The last offset at which all of memory was the same. */
  private agreedAt: number;
  private compared = 0;
  private differences = 0;
  private passedOver = 0;
  private readonly found: string[] = [];

  /** `label` names the program that folds (`imageLabel`); digests of others are passed over. */
  constructor(
    private readonly journal: Journal,
    private readonly folding: ProductFolding,
    private readonly label: string,
  ) {
    this.agreedAt = journal.startOffset;
  }

  /** Something was not the same. */
  get differs(): boolean {
    return this.differences > 0;
  }

  /** The digests to compare with on the way to `until`, by their offsets, from `from` on. */
  async kept(from: number, until: number): Promise<KeptDigest[]> {
    const own: KeptDigest[] = [];
    const range = { from: this.journal.startOffset, until: this.journal.highWatermark };
    const query = { terms: [[memoryDigestTerm]], ...range, order: 'oldest' } as const;
    for await (const envelope of this.journal.query(query)) {
      if (!isDigest(envelope)) continue;
      const { event: digest } = envelope;
      if (digest.until < from || digest.until > until) continue;
      if (digest.label === this.label) own.push(digest);
      else this.passedOver += 1;
    }
    own.sort((one, other) => one.until - other.until);
    const last = own.findLast(({ part }) => part === undefined);
    return own.filter((each) => each.part || each === last || itemsOfAll(each) <= itemsMax);
  }

  /** Everything below `kept.until` is folded: is memory what it was? */
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
    this.found.push(`the digest in the journal at ${kept.until}${of} is of another memory`);
    if (sections.length === 0) this.found.push('its sections are the same: it was changed itself');
    for (const { section, text } of sections) {
      this.found.push(`${section}: ${text}`);
      this.found.push(...(await this.suspects(section, kept)));
    }
  }

  /** What to print of it all. */
  lines(): readonly string[] {
    const { compared, differences, passedOver } = this;
    const agreeing = `${compared - differences} of ${compared} digests in the journal agree`;
    const others = passedOver === 0 ? '' : `; ${passedOver} are of other programs or settings`;
    if (compared === 0 && passedOver === 0) return ['no digest in the journal to compare with'];
    return [...this.found, `${agreeing}${others}`];
  }

  /** Streams of a kind that have changed since both were the same last; of the part, if any. */
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

/** Name, number of items and sum in turn, as the event has them. */
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
