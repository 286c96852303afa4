import { SharedLogUnavailable } from '../../../src/cluster/cluster-errors.js';
import { ConfigurationError } from '../../../src/server/configuration/config.js';
import { exitCodeOf } from '../../../src/server/lifecycle/exit-code-of.js';
import {
  DamagedData,
  DirectoryInUse,
  DiskFailure,
  DiskFull,
  LockUnavailable,
  LogClosed,
  NewerFormat,
} from '../../../storage/faults/storage-errors.js';

const range = { file: 'a', from: 0, to: 1, lastGoodOffset: null };

test.each([
  ['bad configuration', new ConfigurationError(['x']), 64],
  ['damaged data', new DamagedData(range, 'torn'), 65],
  ['data of a later version', new NewerFormat('MANIFEST has format 9'), 65],
  ['a lock that is missing', new LockUnavailable(new Error('x')), 69],
  ['a shared log that is away', new SharedLogUnavailable('x'), 69],
  ['a disk error', new DiskFailure('writing', new Error('EIO')), 74],
  ['a full disk', new DiskFull('writing', new Error('ENOSPC')), 74],
  ['a folder in use', new DirectoryInUse('data'), 75],
  ['a broken invariant', new LogClosed('closed'), 1],
  ['anything else', new Error('x'), 1],
  ['what is no error', 'x', 1],
])('%s', (_what, error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});
