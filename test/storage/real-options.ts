/** Options of a store in a folder of this machine, whose timers run twenty times as fast. */
import type { StoreOptions } from '../../storage/store.js';
import { SeededRandom } from '../simulation/seeded-random.js';

type Given = 'segmentBytes' | 'reserveBytes' | 'freeBytesMin' | 'onFailure';

export function realOptions(given: Pick<StoreOptions, Given>): StoreOptions {
  const random = new SeededRandom(5);
  return {
    now: Date.now,
    randomBytes: (length) => random.bytes(length),
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs / 20).unref();
      return () => clearTimeout(timer);
    },
    fsync: 'strict',
    ...given,
  };
}
