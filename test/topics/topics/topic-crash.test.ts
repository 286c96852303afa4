/**
 * Topics are created, grow, are written to, purged, deleted and created again, and the power is cut
 * after every change of the disk. What was promised until then must hold, and what was promised to
 * be gone must be gone.
 */
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { LogCompactions } from '../../../src/topics/topics/log-compactions.js';
import type { TopicCommand } from '../../../src/topics/topics/topic.commands.js';
import {
  LogKeeping,
  LogRemoval,
  PartitionCompaction,
} from '../../../src/topics/topics/topic.effects.js';
import { Topics } from '../../../src/topics/topics/topic.entity.js';
import { topicKind } from '../../../src/topics/topics/topic.events.js';
import { TopicLogs } from '../../../src/topics/topics/topic-logs.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { type CrashPolicy, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../../storage/simulated-store.js';
import { startEngine } from '../../support/engine.js';
import { ManualClock } from '../../support/manual-clock.js';

/** For longer runs: `TOPIC_CRASH_SEEDS=100 npm run jest -- test/topics/topics/topic-crash`. */
const seeds = Number(process.env['TOPIC_CRASH_SEEDS'] ?? 2);
const steps = 12;
const policies: readonly CrashPolicy[] = ['nothing', 'everything', 'sectors'];

const name = 'rides';
const idle = { kind: topicKind, id: name, at: 1_767_000_000_000 } as const;

/** What clients were promised about the one topic. Each requested deletion ends a life of it. */
interface Promised {
  life: number;
  /** The latest life, this or an earlier one, whose records must never be seen again. */
  deletedUpTo: number;
  /** By partition, the offsets of this life's acknowledged records. */
  readonly produced: Map<number, number[]>;
  /** By partition, the acknowledged purge and the furthest requested one. */
  readonly purged: Map<number, { sure: number; most: number }>;
}

const copyOf = ({ life, deletedUpTo, produced, purged }: Promised): Promised => ({
  life,
  deletedUpTo,
  produced: new Map([...produced].map(([partition, offsets]) => [partition, [...offsets]])),
  purged: new Map([...purged].map(([partition, purge]) => [partition, { ...purge }])),
});

