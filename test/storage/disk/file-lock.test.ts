import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseLock, type TryLock, tryLock } from '../../../storage/disk/file-lock.js';
import { LockUnavailable } from '../../../storage/faults/storage-errors.js';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-lock-'));
  path = join(folder, 'LOCK');
});

afterEach(() => rm(folder, { recursive: true }));

/** An addon that `require` refuses with `code`. */
function refusing(code: string): (name: string) => unknown {
  return () => {
    throw Object.assign(new Error(`it said ${code}\nand much more`), { code });
  };
}

const load = createRequire(import.meta.url);

/** By the package's own search for its file. */
const searched = chooseLock((name) => load(name.replace(/^.*\.node$/, 'not-there')));

const kinds: [string, TryLock][] = [
  ['the addon', chooseLock(load)],
  ['the addon, where its package finds it', searched],
  ['flock(1), where the addon is absent', chooseLock(refusing('MODULE_NOT_FOUND'))],
  ['flock(1), where it ships nothing for the platform', chooseLock(refusing('ADDON_NOT_FOUND'))],
  ['flock(1), where it does not load', chooseLock(refusing('CANNOT_LOAD'))],
  ['what this machine takes', tryLock],
];

describe.each(kinds)('the lock of %s', (_kind, lock) => {
  it('excludes another open file of this process until it is closed', () => {
    const [first, second] = [openSync(path, 'w+'), openSync(path, 'r+')];
    try {
      expect([lock(first), lock(second)]).toEqual([true, false]);
      closeSync(first);
      expect(lock(second)).toBe(true);
    } finally {
      closeSync(second);
    }
  });
});

it('the lock is made by the addon here, whatever else the machine has', () => {
  const [first, second] = [openSync(path, 'w+'), openSync(path, 'r+')];
  try {
    expect(tryLock(first)).toBe(true);
    // Of the other kind: it would be refused if this machine used that one.
    expect(chooseLock(refusing('MODULE_NOT_FOUND'))(second)).toBe(true);
  } finally {
    closeSync(first);
    closeSync(second);
  }
});

it('the lock is the same, however the file of the addon is found', () => {
  const files = ['w+', 'r+', 'r+'].map((flags) => openSync(path, flags));
  const [first = -1, second = -1, third = -1] = files;
  expect([chooseLock(load)(first), searched(second)]).toEqual([true, false]);
  closeSync(first);
  expect([searched(second), chooseLock(load)(third)]).toEqual([true, false]);
  for (const file of [second, third]) closeSync(file);
});

it('the lock does not hide an addon that fails in another way', () => {
  expect(() => chooseLock(refusing('ERR_OTHER'))).toThrow('it said ERR_OTHER');
});

it('a machine without any lock gets one line on what to do', () => {
  const { PATH } = process.env;
  const file = openSync(path, 'w+');
  process.env['PATH'] = folder;
  try {
    chooseLock(refusing('CANNOT_LOAD'))(file);
    throw new Error('locked');
  } catch (error) {
    expect(error).toBeInstanceOf(LockUnavailable);
    expect(String(error)).toMatch(/^LockUnavailable: .*it said CANNOT_LOAD\); run npm ci .*flock$/);
  } finally {
    process.env['PATH'] = PATH;
    closeSync(file);
  }
});
