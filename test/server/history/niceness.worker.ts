/** A thread that reports its nice value before and after it has lowered its priority. */
import { getPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { letOthersGoFirst } from '../../../src/server/history/background-thread.js';

const before = getPriority();
letOthersGoFirst();
parentPort?.postMessage([before, getPriority()]);
