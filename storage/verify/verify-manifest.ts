/** What is wrong with the two copies of the manifest, even if one of them can still be used. */
import type { Disk } from '../disk/disk.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { readWhole } from '../disk/whole-file.js';
import { DamagedData, diskError, errorCode } from '../faults/storage-errors.js';
import { type ManifestCopy, parseCopy } from '../manifest/manifest-format.js';
import { unreadReason } from '../segment/segment-damage.js';

/**
 * The damage of each copy. A crash may have torn the last edit of the first copy, or kept it from
 * the second; after a clean stop the copies are identical, byte by byte.
 */
export async function verifyManifest(
  disk: Disk,
  directory: StoreDirectory,
  wasClean: boolean,
): Promise<DamagedData[]> {
  const [first, second] = [directory.manifest(0), directory.manifest(1)];
  const [one, two] = [await readCopy(disk, first), await readCopy(disk, second)];
  const faults = [
    { file: first, ...one, fault: faultOfFirst(one.copy, two.copy, wasClean) },
    { file: second, ...two, fault: faultOfSecond(two.copy, one.copy, wasClean) },
  ];
  return faults.flatMap(({ file, bytes, copy, isUnread, fault }) => {
    if (fault === null) return [];
    const range = { from: copy?.end ?? 0, to: bytes?.length ?? 0 };
    const read = isUnread ? unreadReason : fault;
    const reason = bytes === null ? 'the file is missing' : read;
    return [new DamagedData({ file, ...range, lastGoodOffset: null }, reason)];
  });
}

/** A copy of the manifest, as found. */
interface FoundCopy {
  /** Null if there is none. */
  readonly bytes: Buffer | null;
  readonly copy: ManifestCopy | null;
  /** Whether a part of it cannot be read. */
  readonly isUnread: boolean;
}

async function readCopy(disk: Disk, path: string): Promise<FoundCopy> {
  let isUnread = false;
  const around = aroundUnreadable(disk, () => {
    isUnread = true;
  });
  try {
    const bytes = await readWhole(around, path);
    return { bytes, copy: parseCopy(bytes), isUnread };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { bytes: null, copy: null, isUnread };
    if (errorCode(error) === 'EIO') return { bytes: Buffer.alloc(0), copy: null, isUnread: true };
    throw diskError(`reading ${path}`, error);
  }
}

const isWhole = ({ end, bytes }: ManifestCopy) => end === bytes.length;

/** The first copy is written first, so it may be ahead by one edit, and that one may be torn. */
function faultOfFirst(
  one: ManifestCopy | null,
  two: ManifestCopy | null,
  wasClean: boolean,
): string | null {
  if (one === null) return 'no intact state';
  if (two !== null && isOlder(one, two)) return 'it lacks edits that the other copy has';
  if (isWhole(one)) return null;
  const isTorn = !wasClean && (two === null || one.editCount === two.editCount);
  return isTorn ? null : 'an edit is not intact';
}

/** The second copy is behind by at most the one edit that was being written to it. */
function faultOfSecond(
  two: ManifestCopy | null,
  one: ManifestCopy | null,
  wasClean: boolean,
): string | null {
  if (two === null) return 'no intact state';
  if (one === null) return isWhole(two) ? null : 'an edit is not intact';
  if (one.generation !== two.generation) {
    const isNext = !wasClean && one.generation === two.generation + 1;
    return isNext || isOlder(one, two) ? null : 'it is of another generation';
  }
  const behind = one.editCount - two.editCount;
  if (behind > (wasClean ? 0 : 1)) return 'it lacks edits that the other copy has';
  return isWhole(two) || (behind === 1 && !wasClean) ? null : 'an edit is not intact';
}

function isOlder(copy: ManifestCopy, other: ManifestCopy): boolean {
  if (copy.generation !== other.generation) return copy.generation < other.generation;
  return copy.editCount < other.editCount;
}
