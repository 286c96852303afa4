/** Selects the first few of many items without sorting the others. Pure. */
import TinyQueue from 'tinyqueue';

/** The first `count` items, in the order of `compare`. */
export function firstOf<Item>(
  items: Iterable<Item>,
  count: number,
  compare: (one: Item, other: Item) => number,
): Item[] {
  const last = new TinyQueue<Item>([], (one, other) => compare(other, one));
  for (const item of items) {
    const worst = last.peek();
    if (worst !== undefined && last.length >= count && compare(item, worst) >= 0) continue;
    last.push(item);
    if (last.length > count) last.pop();
  }
  return last.data.sort(compare);
}
