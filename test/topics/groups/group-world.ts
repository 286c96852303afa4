/**
 * One life of consumer groups over a simulated disk: topics, deciders, sessions and committed
 * offsets as the product has them, without HTTP around them.
 */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { Engine } from '../../../src/engine/engine.js';
import { EventCodec } from '../../../src/engine/event-codec.js';
import { identifiersFrom } from '../../../src/engine/identifiers.js';
import { Journal, openJournalLog } from '../../../src/engine/journal.js';
import { replayJournal, resumeEffects } from '../../../src/engine/recovery.js';
import { UpcasterTable } from '../../../src/engine/upcasters.js';
import { CommittedOffsets, offsetsTopic } from '../../../src/topics/offsets/committed-offsets.js';
import { Consumers } from '../../../src/topics/sessions/consumers.js';
import { LogCompactions } from '../../../src/topics/topics/log-compactions.js';
import { PartitionCount } from '../../../src/topics/topics/partition-count.projection.js';
import { topicDecider } from '../../../src/topics/topics/topic.decider.js';
import { carryTopicEffects } from '../../../src/topics/topics/topic.effects.js';
import { TopicLogs } from '../../../src/topics/topics/topic-logs.js';
import { TopicsService } from '../../../src/topics/topics/topics.service.js';
import { openStore } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import type { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { ManualClock } from '../../support/manual-clock.js';

export interface GroupWorld {
  readonly engine: Engine;
  readonly topics: TopicsService;
  readonly consumers: Consumers;
  readonly clock: ManualClock;
  readonly disk: SimulatedDisk;
  /** Invariants that broke, and turns that threw. */
  readonly failures: unknown[];
}

const hour = 3_600_000;

/** Starts on what the disk holds. */
export async function openGroupWorld(
  disk: SimulatedDisk,
  startsAt: number,
  seed: number,
): Promise<GroupWorld> {
  const clock = new ManualClock(startsAt);
  const failures: unknown[] = [];
  const random = new SeededRandom(seed);
  const store = await openStore(disk, '/data', {
    now: () => clock.now(),
    after: (delayMs, callback) => clock.after(delayMs, callback),
    randomBytes: (length) => random.bytes(length),
    fsync: 'strict',
    segmentBytes: 16 * 1024,
    reserveBytes: 0,
    onFailure: (error) => failures.push(error),
  });
  const upcasters = new UpcasterTable();
  const codec = new EventCodec(upcasters);
  const journal = new Journal(await openJournalLog(store), codec);
  const identifiers = identifiersFrom((length) => random.bytes(length));
  const engine = new Engine(journal, codec, upcasters, clock, identifiers, {
    turnFailed: (error) => failures.push(error),
    reactionRefused: (refused) => failures.push(refused),
  });
  const failed = (error: unknown) => failures.push(error);
  const logs = new TopicLogs(store, failed);
  const count = new PartitionCount({ topicsMax: 1000, partitionsMax: 10_000 });
  engine.register({ decider: topicDecider, view: count, folds: [count] });
  const log = pino({ level: 'warn' }, { write: failed });
  carryTopicEffects({ engine, logs, compactions: new LogCompactions(), clock, log });
  const topics = new TopicsService(engine, logs, clock, { partitions: 3, autoCreate: true });
  const offsets = await CommittedOffsets.open(await topics.openInternal(offsetsTopic), (wake) =>
    store.whenRoom(wake),
  );
  const limits = { groupsMax: 1000, consumersMax: 1000 };
  const times = { sessionTimeoutMs: 300_000, retentionMs: hour, limits };
  const consumers = new Consumers({ engine, topics, offsets, clock, ...times });
  await replayJournal(engine, journal);
  await resumeEffects(engine);
  await consumers.reassignment.recover();
  return { engine, topics, consumers, clock, disk, failures };
}

/** What a call looks at of Node's response: how it ends decides what becomes of its records. */
export class ResponseEnd extends EventEmitter {
  readonly socket = { destroyed: false };

  get asResponse(): ServerResponse {
    return this as unknown as ServerResponse;
  }

  /** All of it was handed to the system. */
  finish(): void {
    this.emit('finish');
    this.emit('close');
  }

  /** The connection broke. */
  breakOff(): void {
    this.socket.destroyed = true;
    this.emit('close');
  }
}
