/** What runs the files of tests. Plain JavaScript: jest requires it before anything transforms. */
import LightRunner from 'jest-light-runner';

/** Transforms sources in the threads that run them: jest itself has nothing to transform. */
const loader = '@swc-node/register/esm-register';

/** No more threads than files: each takes two seconds of a processor until it is ready. */
export default class FewThreads extends LightRunner {
  async runTests(tests, ...listeners) {
    const { maxWorkers } = this._globalConfig;
    // With one worker (`-i`) there is no thread but this one.
    if (maxWorkers === 1) await import(loader);
    else process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${loader}`;
    const threads = Math.min(maxWorkers, tests.length);
    this._globalConfig = { ...this._globalConfig, maxWorkers: threads };
    return super.runTests(tests, ...listeners);
  }
}
