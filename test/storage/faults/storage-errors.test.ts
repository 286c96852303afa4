import { constants } from 'node:os';
import { Fence } from '../../../storage/faults/fence.js';
import {
  DiskFailure,
  DiskFull,
  diskError,
  isWantOfRoom,
} from '../../../storage/faults/storage-errors.js';

/** As Node.js throws it: libuv has no name for it, so that its code is the number in words. */
const quotaMet = Object.assign(new Error('Unknown system error -122: write'), {
  errno: -constants.errno.EDQUOT,
  code: 'Unknown system error -122',
  syscall: 'write',
});

const failed = Object.assign(new Error('EIO: i/o error, write'), { errno: -5, code: 'EIO' });

it('takes a quota that was met for a disk without room, which Node.js has no name for', () => {
  expect(diskError('writing', quotaMet)).toBeInstanceOf(DiskFull);
  expect(new Fence().lacksRoom(quotaMet)).toBe(true);
  expect(diskError('writing', failed)).not.toBeInstanceOf(DiskFull);
});

it('knows an end for want of room by what caused it', () => {
  const full = new DiskFull('writing the manifest', quotaMet);
  const ends = [quotaMet, full].map((cause) => new Fence().fail('a synced write', cause));
  for (const end of ends) {
    expect(end).not.toBeInstanceOf(DiskFull);
    expect(isWantOfRoom(end)).toBe(true);
  }
  expect(isWantOfRoom(new DiskFailure('a synced write', failed))).toBe(false);
  expect(isWantOfRoom(new Error('a defect'))).toBe(false);
});
