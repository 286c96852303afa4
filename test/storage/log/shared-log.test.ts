import { NotTheOwner } from '../../../storage/faults/storage-errors.js';
import type { CommitStream } from '../../../storage/log/commit-stream.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../simulated-store.js';

const record = (text: string) => ({ key: null, value: Buffer.from(text), terms: [] });

/** Accepts everything it gets, until it is closed. */
class Commits implements CommitStream {
  refusal: Error | null = null;
  readonly taken: string[] = [];

  shares(): boolean {
    return true;
  }

  async append(log: string): Promise<void> {
    if (this.refusal !== null) throw this.refusal;
    this.taken.push(log);
  }

  async drop(): Promise<void> {}

  async trim(): Promise<void> {}
}

describe('a log that other machines share', () => {
  it('has nothing in its folder that they do not have, when it ceases to be shared', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const commits = new Commits();
    const { store } = await openSimulated(disk, { commits });
    const log = await store.createLog('log');
    await log.append([record('first')]).durable;
    // It is accepted, and the log is given up before it is committed.
    const late = log.append([record('late')]).durable;
    commits.refusal = new NotTheOwner('the log was given up');
    await expect(late).rejects.toThrow();
    await store.close().catch(() => undefined);

    const again = await openSimulated(disk.restart(), { commits });
    expect(again.store.log('log')?.endOffset).toBe(1);
    await again.store.close();
    expect(commits.taken).toEqual(['log']);
  });
});
