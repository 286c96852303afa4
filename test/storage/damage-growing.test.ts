/** Damage in the segment that was growing, and not sealed, when a crash came. */
import { DamagedData } from '../../storage/faults/storage-errors.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import {
  append,
  flipped,
  isTopic,
  openIsolating,
  placesIn,
  readAll,
  recordCount,
  segmentPath,
  survey,
  surveyTwice,
} from './damaged-topic.js';
import { rounds } from './rounds.js';
import { openSimulated, settle } from './simulated-store.js';

/** `GROWING_STRIDE=1`: every bit instead of one bit of each byte, or of every other one. */
const stride = Number(process.env['GROWING_STRIDE'] ?? (rounds < 1 ? 17 : 9));

/** A journal of one record and a topic with ten records in the growing segment; then a kill. */
async function killed(watermark: 'of all' | 'of none', segmentBytes = 64 * 1024) {
  const disk = new SimulatedDisk(new SeededRandom(5));
  const { store, timers } = await openSimulated(disk, { segmentBytes });
  await append(await store.createLog('journal'), 0);
  const log = await store.createLog('topic');
  for (let offset = 0; offset < recordCount; offset += 1) await append(log, offset);
  if (watermark === 'of all') {
    await settle();
    timers.advance(25);
    await settle();
  }
  return disk.crash('nothing', 1);
}

/** Where the batches of the growing segment begin, and where the last one ends. */
function growingPlaces(disk: SimulatedDisk, number = 0): number[] {
  const bytes = disk.files().get(segmentPath(number)) ?? Buffer.alloc(0);
  // The footer may be there already, although no edit of the manifest says so.
  const footer = bytes.indexOf('SWSE');
  return [...placesIn(disk, number).slice(0, -1), footer < 0 ? bytes.length : footer];
}

/** The offset to which a bit belongs; null for the header of the segment. */
function offsetAt(places: readonly number[], bit: number): number | null {
  const at = places.findIndex((place) => place > bit >> 3);
  return at <= 0 ? null : at - 1;
}

const asRange = (offset: number | null) => (offset === null ? [] : [`${offset} to ${offset + 1}`]);

describe('a flipped bit in the segment that grew at the crash', () => {
  it('costs at most its batch if the watermark proves the end', async () => {
    const disk = await killed('of all');
    const places = growingPlaces(disk);
    expect(places.length).toBe(recordCount + 1);
    for (let bit = 0; bit < (places.at(-1) ?? 0) * 8; bit += stride) {
      const damaged = await surveyTwice(flipped(disk, segmentPath(0), bit)).catch(
        (error: unknown) => {
          throw new Error(`bit ${bit}: ${error}`);
        },
      );
      const lost = asRange(offsetAt(places, bit));
      if (damaged.join() !== lost.join()) expect({ bit, damaged }).toEqual({ bit, damaged: lost });
    }
  }, 600_000);

  it('costs at most its batch if the header of a later one proves the place', async () => {
    const disk = await killed('of none');
    const places = growingPlaces(disk);
    const last = recordCount - 1;
    for (let bit = 0; bit < (places.at(-2) ?? 0) * 8; bit += stride) {
      const damaged = await surveyTwice(flipped(disk, segmentPath(0), bit));
      const lost = asRange(offsetAt(places, bit));
      if (damaged.join() !== lost.join()) expect({ bit, damaged }).toEqual({ bit, damaged: lost });
    }
    // Nothing proves the last batch: it looks like a torn write.
    const { store, log, reported } = await openIsolating(
      flipped(disk, segmentPath(0), (places[last] ?? 0) * 8 + 200),
    );
    expect([await survey(log), reported, log.endOffset]).toEqual([[], [], last]);
    await store.close();
  }, 600_000);

  it('costs at most its batch if a segment follows that says where this one ends', async () => {
    const disk = new SimulatedDisk(new SeededRandom(5));
    const { store } = await openSimulated(disk, { segmentBytes: 530 });
    await append(await store.createLog('journal'), 0);
    const log = await store.createLog('topic');
    for (let offset = 0; offset < 4; offset += 1) await append(log, offset);
    const crashed = disk.crash('nothing', 1);
    const places = growingPlaces(crashed);
    expect([places.length, growingPlaces(crashed, 1).length]).toEqual([4, 2]);
    for (let bit = 0; bit < (places.at(-1) ?? 0) * 8; bit += stride) {
      const opened = await openIsolating(flipped(crashed, segmentPath(0), bit));
      const damaged = await survey(opened.log);
      const lost = asRange(offsetAt(places, bit));
      const { endOffset } = opened.log;
      if (damaged.join() !== lost.join() || endOffset !== 4) {
        expect({ bit, damaged, endOffset }).toEqual({ bit, damaged: lost, endOffset: 4 });
      }
      await opened.store.close();
    }
  }, 600_000);

  it('still keeps a log from opening that does not isolate damage', async () => {
    const disk = await killed('of all');
    const places = growingPlaces(disk);
    for (let bit = 0; bit < (places.at(-1) ?? 0) * 8; bit += stride * 8) {
      const damaged = flipped(disk, segmentPath(0), bit);
      const before = new Map(damaged.files());
      await expect(openSimulated(damaged, { segmentBytes: 530 })).rejects.toThrow(DamagedData);
      const after = damaged.files();
      expect(after.get(segmentPath(0))).toEqual(before.get(segmentPath(0)));
    }
  });
});

