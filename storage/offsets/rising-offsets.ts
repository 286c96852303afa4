/** Lists of rising offsets as sets: what several index terms have in common. */

/** What stands in any of the lists, rising, each once. A list may hold an offset twice. */
export function union(lists: readonly (readonly number[])[]): number[] {
  // Sorting knows runs that rise already: lists one after the other are merged, not sorted.
  const all = lists.length === 1 ? (lists[0] ?? []) : lists.flat().sort((one, two) => one - two);
  return all.filter((offset, index) => offset !== all[index - 1]);
}

/** What stands in every one of the lists, each of which rises without repeats; none of no lists. */
export function intersection(lists: readonly (readonly number[])[]): readonly number[] {
  const [first = [], ...others] = lists.toSorted((one, two) => one.length - two.length);
  return others.reduce<readonly number[]>((shared, list) => {
    const members = new Set(list);
    return shared.filter((offset) => members.has(offset));
  }, first);
}
