/** What runs the files of tests. Plain JavaScript: jest requires it before anything transforms. */
import LightRunner from 'jest-light-runner/child-process';

/** Transforms sources in the processes that run them: jest itself has nothing to transform. */
const loader = '@swc-node/register/esm-register';

/**
 * After so many files a process is replaced: modules of tests stay, and what their variables hold.
 * A process takes two seconds of a processor until it is ready.
 */
const filesPerProcess = 60;

/**
 * Runs files in processes, not in threads of one: a test that starts a program copies the page
 * tables of all memory of its process, and each page that is written next costs a fault, in all
 * threads (ADR 86). There are no more processes than files.
 */
export default class FewProcesses extends LightRunner {
  /** Files that were given to a process, but for the first. */
  started = 0;

  async runTests(tests, ...listeners) {
    const { maxWorkers } = this._globalConfig;
    // With one worker (`-i`) there is no process but this one.
    if (maxWorkers === 1) await import(loader);
    else process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${loader}`;
    const processes = Math.min(maxWorkers, tests.length);
    this._globalConfig = { ...this._globalConfig, maxWorkers: processes };
    return super.runTests(tests, ...listeners);
  }

  /**
   * The base class sends the data that one new process asks for to all that have got a test. Those
   * that do not listen yet would wait for it for ever, so each test here has a channel of its own.
   */
  _runTest(test) {
    const projectConfig = test.context.config;
    const runner = this._testRunners.get(projectConfig);
    if (runner === undefined || this._runtime !== 'child_process') return super._runTest(test);
    const { _globalConfig: globalConfig, _runtime: runtime } = this;
    this.started += 1;
    if (this.started % (filesPerProcess * globalConfig.maxWorkers) === 0) {
      void runner.pool.recycleWorkers();
    }
    const channel = answering({ globalConfig, projectConfig, runtime });
    return runner.pool.run(test.path, { channel });
  }
}

/** A channel that answers the one message that a new process sends: it asks for its data. */
function answering(workerData) {
  let answer = () => {};
  return {
    onMessage: (listener) => {
      answer = listener;
    },
    postMessage: () => answer({ type: 'jest-light-runner-worker-data', workerData }),
  };
}
