/**
 * A part of a growing list of terms, grouped by the low bits of their hashes: a look-up searches
 * one group instead of the whole list.
 *
 *     starts    group g is entries [starts[g], starts[g + 1])
 *     entries   term numbers within the part, by group, then rising
 *
 * It takes two and a half bytes per term.
 */

/** How many terms a part has: their numbers take two bytes. */
export const partLength = 2 ** 16;

/** About eight terms share a group. */
const groupCount = 2 ** 13;

/** Never changes once made. `TermList` makes one for a full part when a look-up passes over it. */
export class TermGroups {
  private readonly starts = new Uint32Array(groupCount + 1);
  private readonly entries = new Uint16Array(partLength);

  /** `hashes` are those of a whole part. */
  constructor(hashes: Uint32Array) {
    const { starts, entries } = this;
    for (const hash of hashes) {
      const next = groupOf(hash) + 1;
      starts[next] = (starts[next] ?? 0) + 1;
    }
    for (let group = 0; group < groupCount; group += 1) {
      starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
    }
    const cursors = starts.slice();
    for (let entry = 0; entry < partLength; entry += 1) {
      const group = groupOf(hashes[entry] ?? 0);
      const place = cursors[group] ?? 0;
      cursors[group] = place + 1;
      entries[place] = entry;
    }
  }

  /** The numbers, rising within the part, of terms that may have this hash. */
  of(hash: number): Uint16Array {
    const group = groupOf(hash);
    return this.entries.subarray(this.starts[group], this.starts[group + 1]);
  }

  /** Bytes that it takes in memory. */
  get byteLength(): number {
    return this.starts.byteLength + this.entries.byteLength;
  }
}

function groupOf(hash: number): number {
  return hash & (groupCount - 1);
}
