/**
 * Checks the disk of the data folder: whether it is writable, how long a flush takes, and how much
 * space is free.
 */
import { dirname, join, resolve } from 'node:path';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { writeFully } from '../../../storage/disk/whole-file.js';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { type Config, ConfigurationError } from '../../server/configuration/config.js';
import { requireArchive } from '../../server/history/archive-folder.js';
import { sizeWords } from '../output/time-words.js';
import { doubt, type Finding, fine, wrong } from './finding.js';

const flushes = 50;
const flushBytes = 4096;
/** Every acknowledgement waits for a flush: with a slower disk, the server is slow. */
const slowMs = 20;
const spaceMin = 1024 ** 3;

/** Flushes a temporary file in the data folder, which has no name during the test. */
export async function checkDisk(folder: string, clock: Clock): Promise<Finding> {
  const place = await nearest(resolve(folder));
  const path = join(place, `.stepwell-doctor-${process.pid}`);
  try {
    const times = await flushTimes(path, clock);
    const [p50, p99] = [0.5, 0.99].map((part) => times[Math.floor(times.length * part)] ?? 0);
    const said = `a flush takes ${p50?.toFixed(1)} ms, one in a hundred ${p99?.toFixed(1)} ms`;
    if ((p50 ?? 0) < slowMs) return fine('disk', `${place}: ${said}`);
    return doubt('disk', `${place}: ${said}; each acknowledgement waits for one`);
  } catch (error) {
    return wrong('disk', `${place} cannot be written (${errorCode(error)})`);
  }
}

/** How much space is free where the data is. */
export async function* checkSpace(folder: string): AsyncGenerator<Finding> {
  const place = await nearest(resolve(folder));
  try {
    const { available, total } = await nodeDisk.space(place);
    const said = `${sizeWords(available)} of ${sizeWords(total)} are free at ${place}`;
    if (available >= spaceMin) yield fine('space', said);
    else yield doubt('space', `${said}: a full disk answers 507`);
  } catch (error) {
    yield wrong('space', `${place} cannot be read (${errorCode(error)})`);
  }
}

/**
 * Checks the folder into which segments are copied before a sweep; yields nothing if none is set.
 */
export async function* checkArchive(config: Config): AsyncGenerator<Finding> {
  const { archiveDirectory } = config;
  if (archiveDirectory === null) return;
  try {
    await requireArchive(config, nodeDisk);
    yield fine('archive', `${archiveDirectory} can be written`);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems) yield wrong('archive', problem);
  }
}

/** The folder itself, or its closest existing parent: a first start creates the rest. */
async function nearest(folder: string): Promise<string> {
  const exists = await nodeDisk.list(folder).then(
    () => true,
    (error: unknown) => errorCode(error) !== 'ENOENT',
  );
  const above = dirname(folder);
  return exists || above === folder ? folder : nearest(above);
}

/** In milliseconds, shortest first. */
async function flushTimes(path: string, clock: Clock): Promise<number[]> {
  const file = await nodeDisk.open(path, 'create');
  try {
    // The system frees an unlinked file with the process, so a killed run leaves nothing behind.
    await nodeDisk.remove(path);
    const block = Buffer.alloc(flushBytes, 'x');
    const times: number[] = [];
    for (let count = 0; count < flushes; count += 1) {
      await writeFully(nodeDisk, file, block, count * flushBytes);
      const at = clock.monotonic();
      await nodeDisk.sync(file);
      times.push(clock.monotonic() - at);
    }
    return times.sort((one, other) => one - other);
  } finally {
    await nodeDisk.close(file);
  }
}
