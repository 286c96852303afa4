/**
 * Every kind and every index of the product in an engine without a server: it folds events and
 * decides nothing. Snapshots and replays, which fold a journal separately, get their memory from
 * here; a test checks that it has the same parts as the server's.
 */
import { JournalClock, systemClock } from '../../engine/clock.js';
import type { Command, Decider, DomainEvent } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import { EventCodec } from '../../engine/event-codec.js';
import { Crossings } from '../../engine/history/crossings.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { systemIdentifiers } from '../../engine/identifiers.js';
import type { TurnLog } from '../../engine/journal.js';
import { MemoryDigests } from '../../engine/snapshots/memory-digests.js';
import type { EngineWatch } from '../../engine/turn.js';
import { DeadLetters } from '../../messaging/dead-letters/dead-letter.entity.js';
import { FlowControls } from '../../messaging/flow-control/flow-control.entity.js';
import { Jobs } from '../../messaging/jobs/job.entity.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import { Origins } from '../../messaging/origins/origin.entity.js';
import { Queues } from '../../messaging/queues/queue.entity.js';
import { QueueEntries } from '../../messaging/queues/queue-entries.js';
import { Schedules } from '../../messaging/schedules/schedule.entity.js';
import type { MessagingSettings } from '../../messaging/settings.js';
import { SigningKeys } from '../../messaging/signing-keys/signing-keys.entity.js';
import { UrlGroups } from '../../messaging/url-groups/url-group.entity.js';
import { RestCredentials } from '../../topics/credentials/rest-credential.entity.js';
import { Consumers } from '../../topics/groups/consumer.entity.js';
import { ConsumerGroups, type GroupSettings } from '../../topics/groups/consumer-group.entity.js';
import { GroupViews } from '../../topics/groups/group-views.js';
import { Subscriptions } from '../../topics/subscriptions/subscription.entity.js';
import { SubscriptionPartitions } from '../../topics/subscriptions/subscription-partition.entity.js';
import type { TopicLimits } from '../../topics/topics/partition-count.projection.js';
import { Topics } from '../../topics/topics/topic.entity.js';
import { FailedRuns } from '../../workflows/failed-runs/failed-run.entity.js';
import { Runs } from '../../workflows/runs/run.entity.js';
import { RefusalRecords } from '../refusals/refusal-record.entity.js';
import { Reveals } from '../reveals/reveal.entity.js';
import { Tokens } from '../tokens/token.entity.js';

/** The settings that memory depends on, besides the events. */
export interface FoldingSettings
  extends Pick<MessagingSettings, 'deadLetterRetentionMs'>,
    GroupSettings,
    TopicLimits {
  /** The distance between sweep edges (`Crossings`); null if the journal is kept forever. */
  readonly sweepStretch: number | null;
}

/** Pass to `engine.replay` the envelopes that `codec` decodes from a journal's records. */
export interface ProductFolding {
  readonly engine: Engine;
  readonly codec: EventCodec;
}

/** A decider of any kind, with untyped states and events. */
export type AnyDecider = Decider<unknown, Command, DomainEvent>;

/** The meaning of an event does not depend on settings, so deciders fold alike with any. */
const anySettings: FoldingSettings = {
  deadLetterRetentionMs: 0,
  groupRetentionMs: 0,
  groupsMax: 0,
  consumersMax: 0,
  topicsMax: 0,
  partitionsMax: 0,
  sweepStretch: null,
};

const noLog: TurnLog = {
  endOffset: 0,
  highWatermark: 0,
  append() {
    throw new Error('nothing is decided here');
  },
  flush: () => undefined,
};

const noWatch: EngineWatch = { turnFailed: () => undefined, reactionRefused: () => undefined };

/** An empty memory of the whole product. */
export function productFolding(settings: FoldingSettings): ProductFolding {
  const codec = new EventCodec();
  const engine = new Engine(
    noLog,
    codec,
    new JournalClock(systemClock),
    systemIdentifiers,
    noWatch,
  );
  registerKinds(engine, settings);
  new JournalSweeps(engine);
  new MemoryDigests(engine);
  new Tokens(engine);
  new RefusalRecords(engine);
  new Reveals(engine);
  if (settings.sweepStretch !== null) new Crossings(settings.sweepStretch).follow(engine);
  return { engine, codec };
}

/** The deciders of every kind of stream that a journal may hold, in no particular order. */
export function productDeciders(): readonly AnyDecider[] {
  const { engine } = productFolding(anySettings);
  return engine.kinds.map((kind) => engine.actors(kind).decider);
}

function registerKinds(engine: Engine, settings: FoldingSettings): void {
  const messages = new Messages(engine);
  new SigningKeys(engine);
  new FlowControls(engine, messages);
  new DeadLetters(engine, messages, settings);
  new Schedules(engine, messages);
  new UrlGroups(engine);
  new Jobs(engine);
  new Origins(engine);
  new RestCredentials(engine);
  const runs = new Runs(engine, messages);
  new FailedRuns(engine, runs, messages, settings);
  const topics = new Topics(engine, settings);
  new Subscriptions(engine, topics);
  new SubscriptionPartitions(engine, messages);
  new Consumers(engine);
  const queues = new Queues(engine);
  const groups = new ConsumerGroups(engine, topics, settings);
  const entries = new QueueEntries();
  engine.index([messages.kind, queues.kind], entries.learnAlone, entries.memory);
  const views = new GroupViews();
  groups.index(views.index, views.memory);
}
