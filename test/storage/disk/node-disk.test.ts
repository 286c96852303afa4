import { constants } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
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

const flagOnLinux = process.platform === 'linux' ? constants.O_DSYNC : 0;

describe('a file that is open for synced writes', () => {
  it('is written, and where Linux runs each of its writes is durable', async () => {
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
