/** Compares a replayed journal with the latest snapshot, which must lead to the same memory. */
import type { Store } from '../../../storage/store.js';
import { Journal, journalLogName } from '../../engine/journal.js';
import { ImageReader } from '../../engine/snapshots/memory-image.js';
import { differenceOf, itemsOf, type MemoryItem } from '../../engine/snapshots/state-digest.js';
import type { ProductFolding } from '../../server/history/product-folding.js';
import { foldJournal } from '../../server/journal/folded-journal.js';

/** How many differences are printed; the rest are counted. */
const namedMax = 20;

/** The memory that results from the whole journal before `until`. */
export interface FoldedMemory {
  readonly folding: ProductFolding;
  readonly until: number;
}

/**
 * Yields one line if both agree, or if there is no snapshot of this label; otherwise one line for
 * each difference. `empty` is an empty memory with the same settings. Returns whether they differ.
 */
export async function* comparedWithSnapshot(
  store: Store,
  label: string,
  { folding: folded, until }: FoldedMemory,
  empty: ProductFolding,
): AsyncGenerator<string, boolean> {
  const log = store.log(journalLogName);
  const snapshot = await store.snapshots.latest(label, until);
  if (snapshot === null || log === undefined) {
    yield 'no snapshot of these settings to compare with';
    return false;
  }
  const reader = new ImageReader(empty.engine, empty.codec);
  for await (const part of snapshot.parts()) reader.take(part);
  reader.end();
  const rest = new Journal(log, empty.codec);
  await rest.learnShapes();
  await foldJournal(empty, rest, until, undefined, snapshot.offset);
  let differences = 0;
  for (const line of differencesOf(folded, empty)) {
    differences += 1;
    if (differences <= namedMax) yield line;
  }
  if (differences === 0) {
    yield `the snapshot at ${snapshot.offset} leads to the same state`;
    return false;
  }
  yield `${differences} differences from the state of the snapshot at ${snapshot.offset}`;
  return true;
}

function* differencesOf(one: ProductFolding, other: ProductFolding): Generator<string> {
  const left = new Map<string, MemoryItem>();
  for (const item of itemsOf(one.engine)) left.set(nameOf(item), item);
  for (const item of itemsOf(other.engine)) {
    const name = nameOf(item);
    const own = left.get(name);
    left.delete(name);
    if (own === undefined) yield `${name}: only in the snapshot`;
    else {
      const found = differenceOf(own, item);
      if (found !== null) yield `${name}: field ${found.field || '(all of it)'} differs`;
    }
  }
  for (const name of left.keys()) yield `${name}: only in the journal`;
}

function nameOf({ section, key }: MemoryItem): string {
  return `${section}/${key}`;
}
