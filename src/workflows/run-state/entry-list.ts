/**
 * The entries of a run: append-only, and a value all the same. Lists that grow from each other
 * share one array of which each sees its own length, so that a turn that is taken back leaves the
 * earlier list as it was and an append costs what it adds.
 */
import type { RunEntry, StepInfo } from './run.events.js';

interface Shared {
  readonly entries: RunEntry[];
  /** Index of the first entry of each step, by its key. */
  readonly places: Map<number, number>;
}

/** JSON around an entry of the delivered list, its message id included, in bytes. */
const frameBytes = 96;

/** Results have positive keys, plans negative ones: a step has one of each at most. */
export function stepKey({ id, target }: StepInfo): number {
  return target === null ? id : -target;
}

/** Bodies are not in it: an entry names the journal offset beside which its body stands. */
export class EntryList {
  private constructor(
    private readonly shared: Shared,
    readonly length: number,
    /** Of all bodies. */
    readonly bytes: number,
  ) {}

  /** A list of its own, which shares nothing. */
  static of(entries: readonly RunEntry[]): EntryList {
    const shared: Shared = { entries: [...entries], places: new Map() };
    let bytes = 0;
    for (const [place, entry] of entries.entries()) {
      const key = stepKey(entry.step);
      if (!shared.places.has(key)) shared.places.set(key, place);
      bytes += entry.bytes;
    }
    return new EntryList(shared, entries.length, bytes);
  }

  /** About what the list weighs when it is delivered: bodies are base64 in JSON. */
  get deliveredBytes(): number {
    return Math.ceil((this.bytes * 4) / 3) + this.length * frameBytes + 2;
  }

  /** The list with one entry more. */
  append(entry: RunEntry): EntryList {
    const { entries, places } = this.shared;
    // A turn that was taken back has grown this list before.
    if (entries.length > this.length) return EntryList.of(this.toArray()).append(entry);
    const key = stepKey(entry.step);
    if (!places.has(key)) places.set(key, this.length);
    entries.push(entry);
    return new EntryList(this.shared, this.length + 1, this.bytes + entry.bytes);
  }

  /** The entry at an index from 0; undefined = it has none there. */
  at(index: number): RunEntry | undefined {
    return index < this.length ? this.shared.entries[index] : undefined;
  }

  /** The entry that a submission of this step would repeat. */
  find(step: StepInfo): RunEntry | undefined {
    const place = this.shared.places.get(stepKey(step));
    return place === undefined ? undefined : this.at(place);
  }

  /** The entry that plans a step of a parallel one. */
  findPlan(stepId: number): RunEntry | undefined {
    const place = this.shared.places.get(-stepId);
    return place === undefined ? undefined : this.at(place);
  }

  /** A copy, in order. */
  toArray(): readonly RunEntry[] {
    return this.shared.entries.slice(0, this.length);
  }
}
