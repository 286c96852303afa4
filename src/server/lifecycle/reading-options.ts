/**
 * Store options with which a folder is read besides the store that is open: by its server, by
 * commands, and by nodes that copy it.
 */
import type { StoreOptions } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';

/** Such a store takes no lock and writes nothing. */
export function readingOptions(
  clock: Clock,
  identifiers: Identifiers,
  isolatesDamage: (logName: string) => boolean,
): StoreOptions {
  return {
    now: () => clock.now(),
    after: (delayMs, callback) => clock.after(delayMs, callback),
    randomBytes: (length) => identifiers.randomBytes(length),
    fsync: 'strict',
    readOnly: true,
    isolatesDamage,
    onFailure: (error) => {
      throw error;
    },
  };
}
