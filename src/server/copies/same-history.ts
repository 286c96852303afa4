/** Checks whether a fetched folder belongs to the same cluster as this node's previous folder. */
import type { Disk } from '../../../storage/disk/disk.js';
import { RecordsMissing, StorageError } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { openStore, type StoreOptions } from '../../../storage/store.js';
import { journalLogName } from '../../engine/journal.js';

/** How many offsets of both journals are compared: the last ones that both may have. */
const comparedMax = 4096;

/**
 * Each offset of the journal holds the same event on all nodes of a cluster, unless a sweep has
 * removed it. Rejects with `RecordsMissing` if the journals of the folders `own` and `copy` differ,
 * or if `own` begins after the end of the other: then it is of another cluster, or has what its own
 * cluster has lost. If `own` is not a store, or is unreadable, nothing is checked. `options` are
 * those of readers.
 */
export async function requireSameHistory(
  disk: Disk,
  own: string,
  copy: string,
  options: StoreOptions,
): Promise<void> {
  const journalOnly = { ...options, opens: (name: string) => name === journalLogName };
  const ours = await openStore(disk, own, journalOnly).catch(nullIfDamaged);
  if (ours === null) return;
  try {
    const theirs = await openStore(disk, copy, journalOnly);
    try {
      await requireSameEvents(ours.log(journalLogName), theirs.log(journalLogName));
    } finally {
      await theirs.close();
    }
  } finally {
    await ours.close();
  }
}

async function requireSameEvents(own: PartitionLog | undefined, copy: PartitionLog | undefined) {
  if (own === undefined || copy === undefined || own.highWatermark === 0) return;
  const differs = await differenceOf(own, copy).catch(nullIfDamaged);
  if (differs === null) return;
  throw new RecordsMissing(
    `this folder is not of the cluster whose folder was fetched: its journal ${differs}`,
  );
}

/** What the journal of this folder has that the other one cannot have; null = nothing. */
async function differenceOf(own: PartitionLog, copy: PartitionLog): Promise<string | null> {
  const end = Math.min(own.highWatermark, copy.highWatermark);
  if (own.startOffset >= end) return `begins at ${own.startOffset}, where that one ends`;
  const from = Math.max(end - comparedMax, own.startOffset, copy.startOffset);
  const [mine, theirs] = [await eventsIn(own, from, end), await eventsIn(copy, from, end)];
  for (const [offset, event] of mine) {
    if ((theirs.get(offset) ?? event) !== event) return `has another event at ${offset}`;
  }
  return null;
}

/** The stream and the time of each event, by offset. Records of event shapes are left out. */
async function eventsIn(
  log: PartitionLog,
  from: number,
  until: number,
): Promise<ReadonlyMap<number, string>> {
  const events = new Map<number, string>();
  for (let at = from; at < until; ) {
    const batches = await log.read(at, { until });
    for (const batch of batches) {
      for (const { offset, key, timestamp } of batch.records()) {
        if (key !== null) events.set(offset, `${timestamp} ${key}`);
      }
    }
    at = batches.at(-1)?.nextOffset ?? until;
  }
  return events;
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof StorageError) return null;
  throw error;
}
