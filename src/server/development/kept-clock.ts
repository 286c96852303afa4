/** How far the clock of a folder was moved; saved in the folder, as its journal uses that time. */
import { join } from 'node:path';
import type { Disk } from '../../../storage/disk/disk.js';
import { readWhole, replaceFile } from '../../../storage/disk/whole-file.js';
import { diskError, errorCode } from '../../../storage/faults/storage-errors.js';
import { ConfigurationError } from '../configuration/config.js';

/** The name of the file in the data folder; absent if the clock was never moved. */
export const clockFile = 'clock.json';

/**
 * How far the folder's clock is ahead of the machine's, in ms. Throws `ConfigurationError` if the
 * file is not in our format.
 */
export async function readAhead(disk: Disk, folder: string): Promise<number> {
  const path = join(folder, clockFile);
  try {
    const { aheadMs } = JSON.parse((await readWhole(disk, path)).toString('utf8')) ?? {};
    if (Number.isSafeInteger(aheadMs) && aheadMs >= 0) return aheadMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    if (!(error instanceof SyntaxError)) throw diskError(`reading ${path}`, error);
  }
  throw new ConfigurationError([`${path} does not say how far the clock was moved`]);
}

/** Durable when it resolves: a restarted server is never behind its journal. */
export async function keepAhead(disk: Disk, folder: string, aheadMs: number): Promise<void> {
  const path = join(folder, clockFile);
  const content = Buffer.from(`${JSON.stringify({ aheadMs })}\n`);
  await replaceFile(disk, `${path}.new`, path, content).catch((error: unknown) => {
    throw diskError(`writing ${path}`, error);
  });
}

/** Refuses a moved folder: a server that is not for development only uses the machine's time. */
export async function requireUnmoved(disk: Disk, folder: string): Promise<void> {
  const aheadMs = await readAhead(disk, folder);
  if (aheadMs === 0) return;
  throw new ConfigurationError([
    `STEPWELL_DATA_DIR ${folder} is ${Math.round(aheadMs / 1000)} s ahead of this machine: ` +
      'its clock was moved (stepwell clock), and only stepwell dev serves it',
  ]);
}
