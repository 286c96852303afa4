import { constants } from 'node:os';
import { Fence } from '../../../storage/faults/fence.js';
import {
  DiskFailure,
  DiskFull,
  diskError,
  isWantOfRoom,
} from '../../../storage/faults/storage-errors.js';

/** As Node.js throws it: libuv has no name for it, so its code is the number in words. */
const unnamed = 'Unknown system error -122';
const quotaMet = Object.assign(new Error(`${unnamed}: ${unnamed}, write`), {
  errno: -constants.errno.EDQUOT,
  code: unnamed,
  syscall: 'write',
});

const failed = Object.assign(new Error('EIO: i/o error, write'), { errno: -5, code: 'EIO' });

it('treats a reached quota, for which Node.js has no name, as a full disk', () => {
  const full = diskError('writing', quotaMet);
  expect(full).toBeInstanceOf(DiskFull);
  expect(full.message).toBe('writing failed: EDQUOT: disk quota exceeded, write');
  expect(new Fence().lacksRoom(quotaMet)).toBe(true);
  expect(diskError('writing', failed)).not.toBeInstanceOf(DiskFull);
});

it('recognises an end for lack of room by its cause', () => {
  const full = new DiskFull('writing the manifest', quotaMet);
  const ends = [quotaMet, full].map((cause) => new Fence().fail('a synced write', cause));
  for (const end of ends) {
    expect(end).not.toBeInstanceOf(DiskFull);
    expect(isWantOfRoom(end)).toBe(true);
  }
  expect(isWantOfRoom(new DiskFailure('a synced write', failed))).toBe(false);
  expect(isWantOfRoom(new Error('a defect'))).toBe(false);
});