async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function open(disk: SimulatedDisk) {
  const { store, failures } = await openSimulated(disk, { segmentBytes: 4096 });
  const clock = new ManualClock();
  const logs = new TopicLogs(store, (error) => failures.push(error as never));
  let topics: Topics | undefined;
  const { engine } = await startEngine(
    store,
    (starting) => {
      topics = new Topics(starting, { topicsMax: 1000, partitionsMax: 10_000 });
      const log = pino({ enabled: false });
      const compactions = new LogCompactions();
      const compaction = new PartitionCompaction(starting, logs, compactions, clock, log);
      starting.carry('keepPartitionLogs', new LogKeeping(logs));
      starting.carry('dropPartitionLogs', new LogRemoval(starting, logs, clock));
      starting.carry('compactPartition', compaction);
    },
    clock,
  );
  await settle();
  const stateOf = () => topics?.stateOf(name) ?? null;
  const ask = async (command: TopicCommand) => (await topics?.ask(command))?.ok;
  return { store, logs, engine, failures, stateOf, ask };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Appends a record that names its life and its expected offset. */
const append = (log: PartitionLog, life: number) => {
  const value = Buffer.from(`${life} ${log.endOffset} ${'x'.repeat(300)}`);
  return log.append([{ key: null, value, headers: [] }]);
};

class Workload {
  readonly promised: Promised = {
    life: 1,
    deletedUpTo: 0,
    produced: new Map(),
    purged: new Map(),
  };

  constructor(
    private readonly opened: Opened,
    private readonly random: SeededRandom,
  ) {}

  async step(): Promise<void> {
    const { logs, ask } = this.opened;
    const dice = this.random.below(10);
    if (dice < 2) await this.delete();
    else if (dice === 2) {
      const partitions = 1 + this.random.below(3);
      await ask({ type: 'AlterTopic', ...idle, changes: { partitions } });
    } else if (dice < 5) await this.purge();
    else {
      await ask({ type: 'EnsureTopic', ...idle, partitions: 2 });
      await settle();
      const present = logs.present(name);
      for (let count = this.random.below(8); count > 0; count -= 1) {
        const partition = this.random.below(present.length);
        await this.produce(present[partition], partition);
      }
    }
    await settle();
  }

  private async produce(log: PartitionLog | undefined, partition: number): Promise<void> {
    if (log === undefined) return;
    const { produced, life } = this.promised;
    const { baseOffset, durable } = append(log, life);
    await durable;
    produced.set(partition, [...(produced.get(partition) ?? []), baseOffset]);
  }

  private async purge(): Promise<void> {
    const { logs, ask } = this.opened;
    const present = logs.present(name);
    const partition = this.random.below(Math.max(1, present.length));
    const log = present[partition];
    if (log === undefined) return;
    const before = this.random.below(log.highWatermark + 1);
    const known = this.promised.purged.get(partition) ?? { sure: 0, most: 0 };
    known.most = Math.max(known.most, before);
    this.promised.purged.set(partition, known);
    await ask({ type: 'TrimTopic', ...idle, trims: [{ partition, before }], cause: 'purge' });
    known.sure = Math.max(known.sure, before);
  }

  private async delete(): Promise<void> {
    const { promised } = this;
    const { life } = promised;
    // From now on the records may be gone; from the answer on they must be gone.
    promised.life += 1;
    promised.produced.clear();
    promised.purged.clear();
    if (await this.opened.ask({ type: 'DeleteTopic', ...idle })) promised.deletedUpTo = life;
  }
}

async function readAll(log: PartitionLog): Promise<{ offset: number; life: number }[]> {
  const batches = await log.read(log.startOffset);
  const records = batches.flatMap((batch) => [...batch.records()]);
  return records.map(({ offset, value }) => {
    const [life, place] = String(value).split(' ').map(Number);
    expect(place).toBe(offset);
    return { offset, life: life ?? 0 };
  });
}

/** Opens what the crash left, and checks it against what was promised. */
async function check(disk: SimulatedDisk, promised: Promised): Promise<void> {
  const opened = await open(disk);
  const { store, logs, stateOf, failures, ask } = opened;
  const topic = stateOf();
  expect(topic?.isDeleting ?? false).toBe(false);
  const expected = Array.from({ length: topic?.partitions ?? 0 }, (_, p) => `topic/${name}/${p}`);
  const left = store.logs().map((log) => log.name);
  expect(left.filter((each) => each.startsWith('topic/')).sort()).toEqual(expected);
  const lives = new Set<number>();
  for (const [partition, log] of logs.present(name).entries()) {
    const records = await readAll(log);
    for (const { life } of records) lives.add(life);
    // If a deletion was requested and not answered, this may still be the previous life.
    if (promised.deletedUpTo === promised.life - 1) {
      const { sure, most } = promised.purged.get(partition) ?? { sure: 0, most: 0 };
      expect(log.startOffset).toBeGreaterThanOrEqual(sure);
      expect(log.startOffset).toBeLessThanOrEqual(most);
    }
    for (const offset of promised.produced.get(partition) ?? []) {
      if (offset < log.startOffset) continue;
      expect(records).toContainEqual({ offset, life: promised.life });
    }
  }
  // Records of two lives never occur together, and none is of a life that has ended.
  expect(lives.size).toBeLessThanOrEqual(1);
  for (const life of lives) expect(life).toBeGreaterThan(promised.deletedUpTo);
  if ([...promised.produced.values()].some(({ length }) => length > 0)) {
    expect(topic).not.toBeNull();
  }
  expect(await ask({ type: 'EnsureTopic', ...idle, partitions: 1 })).toBe(true);
  await settle();
  const [first] = logs.present(name);
  if (first === undefined) throw new Error('a topic was made without logs');
  await append(first, promised.life).durable;
  expect(failures).toEqual([]);
  await store.close();
}

/** Many power cuts leave the same state, which is checked only once. */
function isNew(seen: Set<string>, image: SimulatedDisk, promised: Promised): boolean {
  const hash = createHash('sha1').update(inspect(promised, { depth: 5 }));
  for (const [path, bytes] of image.files()) hash.update(path).update(bytes);
  const digest = hash.digest('base64');
  if (seen.has(digest)) return false;
  seen.add(digest);
  return true;
}

test.each(Array.from({ length: seeds }, (_, index) => index + 1))(
  'a topic keeps what was promised through power cuts (seed %d)',
  async (seed) => {
    const disk = new SimulatedDisk(new SeededRandom(seed));
    const workload = new Workload(await open(disk), new SeededRandom(seed + 1000));
    // Every other workload runs as on a pool of threads: concurrent operations end in any order.
    disk.interleaves = seed % 2 === 0;
    const moments: { disk: SimulatedDisk; promised: Promised }[] = [];
    disk.afterChange = () => {
      moments.push({ disk: disk.copy(), promised: copyOf(workload.promised) });
    };
    for (let step = 0; step < steps; step += 1) await workload.step();
    disk.afterChange = null;
    expect(moments.length).toBeGreaterThan(50);
    const seen = new Set<string>();
    for (const [index, moment] of moments.entries()) {
      for (const policy of policies) {
        const image = moment.disk.crash(policy, seed * 1000 + index);
        if (!isNew(seen, image, moment.promised)) continue;
        try {
          await check(image, moment.promised);
        } catch (error) {
          throw new Error(`seed ${seed}, change ${index} of ${moments.length}, ${policy}`, {
            cause: error,
          });
        }
      }
    }
  },
  300_000,
);
