import { mkdtemp, rm } from 'node:fs/promises';
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
