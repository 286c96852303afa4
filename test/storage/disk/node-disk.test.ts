import { constants } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeDisk, spaceOf } from '../../../storage/disk/node-disk.js';
import { itIsALog } from './log-contract.js';

describe('a log on the disk of this machine', () => {
  const made: string[] = [];

  itIsALog(async () => {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-'));
    made.push(parent);
    return { disk: nodeDisk, directory: join(parent, 'data') };
  });

  afterAll(async () => {
    for (const path of made) await rm(path, { recursive: true });
  });
});

it.each([
  ['files are left', 16, 5000],
  ['files are used up', 15, 0],
])('the free room of a file system is right when its %s', (_, ffree, available) => {
  const stats = { bavail: 5, bsize: 1000, blocks: 9 };
  expect(spaceOf({ ...stats, files: 70, ffree })).toEqual({ available, total: 9000 });
  const unlimited = { ...stats, files: 0, ffree: 0 };
  expect(spaceOf(unlimited)).toEqual({ available: 5000, total: 9000 });
});

const flagOnLinux = process.platform === 'linux' ? constants.O_DSYNC : 0;

describe('a file that is open for synced writes', () => {
  it('is written, and on Linux each of its writes is durable', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stepwell-'));
    try {
      const path = join(directory, 'file');
      await nodeDisk.close(await nodeDisk.open(path, 'create'));
      const file = await nodeDisk.open(path, 'synced');
      expect(await nodeDisk.writeSynced(file, Buffer.from('durable'), 3)).toBe(7);
      const info = await readFile(`/proc/self/fdinfo/${file}`, 'utf8').catch(() => '');
      const flags = Number.parseInt(/flags:\s+(\d+)/.exec(info)?.[1] ?? '0', 8);
      expect(flags & flagOnLinux).toBe(flagOnLinux);
      await nodeDisk.close(file);
      expect(await readFile(path, 'latin1')).toBe('\0\0\0durable');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
