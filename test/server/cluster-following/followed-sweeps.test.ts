import type { CountedBatch } from '../../../src/cluster/shared-history.js';
import { type Journal, journalLogName } from '../../../src/engine/journal.js';
import { KeptArchive } from '../../../src/server/cluster/kept/kept-archive.js';
import { archivedSegments } from '../../../storage/compaction/archived-segments.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import {
  type FollowingEngine,
  openFollower,
  openWriter,
  type WritingEngine,
} from '../../support/cluster/followed-engine.js';
import type { Note } from '../../support/notes.js';
import { seed } from '../../support/seed.js';
import { memoryOf, type SweptEngine } from '../../support/swept-history.js';

const at = 1_767_000_000_000;
const notes = 50;
const archive = '/archive';

let random: SeededRandom;
let names = 0;

beforeEach(() => {
  random = new SeededRandom(seed);
  names = 0;
});

const newDisk = () => new SimulatedDisk(new SeededRandom(seed));

const ask = ({ engine }: SweptEngine, type: Note['type'], id: string, about: number[] = []) =>
  engine.dispatch([{ type, kind: 'note', id, at, about }]);

/** Writes notes about other notes, and crosses most of them out. */
async function write(writer: SweptEngine, count = notes): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    names += 1;
    const id = `note${names}`;
    const { highWatermark } = writer.journal;
    const about = random.chance(0.2) ? [1 + random.below(Math.max(1, highWatermark - 1))] : [];
    await ask(writer, 'Note', id, about);
    if (random.chance(0.8)) await ask(writer, 'CrossOut', id);
    if (number % 10 === 9) await writer.roll();
  }
}

/** A history with two sweeps, and turns before, between and after them. */
async function sweptTwice(): Promise<WritingEngine> {
  const writer = await openWriter(newDisk());
  for (let sweep = 0; sweep < 2; sweep += 1) {
    await write(writer);
    const outcome = await writer.sweeper.sweep(at + 1, at);
    expect(outcome?.removedRecords).toBeGreaterThan(0);
  }
  await write(writer, 20);
  return writer;
}

async function offsetsIn(journal: Journal): Promise<ReadonlySet<number>> {
  const offsets = new Set<number>();
  for await (const turn of journal.replay()) for (const { offset } of turn) offsets.add(offset);
  return offsets;
}

const bytesOf = ({ journal }: SweptEngine) =>
  journal.segments.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** Takes batches one at a time, so that each sweep has finished before the next begins. */
async function takeSlowly(follower: FollowingEngine, batches: readonly CountedBatch[]) {
  for (const batch of batches) {
    await follower.take([batch]);
    await Promise.all(follower.followed);
  }
}

/**
 * Makes a follower archive what it sweeps; `swept` stands for the offset of other nodes, if this
 * one has noted none.
 */
async function archiveOf({ store, sweeper }: SweptEngine, swept: number): Promise<KeptArchive> {
  const kept = await KeptArchive.open(store, { folder: archive, node: 'http://node', swept });
  sweeper.archive = kept;
  return kept;
}

/** Where the archived copies end, and how many records they hold. */
async function archivedIn({ disk, store }: SweptEngine) {
  const id = store.log(journalLogName)?.id ?? -1;
  const copies = await archivedSegments(disk, archive, Buffer.from(store.id, 'hex'), id);
  const records = copies.reduce((sum, { end }) => sum + end.recordCount, 0);
  return { until: copies.at(-1)?.end.nextOffset ?? 0, records };
}

