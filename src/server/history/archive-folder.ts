/**
 * `STEPWELL_ARCHIVE_DIR`: a start checks whether the folder is usable, before anything is swept.
 */
import { join } from 'node:path';
import type { Disk } from '../../../storage/disk/disk.js';
import { withFile } from '../../../storage/disk/whole-file.js';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import { type Config, ConfigurationError } from '../configuration/config.js';
import { isWithin } from '../configuration/within.js';

type Archived = Pick<Config, 'archiveDirectory' | 'dataDirectory' | 'journalRetention'>;

/** A file that is written and removed again; copies of segments never have this name. */
const trial = '.stepwell-trial';

/**
 * Throws `ConfigurationError` if segments could not be copied there. A missing folder is not
 * created: if a disk should have been mounted there, the copies would go to another disk.
 */
export async function requireArchive(config: Archived, disk: Disk): Promise<void> {
  const { archiveDirectory: folder, dataDirectory, journalRetention } = config;
  if (folder === null) return;
  const refuse = (why: string) => {
    throw new ConfigurationError([`STEPWELL_ARCHIVE_DIR ${folder} ${why}`]);
  };
  if (journalRetention === 'forever') {
    refuse('is of no use with STEPWELL_JOURNAL_RETENTION=forever: nothing is swept');
  }
  if (isWithin(dataDirectory, folder)) {
    refuse(`lies in the data folder ${dataDirectory}: what is copied there would go with it`);
  }
  try {
    const file = join(folder, trial);
    await disk.remove(file).catch(() => undefined);
    // Another node of a cluster may test the same folder at the same time.
    await withFile(disk, file, 'create', async () => undefined).catch(unless('EEXIST'));
    await disk.remove(file).catch(unless('ENOENT'));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') refuse('is not there: make it, or mount what belongs there');
    if (code === 'ENOTDIR') refuse('is no folder');
    refuse(`cannot be written (${code === '' ? error : code})`);
  }
}

function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (errorCode(error) !== code) throw error;
  };
}
