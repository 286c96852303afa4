/** Reading around what the disk does not read: the bytes beside a bad sector are still there. */
import { errorCode } from '../faults/storage-errors.js';
import type { Disk } from './disk.js';

/** The system reads files by the page: where it cannot read a sector, none of its page is read. */
const pageBytes = 4096;

/** Stands where nothing was read: no checksum that a file was written with holds over it. */
const filler = 'unreadable';

/**
 * The same disk, but for reads: a page that the disk does not read is filled, and `met` is called
 * with its first byte in the file. Only for what checks every byte that it reads.
 */
export function aroundUnreadable(disk: Disk, met: (position: number) => void): Disk {
  const read: Disk['read'] = async (file, target, position) => {
    try {
      return await disk.read(file, target, position);
    } catch (error) {
      if (errorCode(error) !== 'EIO') throw error;
    }
    // The error may be of bytes behind the first page.
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
  // A disk may be a class, whose methods a spread would lose.
  return new Proxy(disk, {
    get: (own, name: keyof Disk) => (name === 'read' ? read : own[name].bind(own)),
  });
}
