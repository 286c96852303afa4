/** Whether a path lies within another one, or is the same. */
import { relative, resolve, sep } from 'node:path';

/** As the names say, from the working directory; links are not followed. */
export function isWithin(outer: string, inner: string): boolean {
  const way = relative(resolve(outer), resolve(inner));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}
