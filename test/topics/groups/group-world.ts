/**
 * One life of consumer groups over a simulated disk: the product's topics, deciders, sessions and
 * committed offsets, without HTTP.
 */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { JournalClock } from '../../../src/engine/clock.js';
import { Engine } from '../../../src/engine/engine.js';
import { EventCodec } from '../../../src/engine/event-codec.js';
import { WallClockWatch } from '../../../src/engine/history/wall-clock-watch.js';
import { identifiersFrom } from '../../../src/engine/identifiers.js';
import { Journal, openJournalLog } from '../../../src/engine/journal.js';
import { replayJournal, resumeEffects } from '../../../src/engine/lifecycle/recovery.js';
import { Polls } from '../../../src/topics/consume/poll.js';
import { ShareReads } from '../../../src/topics/consume/share-reads.js';
import { Consumers } from '../../../src/topics/groups/consumer.entity.js';
import { ConsumerGroups } from '../../../src/topics/groups/consumer-group.entity.js';
import { GroupReassignment } from '../../../src/topics/groups/group-reassignment.js';
import { GroupViews } from '../../../src/topics/groups/group-views.js';
import { CommittedOffsets, offsetsTopic } from '../../../src/topics/offsets/committed-offsets.js';
import { GroupExpiry, OffsetRemoval } from '../../../src/topics/offsets/group-upkeep.js';
import { Commits } from '../../../src/topics/sessions/commits.js';
import { ConsumerSessions } from '../../../src/topics/sessions/consumer-sessions.js';
import { ConsumersService } from '../../../src/topics/sessions/consumers.service.js';
import { InstanceRemoval } from '../../../src/topics/sessions/instance-removal.js';
import { StartPositions } from '../../../src/topics/sessions/start-positions.js';
import { LogCompactions } from '../../../src/topics/topics/log-compactions.js';
import { SharedReads } from '../../../src/topics/topics/shared-reads.js';
import {
  LogKeeping,
  LogRemoval,
  PartitionCompaction,
} from '../../../src/topics/topics/topic.effects.js';
import { Topics } from '../../../src/topics/topics/topic.entity.js';
import { TopicLogs } from '../../../src/topics/topics/topic-logs.js';
import { TopicsService } from '../../../src/topics/topics/topics.service.js';
import { openStore } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import type { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { ManualClock } from '../../support/manual-clock.js';

export interface GroupWorld {
  readonly engine: Engine;
  readonly topics: Topics;
  readonly topicLogs: TopicLogs;
  readonly service: TopicsService;
  readonly views: GroupViews;
  readonly sessions: ConsumerSessions;
  readonly starts: StartPositions;
  readonly offsets: CommittedOffsets;
  readonly consumers: ConsumersService;
  readonly commits: Commits;
  readonly polls: Polls;
  readonly clock: ManualClock;
  readonly disk: SimulatedDisk;
  /** Broken invariants, and errors of turns. */
  readonly failures: unknown[];
}

const hour = 3_600_000;
const limits = { topicsMax: 1000, partitionsMax: 10_000, groupsMax: 1000, consumersMax: 1000 };

/** Starts from the content of the disk. */
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
  const codec = new EventCodec();
  const journalLog = await openJournalLog(store);
  const journal = new Journal(journalLog, codec);
  const identifiers = identifiersFrom((length) => random.bytes(length));
  const engine = new Engine(journalLog, codec, new JournalClock(clock), identifiers, {
    turnFailed: (error) => failures.push(error),
    reactionRefused: (refused) => failures.push(refused),
  });
  const failed = (error: unknown) => failures.push(error);
  const config = { ...limits, topicPartitions: 3, topicAutoCreate: true, groupRetentionMs: hour };
  const topics = new Topics(engine, config);
  const topicLogs = new TopicLogs(store, failed);
  const log = pino({ level: 'warn' }, { write: failed });
  const compactions = new LogCompactions();
  engine.carry('keepPartitionLogs', new LogKeeping(topicLogs));
  engine.carry('dropPartitionLogs', new LogRemoval(engine, topicLogs, clock));
  const compaction = new PartitionCompaction(engine, topicLogs, compactions, clock, log);
  engine.carry('compactPartition', compaction);
  const service = new TopicsService(engine, topics, topicLogs, clock, config);
  const offsets = await CommittedOffsets.open(await topicLogs.openInternal(offsetsTopic), (wake) =>
    store.freeSpace.whenRoom(wake),
  );
  const groups = new ConsumerGroups(engine, topics, config);
  const instances = new Consumers(engine);
  const views = new GroupViews();
  const sessions = new ConsumerSessions(engine, views, offsets, clock, identifiers);
  const starts = new StartPositions(offsets, service, topicLogs, groups, views, clock);
  const removal = new InstanceRemoval(engine, groups, instances, views, sessions, offsets);
  const consumers = new ConsumersService(groups, topics, views, sessions, starts, removal, clock);
  const commits = new Commits(consumers, sessions, views, offsets, topicLogs, clock);
  const reassignment = new GroupReassignment(engine, groups, views, clock);
  groups.index(views.index, views.memory);
  views.onChanged((group, view) => sessions.viewChanged(group, view));
  topicLogs.onPartitions((topic) => sessions.partitionsCame(topic));
  topics.observe(reassignment.listener);
  topicLogs.onDropped(async (topic) => {
    await reassignment.release(topic);
    await offsets.forgetTopic(topic);
  });
  engine.carry('runConsumer', sessions);
  engine.carry('expireGroup', new GroupExpiry(engine, new WallClockWatch(clock), clock));
  engine.carry('forgetOffsets', new OffsetRemoval(engine, offsets, clock));
  await replayJournal(engine, journal);
  await resumeEffects(engine);
  await reassignment.recover();
  const reads = new ShareReads(starts, topicLogs, new SharedReads());
  const polls = new Polls(starts, reads, clock);
  const made = { topics, topicLogs, service, views, sessions, starts, offsets, consumers };
  return { engine, ...made, commits, polls, clock, disk, failures };
}

/**
 * The part of Node's response that a call uses: how it ends decides what happens to its records.
 */
export class ResponseEnd extends EventEmitter {
  readonly socket = { destroyed: false };
  statusCode = 200;

  get asResponse(): ServerResponse {
    return this as unknown as ServerResponse;
  }

  /** The response was handed to the operating system completely. */
  finish(): void {
    this.emit('finish');
    this.emit('close');
  }

  /** A refusal was handed to the operating system, in place of the records. */
  refuse(): void {
    this.statusCode = 503;
    this.finish();
  }

  /** The connection broke. */
  breakOff(): void {
    this.socket.destroyed = true;
    this.emit('close');
  }
}
