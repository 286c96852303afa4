/**
 * The entries of a run: an immutable, append-only list. A list and the lists appended from it share
 * one array, and each list sees only its own length. So an append costs only what it adds, and a
 * turn that is rolled back leaves the earlier list unchanged.
 */
import type { RunEntry, StepInfo } from './run.events.js';

interface Shared {
  readonly entries: RunEntry[];
  /** Index of the first entry of each step, by its key. */
  readonly places: Map<number, number>;
}

/** Bytes of the JSON around an entry in the delivered list, including its message id. */
const frameBytes = 96;

/**
 * The key of a step's entry: positive for its result, negative for its plan; a step has at most one
 * of each.
 */
export function stepKey({ id, target }: StepInfo): number {
  return target === null ? id : -target;
}

/**
 * The list of a run's entries, without their bodies: an entry names the journal offset of the event
 * that stores its body.
 */
export class EntryList {
  private constructor(
    private readonly shared: Shared,
    readonly length: number,
    /** Total bytes of all bodies. */
    readonly bytes: number,
  ) {}

  /** Makes a list that shares its array with no other list. */
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

  /** Approximate bytes of the list as delivered: the bodies are base64 in JSON. */
  get deliveredBytes(): number {
    return Math.ceil((this.bytes * 4) / 3) + this.length * frameBytes + 2;
  }

  /** Returns the list with one more entry. */
  append(entry: RunEntry): EntryList {
    const { entries, places } = this.shared;
    // A turn that was rolled back has already appended to the shared array.
    if (entries.length > this.length) return EntryList.of(this.toArray()).append(entry);
    const key = stepKey(entry.step);
    if (!places.has(key)) places.set(key, this.length);
    entries.push(entry);
    return new EntryList(this.shared, this.length + 1, this.bytes + entry.bytes);
  }

  /** The entry at an index from 0; undefined if the list is shorter. */
  at(index: number): RunEntry | undefined {
    return index < this.length ? this.shared.entries[index] : undefined;
  }

  /** The entry that a submission of this step would repeat. */
  find(step: StepInfo): RunEntry | undefined {
    const place = this.shared.places.get(stepKey(step));
    return place === undefined ? undefined : this.at(place);
  }

  /** The entry that plans a parallel step. */
  findPlan(stepId: number): RunEntry | undefined {
    const place = this.shared.places.get(-stepId);
    return place === undefined ? undefined : this.at(place);
  }

  /** Copies the entries into an array, in order. */
  toArray(): readonly RunEntry[] {
    return this.shared.entries.slice(0, this.length);
  }
}
