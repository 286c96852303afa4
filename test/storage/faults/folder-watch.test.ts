import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { FolderReplaced, type StorageError } from '../../../storage/faults/storage-errors.js';
import { openStore, type Store, type StoreOptions } from '../../../storage/store.js';
import { realOptions } from '../real-options.js';

let parent: string;
let store: Store;
let failure: Promise<StorageError>;

function optionsOf(onFailure: StoreOptions['onFailure']): StoreOptions {
  return realOptions({ segmentBytes: 64 * 1024, reserveBytes: 0, freeBytesMin: 0, onFailure });
}

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'stepwell-'));
  let fail: (error: StorageError) => void;
  failure = new Promise((resolve) => (fail = resolve));
  store = await openStore(
    nodeDisk,
    join(parent, 'data'),
    optionsOf((error) => fail(error)),
  );
});

afterEach(async () => {
  await store.close().catch(() => undefined);
  await rm(parent, { recursive: true });
});

test('a store whose folder was removed accepts nothing more', async () => {
  const log = await store.createLog('orders');
  await rm(join(parent, 'data'), { recursive: true });
  const error = await failure;
  expect(error).toBeInstanceOf(FolderReplaced);
  expect(error.message).toContain('/data was removed: ');
  expect(() => log.append([{ key: null, value: Buffer.from('x') }])).toThrow(error);
});

test('a store whose folder was moved makes no file in the one that took its place', async () => {
  const log = await store.createLog('orders');
  await rename(join(parent, 'data'), join(parent, 'moved'));
  await mkdir(join(parent, 'data'));
  const failures: unknown[] = [];
  const options = optionsOf((error) => failures.push(error));
  const other = await openStore(nodeDisk, join(parent, 'data'), options);
  const error = await failure;
  expect(error).toBeInstanceOf(FolderReplaced);
  const names = await readdir(join(parent, 'data'), { recursive: true });
  await expect(log.roll()).rejects.toThrow();
  await expect(store.createLog('rides')).rejects.toThrow();
  await store.close().catch(() => undefined);
  expect(await readdir(join(parent, 'data'), { recursive: true })).toEqual(names);
  await other.close();
  expect(failures).toEqual([]);
});
