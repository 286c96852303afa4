/** Whether a path lies within another one, or is the same. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { errorCode } from '../../../storage/faults/storage-errors.js';

/**
 * From the working directory. Links are followed, or a copy behind one would not be seen to lie in
 * the folder that it is made of.
 */
export function isWithin(outer: string, inner: string): boolean {
  const way = relative(placeOf(resolve(outer)), placeOf(resolve(inner)));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/** The path without links, as far as it exists. What cannot be looked at counts as named. */
function placeOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path || errorCode(error) !== 'ENOENT') return path;
    return join(placeOf(parent), basename(path));
  }
}