describe('the segment that grew at the crash', () => {
  it('loses, if it is cut, what was behind the cut, up to what was acknowledged', async () => {
    const disk = await killed('of all');
    const places = growingPlaces(disk);
    for (let cut = 1; cut < (places.at(-1) ?? 0); cut += stride) {
      // A batch that lacks only the zeros after its body lacks nothing once it is sealed.
      if (places.some((end) => cut < end && cut > end - 8)) continue;
      const damaged = disk.copy();
      damaged.damage(segmentPath(0), (bytes) => bytes.subarray(0, cut));
      const whole = places.slice(1).filter((end) => end <= cut).length;
      expect({ cut, damaged: await surveyTwice(damaged) }).toEqual({
        cut,
        damaged: [`${whole} to ${recordCount}`],
      });
    }
  }, 600_000);

  it('is read between several damaged places', async () => {
    const disk = await killed('of all');
    const places = growingPlaces(disk);
    const hits = [0, 1, 4, 9].map((offset) => (places[offset] ?? 0) * 8 + 100);
    const damaged = hits.reduce((one, bit) => flipped(one, segmentPath(0), bit), disk);
    expect(await surveyTwice(damaged)).toEqual(['0 to 2', '4 to 5', '9 to 10']);
  });

  it('is found damaged again after another crash before it was sealed', async () => {
    const disk = await killed('of all');
    const places = growingPlaces(disk);
    for (let count = 1; count < 80; count += 1) {
      const damaged = flipped(disk, segmentPath(0), (places[4] ?? 0) * 8 + 800);
      const again = await crashedAfter(damaged, count);
      expect(await surveyTwice(again)).toEqual(['4 to 5']);
    }
  }, 600_000);

  it('is not written to any more if it is damaged like the end of a clean stop', async () => {
    const worked = new SimulatedDisk(new SeededRandom(5));
    const { store } = await openSimulated(worked, { segmentBytes: 64 * 1024 });
    await append(await store.createLog('journal'), 0);
    const topic = await store.createLog('topic');
    for (let offset = 0; offset < recordCount; offset += 1) await append(topic, offset);
    await store.close();
    const disk = worked.crash('nothing', 1);
    const places = growingPlaces(disk);
    await disk.remove(segmentPath(0).replace('.log', '.index'));
    const bit = (places[4] ?? 0) * 8 + 800;
    expect(await surveyTwice(flipped(disk, segmentPath(0), bit))).toEqual(['4 to 5']);
    disk.damage(segmentPath(0), (bytes) => bytes.subarray(0, places[7]));
    expect(await surveyTwice(disk)).toEqual([`7 to ${recordCount}`]);
  });

  it('can be trimmed away if it is damaged, and is left alone by a compaction', async () => {
    const disk = await killed('of all');
    const bit = (growingPlaces(disk)[4] ?? 0) * 8 + 800;
    const { store, log, failures } = await openIsolating(flipped(disk, segmentPath(0), bit));
    await append(log, recordCount);
    await log.compact({ tombstonesBefore: 0 });
    expect(await survey(log)).toEqual(['4 to 5']);
    expect(await log.trimTo(recordCount)).toBe(recordCount);
    expect([(await readAll(log)).offsets, log.damages]).toEqual([[recordCount], []]);
    expect(failures).toEqual([]);
    await store.close();
  });
});

/** A store that is opened, and killed after this many changes of the disk. */
async function crashedAfter(disk: SimulatedDisk, count: number): Promise<SimulatedDisk> {
  disk.restart();
  const opening = openSimulated(disk, { segmentBytes: 530, isolatesDamage: isTopic });
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
  const crashed = disk.crash('nothing', 1);
  await opening.then(({ store }) => store.close());
  return crashed;
}
