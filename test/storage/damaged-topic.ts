/** A store of a journal and a topic that isolates damage: made, damaged, and surveyed. */
import { type DamagedData, DamagedOffsets } from '../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import type { Store } from '../../storage/store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { directory, openSimulated, settle } from './simulated-store.js';

export const recordCount = 10;
export const isTopic = (name: string) => name === 'topic';
export const valueAt = (offset: number, fill = 0) => Buffer.alloc(20, fill + offset + 1);

/** Three batches per segment; `reported` is the damage that the store reports. */
export async function openIsolating(disk: SimulatedDisk) {
  const reported: DamagedData[] = [];
  const onDamage = (damage: DamagedData) => reported.push(damage);
  const options = { segmentBytes: 530, isolatesDamage: isTopic, onDamage };
  const opened = await openSimulated(disk, options);
  return { ...opened, reported, log: logOf(opened.store), journal: logOf(opened.store, 'journal') };
}

export function logOf(store: Store, name = 'topic'): PartitionLog {
  const log = store.log(name);
  if (log === undefined) throw new Error(`no log ${name}`);
  return log;
}

export async function append(log: PartitionLog, offset: number, fill = 0): Promise<void> {
  const key = Buffer.from(`key-${offset % 4}`);
  await log.append([{ key, value: valueAt(offset, fill), terms: ['run-1'] }]).durable;
}

/** A journal of one record, and a topic: [0, 3) [3, 6) [6, 9) are sealed, 9 is not. */
export async function workedDisk(stop: 'cleanly' | 'kill', fill = 0): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(new SeededRandom(5));
  const { store, timers } = await openSimulated(disk, { segmentBytes: 530 });
  await append(await store.createLog('journal'), 0);
  const log = await store.createLog('topic');
  for (let offset = 0; offset < recordCount; offset += 1) await append(log, offset, fill);
  await settle();
  timers.advance(25);
  await settle();
  expect(log.segments.map(({ nextOffset }) => nextOffset)).toEqual([3, 6, 9, 10]);
  if (stop === 'cleanly') await store.close();
  return disk.crash('nothing', 1);
}

export const segmentPath = (number: number) =>
  `${directory}/logs/0000000001/000000000${number}.log`;

export function flipped(disk: SimulatedDisk, path: string, bit: number): SimulatedDisk {
  const damaged = disk.copy();
  damaged.damage(path, (bytes) => {
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    return bytes;
  });
  return damaged;
}

/** Positions of the batches in a segment, and where they end. */
export function placesIn(disk: SimulatedDisk, number: number): number[] {
  const bytes = disk.files().get(segmentPath(number)) ?? Buffer.alloc(0);
  const places: number[] = [];
  for (let at = bytes.indexOf('SWRB'); at >= 0; at = bytes.indexOf('SWRB', at + 1)) places.push(at);
  return [...places, bytes.length - 128];
}

/** What can be read, and the ranges reported as unreadable; every record must be unchanged. */
export async function readAll(log: PartitionLog, isBackwards = false) {
  const offsets: number[] = [];
  const damaged: string[] = [];
  let at = isBackwards ? log.highWatermark : log.startOffset;
  while (isBackwards ? at > log.startOffset : at < log.highWatermark) {
    try {
      const batches = await log.read(at, { backwards: isBackwards });
      if (batches.length === 0) throw new Error(`a reader stands still at ${at}`);
      for (const batch of batches) {
        for (const { offset, value } of batch.records()) {
          const isSame = value === null ? offset >= recordCount : value.equals(valueAt(offset));
          if (!isSame) throw new Error(`${offset} has changed`);
          offsets.push(offset);
        }
        at = isBackwards ? batch.baseOffset : batch.nextOffset;
      }
    } catch (error) {
      if (!(error instanceof DamagedOffsets)) throw error;
      const { from, until } = error.offsets;
      const next = isBackwards ? at - 1 : at;
      if (next < from || next >= until) throw new Error(`${next} is not in [${from}, ${until})`);
      damaged.push(`${from} to ${until}`);
      at = isBackwards ? from : until;
    }
  }
  return { offsets: offsets.sort((one, two) => one - two), damaged: damaged.sort() };
}

/** Every offset is either read, or in a range reported as damaged. */
export async function survey(log: PartitionLog): Promise<readonly string[]> {
  const { offsets, damaged } = await readAll(log);
  const backwards = await readAll(log, true);
  const ranges = log.damages.map(({ from, until }) => `${from} to ${until}`);
  const all = [...offsets];
  for (const { from, until } of log.damages) for (let at = from; at < until; at += 1) all.push(at);
  all.sort((one, two) => one - two);
  const isWhole = all.every((offset, index) => offset === log.startOffset + index);
  if (!isWhole || log.startOffset + all.length !== log.highWatermark) {
    throw new Error(`read ${offsets.join()}, damaged ${ranges.join()}`);
  }
  const reported = [damaged, backwards.damaged, ranges].map((each) => each.join());
  const read = [offsets, backwards.offsets].map((each) => each.join());
  if (new Set(reported).size > 1 || new Set(read).size > 1)
    throw new Error(JSON.stringify([reported, read]));
  return damaged;
}

/** What a log reports about itself at a start, and at the next one after another record. */
export async function surveyTwice(disk: SimulatedDisk): Promise<readonly string[]> {
  const { store, log, journal, reported } = await openIsolating(disk);
  const damaged = await survey(log);
  if (reported.length < damaged.length) throw new Error('damage was not reported');
  if ((await readAll(journal)).offsets.join() !== '0') throw new Error('the journal is damaged');
  await append(log, recordCount);
  await store.close();
  const again = await openIsolating(disk);
  if (again.log.highWatermark !== recordCount + 1) throw new Error('the new record is lost');
  const now = await survey(again.log);
  if (now.join() !== damaged.join()) throw new Error(`${damaged.join()} is ${now.join()} now`);
  await again.store.close();
  return damaged;
}
