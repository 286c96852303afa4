/** Reads around parts that the disk cannot read: the bytes beside a bad sector are still there. */
import { errorCode } from '../faults/storage-errors.js';
import type { Disk } from './disk.js';

/** The system reads files in pages: if it cannot read a sector, it reads nothing of its page. */
const pageBytes = 4096;

/** Replaces bytes that could not be read: no checksum of a file matches it. */
export const filler = 'unreadable';

/**
 * The same disk except for reads: a page that the disk cannot read is filled, and `met` is called
 * with the position of its first byte. Only for readers that check every byte.
 */
export function aroundUnreadable(disk: Disk, met: (position: number) => void): Disk {
  const read: Disk['read'] = async (file, target, position) => {
    try {
      return await disk.read(file, target, position);
    } catch (error) {
      if (errorCode(error) !== 'EIO') throw error;
    }
    // The error may concern bytes behind the first page.
    const page = target.subarray(0, pageBytes - (position % pageBytes));
    try {
      return await disk.read(file, page, position);
    } catch (error) {
      if (errorCode(error) !== 'EIO') throw error;
      met(position);
      page.fill(filler);
      return page.length;
    }
  };
  // A disk may be a class instance, whose methods a spread would lose.
  return new Proxy(disk, {
    get: (own, name: keyof Disk) => (name === 'read' ? read : own[name].bind(own)),
  });
}
