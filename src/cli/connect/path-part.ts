/** A name or an id as one part of a path. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from './client-errors.js';

/**
 * Escapes it. Throws `ClientError` where there is none, as in `msg cancel "$ID"` without an `ID`,
 * or where it is a step of a path: it would not name one, but all of them.
 */
export function pathPart(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new ClientError(`"${name}" is no id and no name`, exitCodes.usage);
  }
  return encodeURIComponent(name);
}
