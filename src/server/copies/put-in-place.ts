/** Replaces this node's folder by one that was fetched from another node. */
import { join } from 'node:path';
import type { Disk } from '../../../storage/disk/disk.js';
import { removeTree } from '../../../storage/disk/remove-tree.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { DirectoryInUse } from '../../../storage/faults/storage-errors.js';
import type { StoreOptions } from '../../../storage/store.js';
import { placesIn } from './copy-format.js';
import { requireSameHistory } from './same-history.js';
import { UnfinishedCopy } from './unfinished-copy.js';

/** What a killed process may have left of copies that were not verified, or not sent. */
const leftovers = ['given', 'given.partial', 'fetched.partial'];

/** An incomplete copy. */
const unfinished = ['fetching', 'fetching.from'];

/**
 * Removes the present folder's content and moves what was fetched into its place; resolves to false
 * if nothing was fetched. In that case, an incomplete copy is kept if it `mayContinue`. If a start
 * is killed meanwhile, the next one continues: as long as there are logs among what was fetched,
 * nothing of it has been moved. `options` are those of readers. Rejects with `DirectoryInUse`, with
 * `RecordsMissing` if the present content belongs to another cluster, or as the disk does.
 */
export async function putInPlace(
  disk: Disk,
  dataDirectory: string,
  options: StoreOptions,
  mayContinue = false,
): Promise<boolean> {
  const { fetched } = placesIn(dataDirectory);
  const names: string[] = await disk.list(dataDirectory).catch(() => []);
  const isFetched = names.includes('fetched');
  const left = leftovers.filter((name) => names.includes(name));
  const dropsUnfinished =
    (isFetched || !mayContinue) && unfinished.some((name) => names.includes(name));
  if (!isFetched && left.length === 0 && !dropsUnfinished) return false;
  const own = new StoreDirectory(dataDirectory);
  const release = await disk.lock(own.lock);
  if (release === null) throw new DirectoryInUse(dataDirectory);
  try {
    for (const name of left) await removeTree(disk, join(dataDirectory, name));
    if (dropsUnfinished) await new UnfinishedCopy(disk, dataDirectory).drop();
    if (!isFetched) return false;
    const copied = new StoreDirectory(fetched);
    if ((await disk.list(fetched)).includes('logs')) {
      await requireSameHistory(disk, dataDirectory, fetched, options);
      for (const file of [own.manifest(0), own.manifest(1), own.watermarks]) {
        await disk.remove(file).catch(() => undefined);
      }
      for (const directory of [own.logs, own.snapshots, own.aside]) {
        await removeTree(disk, directory);
      }
      await disk.syncDirectory(dataDirectory);
      await disk.rename(copied.logs, own.logs);
      await disk.syncDirectory(dataDirectory);
      await disk.syncDirectory(fetched);
    }
    for (const name of await disk.list(fetched)) {
      await disk.rename(join(fetched, name), join(dataDirectory, name));
    }
    await disk.syncDirectory(dataDirectory);
    await disk.removeDirectory(fetched);
    await disk.syncDirectory(dataDirectory);
    return true;
  } finally {
    await release();
  }
}
