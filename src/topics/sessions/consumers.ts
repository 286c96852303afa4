/** Consumer groups put together: what the engine decides, what lives in memory, what is stored. */
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import { consumerDecider } from '../groups/consumer.decider.js';
import { consumerGroupDecider } from '../groups/consumer-group.decider.js';
import { consumerGroupKind } from '../groups/consumer-group.events.js';
import { GroupCount, type GroupLimits } from '../groups/group-count.projection.js';
import { GroupReassignment } from '../groups/group-reassignment.js';
import { GroupViews } from '../groups/group-views.js';
import { TopicPartitions } from '../groups/topic-partitions.projection.js';
import type { CommittedOffsets } from '../offsets/committed-offsets.js';
import { GroupExpiry, OffsetRemoval } from '../offsets/group-upkeep.js';
import { topicKind } from '../topics/topic.events.js';
import type { TopicAccess } from '../topics/topic-access.js';
import { Commits } from './commits.js';
import { ConsumerSessions } from './consumer-sessions.js';
import { ConsumersService } from './consumers.service.js';
import { GroupsAdmin } from './groups-admin.js';
import { Seeks } from './seeks.js';
import { StartPositions } from './start-positions.js';

/** What consumer groups stand on. */
export interface ConsumersOptions {
  readonly engine: Engine;
  readonly topics: TopicAccess;
  readonly offsets: CommittedOffsets;
  readonly clock: Clock;
  /** The session timeout of instances that name none, in milliseconds. */
  readonly sessionTimeoutMs: number;
  readonly limits: GroupLimits;
  /** How long a group without members keeps its committed offsets, in milliseconds. */
  readonly retentionMs: number;
}

/** Joins the engine; before recovery. */
export class Consumers {
  readonly topics: TopicAccess;
  readonly offsets: CommittedOffsets;
  readonly clock: Clock;
  readonly sessionTimeoutMs: number;
  readonly views: GroupViews;
  readonly sessions: ConsumerSessions;
  readonly starts: StartPositions;
  readonly service: ConsumersService;
  readonly commits: Commits;
  readonly seeks: Seeks;
  readonly admin: GroupsAdmin;
  readonly reassignment: GroupReassignment;

  constructor(options: ConsumersOptions) {
    const { engine, topics, offsets, clock, retentionMs } = options;
    this.topics = topics;
    this.offsets = offsets;
    this.clock = clock;
    this.sessionTimeoutMs = options.sessionTimeoutMs;
    this.views = new GroupViews((group, view) => this.sessions.viewChanged(group, view));
    const viewOf = (group: string) => this.views.find(group);
    const tell = engine.tell.bind(engine);
    this.sessions = new ConsumerSessions({ offsets, clock, viewOf, tell });
    const partitions = new TopicPartitions();
    const bornAt = (topic: string, partition: number) => partitions.bornAt(topic, partition);
    this.starts = new StartPositions({ offsets, topics, clock, bornAt, viewOf });
    const { views, sessions, starts } = this;
    const context = { engine, topics, views, sessions, starts, offsets, clock };
    this.service = new ConsumersService(context);
    this.commits = new Commits({ ...context, consumers: this.service });
    this.seeks = new Seeks({ ...context, consumers: this.service });
    this.admin = new GroupsAdmin(context);
    this.reassignment = new GroupReassignment(engine, views, clock);
    engine.follow(topicKind, partitions);
    const count = new GroupCount(partitions, options.limits);
    engine.register({ decider: consumerGroupDecider(retentionMs), view: count, folds: [count] });
    engine.register({ decider: consumerDecider, view: null, folds: [] });
    engine.carry('runConsumer', sessions);
    engine.carry('expireGroup', new GroupExpiry(clock, tell));
    engine.carry('forgetOffsets', new OffsetRemoval(offsets, clock, tell));
    engine.index([consumerGroupKind], views.index);
    engine.observe([topicKind], this.reassignment.listener);
    topics.onDropped((topic) => offsets.forgetTopic(topic));
  }
}
