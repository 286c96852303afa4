/** Set operations on lists of rising offsets, for several index terms. */

/** The offsets in any of the lists, rising, each once. A list may contain an offset twice. */
export function union(lists: readonly (readonly number[])[]): number[] {
  // Sorting detects rising runs: concatenated lists are merged, not sorted.
  const all = lists.length === 1 ? (lists[0] ?? []) : lists.flat().sort((one, two) => one - two);
  return all.filter((offset, index) => offset !== all[index - 1]);
}

/** The offsets in every list, each of which rises without repeats; empty if there are no lists. */
export function intersection(lists: readonly (readonly number[])[]): readonly number[] {
  const [first = [], ...others] = lists.toSorted((one, two) => one.length - two.length);
  return others.reduce<readonly number[]>((shared, list) => {
    const members = new Set(list);
    return shared.filter((offset) => members.has(offset));
  }, first);
}