describe('a follower', () => {
  it('removes the same events as the owner, and keeps offsets and memory', async () => {
    const writer = await sweptTwice();
    const follower = await openFollower(newDisk());
    await takeSlowly(follower, writer.batches);
    const reports = await Promise.all(follower.followed);
    expect(reports).toHaveLength(2);
    for (const report of reports) expect(report?.removedRecords).toBeGreaterThan(0);
    // Segments of the two end at different offsets, and each keeps up to one segment more.
    expect(bytesOf(follower)).toBeLessThan(bytesOf(writer) + 3000);
    expect(follower.journal.endOffset).toBe(writer.journal.endOffset);
    expect(memoryOf(follower.engine)).toEqual(memoryOf(writer.engine));

    const again = await openFollower(follower.disk.restart());
    expect(memoryOf(again.engine)).toEqual(memoryOf(writer.engine));
    expect(await offsetsIn(again.journal)).toEqual(await offsetsIn(follower.journal));
  });

  it('continues to the memory of the owner wherever the power fails during a sweep', async () => {
    const writer = await sweptTwice();
    const running = await openFollower(newDisk());
    const images: SimulatedDisk[] = [];
    running.disk.afterChange = () => images.push(running.disk.copy());
    for (const batch of writer.batches) await running.take([batch]);
    await Promise.all(running.followed);
    running.disk.afterChange = null;
    const memory = memoryOf(writer.engine);
    expect(images.length).toBeGreaterThan(100);
    let removed = 0;
    for (let index = 0; index < images.length; index += 37) {
      const policy = crashPolicies[index % crashPolicies.length] ?? 'nothing';
      const crashed = images[index]?.crash(policy, index) ?? newDisk();
      const again = await openFollower(crashed);
      // Batches that the folder has already are skipped.
      await takeSlowly(again, writer.batches);
      for (const one of await Promise.all(again.followed)) removed += one?.removedRecords ?? 0;
      expect(memoryOf(again.engine)).toEqual(memory);
      const restarted = await openFollower(again.disk.restart());
      expect(memoryOf(restarted.engine)).toEqual(memory);
    }
    expect(removed).toBeGreaterThan(0);
  }, 60_000);

  it('has archived everything that its sweeps remove, even across a restart', async () => {
    const writer = await sweptTwice();
    const disk = newDisk();
    await disk.makeDirectory(archive);
    const first = await openFollower(disk);
    await archiveOf(first, 0);
    // The first process ends before the second sweep; another one follows that sweep.
    const begun = writer.batches.findIndex(
      (_, index) => index > 0 && index * 2 > writer.batches.length,
    );
    await takeSlowly(first, writer.batches.slice(0, begun));
    expect((await archivedIn(first)).records).toBeGreaterThan(0);
    const again = await openFollower(disk.restart());
    const kept = await archiveOf(again, Number.POSITIVE_INFINITY);
    await takeSlowly(again, writer.batches);
    const [report] = await Promise.all(again.followed);
    expect(report?.removedRecords).toBeGreaterThan(0);
    const { from } = kept.options();
    const { until, records } = await archivedIn(again);
    expect(until).toBeGreaterThan(0);
    expect(until).toBeLessThanOrEqual(from);
    // Nothing was swept before it was copied, and nothing was copied twice.
    expect(records).toBe(until);
  });

  it("has archived what the owner swept before the follower's own first sweep", async () => {
    const writer = await sweptTwice();
    const disk = newDisk();
    await disk.makeDirectory(archive);
    await archiveOf(await openFollower(disk), 0);
    const again = await openFollower(disk.restart());
    // By now its memory says that the owner has swept.
    await archiveOf(again, Number.POSITIVE_INFINITY);
    await takeSlowly(again, writer.batches);
    const [report] = await Promise.all(again.followed);
    expect(report?.removedRecords).toBeGreaterThan(0);
    const { until, records } = await archivedIn(again);
    expect(until).toBeGreaterThan(0);
    expect(records).toBe(until);
  });

  it('finishes its sweep when it becomes the owner, then sweeps by itself', async () => {
    const writer = await sweptTwice();
    const follower = await openFollower(newDisk());
    const batches = [...writer.batches];
    // The second sweep is skipped if the first one is still running.
    for (const batch of writer.batches) await follower.take([batch]);
    follower.own(batches);
    await write(follower, 20);
    const [first] = await Promise.all(follower.followed);
    expect(first?.removedRecords).toBeGreaterThan(0);
    await write(follower);
    const own = await follower.sweeper.sweep(at + 1, at);
    expect(own?.removedRecords).toBeGreaterThan(0);
    await write(follower, 20);
    const memory = memoryOf(follower.engine);

    const restarted = await openFollower(follower.disk.restart());
    expect(memoryOf(restarted.engine)).toEqual(memory);
    // The former owner is a follower now.
    const other = await openFollower(writer.disk.restart());
    await takeSlowly(other, batches);
    expect(memoryOf(other.engine)).toEqual(memory);
  });
});
