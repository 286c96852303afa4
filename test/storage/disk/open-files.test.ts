import { OpenFiles } from '../../../storage/disk/open-files.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';

async function openFiles() {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const file = await disk.open('/shared', 'create');
  await disk.write(file, Buffer.from('one'), 0);
  await disk.close(file);
  return { disk, files: new OpenFiles(disk, 8) };
}

describe('a shared file', () => {
  it('stays open for the next user, until it is forgotten', async () => {
    const { disk, files } = await openFiles();
    await files.use('/shared', async (file) => disk.size(file));
    expect(disk.openPaths).toEqual(['/shared']);
    await files.forget('/shared');
    expect(disk.openPaths).toEqual([]);
  });

  it('is closed after its reader if it is forgotten while it is opened', async () => {
    const { disk, files } = await openFiles();
    const read = files.use('/shared', async (file) => disk.size(file));
    await files.forget('/shared');
    expect(await read).toBe(3);
    expect(disk.openPaths).toEqual([]);
  });

  it('is closed with all others if they are closed while it is opened', async () => {
    const { disk, files } = await openFiles();
    const read = files.use('/shared', async (file) => disk.size(file));
    await files.close();
    expect(await read).toBe(3);
    expect(disk.openPaths).toEqual([]);
  });

  it('may be forgotten while it cannot be opened', async () => {
    const { disk, files } = await openFiles();
    const read = files.use('/none', async () => undefined);
    const failed = expect(read).rejects.toMatchObject({ code: 'ENOENT' });
    await files.forget('/none');
    await failed;
    expect(disk.openPaths).toEqual([]);
  });
});
