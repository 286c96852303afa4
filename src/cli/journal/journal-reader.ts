/**
 * Opens a data folder for reading only: takes no lock and writes nothing, so a server may own it
 * meanwhile.
 */
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { openStore, type Store } from '../../../storage/store.js';
import { systemClock } from '../../engine/clock.js';
import { EventCodec } from '../../engine/event-codec.js';
import { systemIdentifiers } from '../../engine/identifiers.js';
import { Journal, journalLogName } from '../../engine/journal.js';
import { readingOptions } from '../../server/lifecycle/reading-options.js';
import { isolatesDamage } from '../../topics/topics/topic-log-name.js';

/** How a folder is opened for reading. */
export const readerOptions = readingOptions(systemClock, systemIdentifiers, isolatesDamage);

/**
 * Calls `use` with the journal of a folder as it is on disk, up to its durable end; with null if
 * there is no journal yet. `archive` is a folder with the segments that sweeps have removed. Events
 * keep the version they were written in. Rejects with `DamagedData`, `NoArchive`, or with
 * `DiskFailure` if there is no store.
 */
export async function readJournal<T>(
  dataDirectory: string,
  use: (journal: Journal | null) => Promise<T>,
  archive?: string,
): Promise<T> {
  const codec = new EventCodec();
  return readFolder(dataDirectory, codec, (_store, journal) => use(journal), archive);
}

/** Like `readJournal`, with the whole store, and with events decoded by `codec`. */
export async function readFolder<T>(
  dataDirectory: string,
  codec: EventCodec,
  use: (store: Store, journal: Journal | null) => Promise<T>,
  archive?: string,
): Promise<T> {
  const store = await openStore(nodeDisk, dataDirectory, readerOptions);
  try {
    const log = store.log(journalLogName);
    if (log === undefined) return await use(store, null);
    const whole = archive === undefined ? log : await store.withArchive(log, archive);
    const journal = new Journal(whole, codec);
    await journal.learnShapes();
    return await use(store, journal);
  } finally {
    await store.close();
  }
}
