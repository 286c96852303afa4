import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NewerFormat } from '../../../storage/faults/storage-errors.js';
import { createQueue, writeLaterQueues } from '../../support/deciders/later-queues.js';
import { runProgram } from '../../support/program/program.js';
import { startServer } from '../../support/server.js';

let parent: string;
let dataDirectory: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'stepwell-later-'));
  dataDirectory = join(parent, 'data');
  await mkdir(dataDirectory);
  const server = await startServer({ dataDirectory, environment });
  await createQueue(server, 'earlier');
  writeLaterQueues(server);
  await createQueue(server, 'later');
  await server.stop();
});

afterEach(() => rm(parent, { recursive: true }));

/** No snapshot, as it would hold the events that the start is to read. */
const environment = { STEPWELL_SNAPSHOT_EVERY: 'off' };

/** A digest of every file of the logs. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(join(folder, 'logs'), { recursive: true })).sort()) {
    const path = join(folder, 'logs', name);
    if (!(await stat(path)).isFile()) continue;
    found[name] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  }
  return found;
}

describe('a folder of a later version', () => {
  it('is refused by a start, which does not change its logs', async () => {
    const before = await contents(dataDirectory);
    const start = startServer({ dataDirectory, environment });
    await expect(start).rejects.toThrow(NewerFormat);
    await expect(start).rejects.toThrow(/\(queue\/later: QueueCreated, version 2\)/);
    expect(await contents(dataDirectory)).toEqual(before);
  });

  it('loses nothing in an export of the good part, and can be printed', async () => {
    const good = await runProgram(dataDirectory, [
      'journal',
      'export',
      '--good',
      join(parent, 'to'),
    ]);
    expect([good.code, good.stderr]).toEqual([65, expect.stringContaining('queue/later')]);
    const printed = await runProgram(dataDirectory, ['journal', 'print']);
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining('queue/later')]);
  });
});
