/** In which order the files run. Plain JavaScript: jest requires it before anything transforms. */
import Sequencer from '@jest/test-sequencer';

/** Folders of files that take from a quarter of a minute to minutes each. */
const slow = /\/test\/(storage|cli|engine|console|crash|simulation|server)\//;

/**
 * The slow ones first: jest goes by the sizes of files where it has no timings of an earlier run,
 * and one thread would still enumerate crashes when the other has nothing left to do.
 */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = [...super.sort([...tests])];
    const isSlow = ({ path }) => slow.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
