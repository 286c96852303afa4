/** Starts read-only: as configured, or after three fatal exits within ten minutes. */
import type { Disk } from '../../../storage/disk/disk.js';
import { lockForReading } from '../../../storage/disk/lock-for-reading.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { DirectoryInUse } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';
import type { Config } from '../configuration/config.js';
import { forgetFatalExits, reasonToChangeNothing } from './fatal-exits.js';

/** Releasing a lock takes no time. */
const releaseDeadlineMs = 1000;

const configured = 'STEPWELL_READ_ONLY is always';

/**
 * Makes `life` read-only if that is configured, or if restarting does not help. The folder is
 * locked nevertheless, so that no other server uses it now. Throws `DirectoryInUse`.
 */
export async function startCautiously(
  { dataDirectory, readOnly }: Config,
  { disk, clock }: { readonly disk: Disk; readonly clock: Clock },
  life: ProcessLife,
): Promise<void> {
  if (readOnly === 'never') await forgetFatalExits(disk, dataDirectory);
  const reason =
    readOnly === 'always'
      ? configured
      : await reasonToChangeNothing(disk, dataDirectory, clock.now());
  if (reason === null) return;
  const release = await lockForReading(disk, new StoreDirectory(dataDirectory).lock);
  if (release === null) throw new DirectoryInUse(dataDirectory);
  life.changeNothing(reason);
  let hasServed = false;
  const served = async () => {
    hasServed = true;
  };
  life.addRecoverable({ name: 'read only', recover: served });
  life.addStoppable({
    name: 'lock',
    phase: 'rest',
    deadlineMs: releaseDeadlineMs,
    stop: async () => {
      if (hasServed) await forgetFatalExits(disk, dataDirectory);
      await release();
    },
  });
}
