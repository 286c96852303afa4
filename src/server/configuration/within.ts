/** Whether a path lies within another one, or is the same. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { errorCode } from '../../../storage/faults/storage-errors.js';

/**
 * Relative paths start at the working directory. Links are followed: otherwise a backup folder
 * behind a link would not be recognised as lying in the data folder.
 */
export function isWithin(outer: string, inner: string): boolean {
  const way = relative(placeOf(resolve(outer)), placeOf(resolve(inner)));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/**
 * The path with links resolved, as far as it exists. A path that cannot be examined counts as
 * given.
 */
function placeOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path || errorCode(error) !== 'ENOENT') return path;
    return join(placeOf(parent), basename(path));
  }
}
