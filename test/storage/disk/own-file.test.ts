import { OpenFiles, OwnFile } from '../../../storage/disk/open-files.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';

async function ownFile() {
  const disk = new SimulatedDisk(new SeededRandom(3));
  await disk.close(await disk.open('/own', 'create'));
  const files = new OpenFiles(disk, 8);
  return { disk, files, own: new OwnFile(files, '/own', 'write', true) };
}

describe('a file with one user', () => {
  it('is opened again if it is used while it is closed', async () => {
    const { disk, own } = await ownFile();
    await own.use(async (file) => disk.write(file, Buffer.from('one'), 0));
    const closed = own.close(disk);
    await own.use(async (file) => disk.write(file, Buffer.from('two'), 3));
    await closed;
    expect(disk.files().get('/own')?.toString()).toBe('onetwo');
    await own.close(disk);
    expect(disk.openPaths).toEqual([]);
  });

  it('is synced once for all who wait, and again for later writes', async () => {
    const { disk, own } = await ownFile();
    let syncs = 0;
    const sync = async (file: number) => {
      syncs += 1;
      await disk.sync(file);
    };
    own.wrote();
    await Promise.all([own.synced(sync), own.synced(sync)]);
    expect(syncs).toBe(1);
    own.wrote();
    const first = own.synced(sync);
    own.wrote();
    await Promise.all([first, own.synced(sync)]);
    expect(syncs).toBe(3);
  });

  it('is closed once a running sync has ended', async () => {
    const { disk, own } = await ownFile();
    own.wrote();
    const synced = own.synced((file) => disk.sync(file));
    await own.close(disk);
    await synced;
    expect(disk.openPaths).toEqual([]);
  });

  it('is closed if it is idle and another one lacks a descriptor', async () => {
    const { disk, files, own } = await ownFile();
    await own.use(async (file) => disk.write(file, Buffer.from('one'), 0));
    disk.failures = [{ operation: 'open', code: 'EMFILE', nth: (disk.calls.get('open') ?? 0) + 1 }];
    const other = await files.openOwn('/own', 'read');
    expect(disk.openPaths).toEqual(['/own']);
    await disk.close(other);
  });
});
