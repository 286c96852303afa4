/** A name or an id as one segment of a path. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from './client-errors.js';

/**
 * Escapes the name. Throws `ClientError` if it is empty, as in `msg cancel "$ID"` with `ID` unset,
 * or is `.` or `..`: the path would then name all items instead of one.
 */
export function pathPart(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new ClientError(`"${name}" is neither an id nor a name`, exitCodes.usage);
  }
  return encodeURIComponent(name);
}
