/** The real store on the real disk, as the server opens it. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/engine/clock.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { openStore, type Store } from '../../storage/store.js';

/** Without the reserve file, whose 64 MiB would be written under the first measurements. */
export function openFolder(directory: string, readOnly = false): Promise<Store> {
  return openStore(nodeDisk, directory, {
    now: () => systemClock.now(),
    after: (delayMs, callback) => systemClock.after(delayMs, callback),
    randomBytes,
    fsync: 'strict',
    readOnly,
    reserveBytes: 0,
    onFailure: (error) => {
      throw error;
    },
  });
}
