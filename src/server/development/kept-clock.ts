/** How far the clock of a folder was moved, kept in the folder: its journal is in that time. */
import { join } from 'node:path';
import type { Disk } from '../../../storage/disk/disk.js';
import { readWhole, replaceFile } from '../../../storage/disk/whole-file.js';
import { diskError, errorCode } from '../../../storage/faults/storage-errors.js';
import { ConfigurationError } from '../configuration/config.js';

/** The file within the data folder; there is none where the clock was never moved. */
export const clockFile = 'clock.json';

/** Milliseconds ahead of the machine. Throws `ConfigurationError` where the file is not ours. */
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

/** Is durable when it returns: a server that starts again is never behind its journal. */
export async function keepAhead(disk: Disk, folder: string, aheadMs: number): Promise<void> {
  const path = join(folder, clockFile);
  const content = Buffer.from(`${JSON.stringify({ aheadMs })}\n`);
  await replaceFile(disk, `${path}.new`, path, content).catch((error: unknown) => {
    throw diskError(`writing ${path}`, error);
  });
}

/** A server for others than its developer goes by the time of the machine alone. */
export async function requireUnmoved(disk: Disk, folder: string): Promise<void> {
  const aheadMs = await readAhead(disk, folder);
  if (aheadMs === 0) return;
  throw new ConfigurationError([
    `STEPWELL_DATA_DIR ${folder} is ${Math.round(aheadMs / 1000)} s ahead of this machine: ` +
      'its clock was moved (stepwell clock), and only stepwell dev serves it',
  ]);
}
