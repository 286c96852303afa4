/** What runs the files of tests. Plain JavaScript: jest requires it before anything transforms. */
import LightRunner from 'jest-light-runner';

/** No more threads than files: each takes two seconds of a processor until it is ready. */
export default class FewThreads extends LightRunner {
  runTests(tests, ...listeners) {
    const { maxWorkers } = this._globalConfig;
    const threads = Math.min(maxWorkers, tests.length);
    this._globalConfig = { ...this._globalConfig, maxWorkers: threads };
    return super.runTests(tests, ...listeners);
  }
}
