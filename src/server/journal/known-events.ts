/** All types of events that can be in the journal. */
import type { Checkpointed } from '../../engine/decider.js';
import type { JournalSweepEvent } from '../../engine/history/journal-sweep.events.js';
import type { MemoryDigested } from '../../engine/snapshots/memory-digest.events.js';
import type { DeadLetterEvent } from '../../messaging/dead-letters/dead-letter.events.js';
import type { FlowControlEvent } from '../../messaging/flow-control/flow-control.events.js';
import type { JobEvent } from '../../messaging/jobs/job.events.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';
import type { OriginEvent } from '../../messaging/origins/origin.events.js';
import type { QueueEvent } from '../../messaging/queues/queue.events.js';
import type { ScheduleEvent } from '../../messaging/schedules/schedule.events.js';
import type { SigningKeysEvent } from '../../messaging/signing-keys/signing-keys.events.js';
import type { UrlGroupEvent } from '../../messaging/url-groups/url-group.events.js';
import type { RestCredentialEvent } from '../../topics/credentials/rest-credential.events.js';
import type { ConsumerEvent } from '../../topics/groups/consumer.events.js';
import type { ConsumerGroupEvent } from '../../topics/groups/consumer-group.events.js';
import type { SubscriptionEvent } from '../../topics/subscriptions/subscription.events.js';
import type { SubscriptionPartitionEvent } from '../../topics/subscriptions/subscription-partition.events.js';
import type { TopicEvent } from '../../topics/topics/topic.events.js';
import type { FailedRunEvent } from '../../workflows/failed-runs/failed-run.events.js';
import type { RunEvent } from '../../workflows/run-state/run.events.js';
import type { RefusalRecordEvent } from '../refusals/refusal-record.events.js';
import type { JournalRevealed } from '../reveals/reveal.events.js';
import type { TokenEvent } from '../tokens/token.events.js';

type ProductEvent =
  | Checkpointed
  | JournalSweepEvent
  | MemoryDigested
  | DeadLetterEvent
  | FlowControlEvent
  | JobEvent
  | MessageEvent
  | OriginEvent
  | QueueEvent
  | ScheduleEvent
  | SigningKeysEvent
  | UrlGroupEvent
  | RefusalRecordEvent
  | JournalRevealed
  | TokenEvent
  | RestCredentialEvent
  | ConsumerGroupEvent
  | ConsumerEvent
  | SubscriptionPartitionEvent
  | SubscriptionEvent
  | TopicEvent
  | FailedRunEvent
  | RunEvent;

/** Every type: the compiler reports a missing one. */
const types: { readonly [Type in ProductEvent['type']]: true } = {
  Checkpointed: true,
  JournalSweepBegun: true,
  JournalSwept: true,
  MemoryDigested: true,
  DeadLetterDeleted: true,
  DeadLetterRetried: true,
  FlowControlLimited: true,
  FlowControlPinned: true,
  FlowControlUnpinned: true,
  FlowControlPaused: true,
  FlowControlResumed: true,
  RateReset: true,
  GrantsReserved: true,
  FlowControlForgotten: true,
  JobCreated: true,
  JobAdvanced: true,
  JobFinished: true,
  JobAborted: true,
  JobForgotten: true,
  MessagePublished: true,
  MessageDelivered: true,
  AttemptFailed: true,
  MessageRescheduled: true,
  MessageFailed: true,
  MessageCompleted: true,
  MessageCanceled: true,
  OriginPaused: true,
  OriginResumed: true,
  QueueCreated: true,
  QueueConfigured: true,
  QueueDeleted: true,
  ScheduleCreated: true,
  ScheduleTriggered: true,
  SchedulePaused: true,
  ScheduleResumed: true,
  ScheduleDeleted: true,
  SigningKeysRotated: true,
  EndpointsUpserted: true,
  EndpointsRemoved: true,
  GroupHeadersSet: true,
  UrlGroupDeleted: true,
  RequestRefused: true,
  RefusalsCounted: true,
  JournalRevealed: true,
  TokenCreated: true,
  TokenRevoked: true,
  TokenExpired: true,
  RestCredentialCreated: true,
  RestCredentialDeleted: true,
  MemberJoined: true,
  SubscriptionChanged: true,
  MemberLeft: true,
  PartitionsReassigned: true,
  OffsetsReset: true,
  GroupDeleted: true,
  GroupRemoved: true,
  ConsumerOpened: true,
  ConsumerClosed: true,
  PartitionOpened: true,
  RecordsPushed: true,
  PartitionPaused: true,
  PartitionResumed: true,
  PartitionClosed: true,
  SubscriptionCreated: true,
  SubscriptionGrown: true,
  SubscriptionPaused: true,
  SubscriptionResumed: true,
  SubscriptionDeleted: true,
  TopicCreated: true,
  TopicAltered: true,
  TopicTrimmed: true,
  CompactionBegun: true,
  CompactionEnded: true,
  TopicDeleted: true,
  TopicRemoved: true,
  FailedRunDeleted: true,
  FailedRunResumed: true,
  FailedRunRestarted: true,
  RunStarted: true,
  RunReconfigured: true,
  FailureCallbackNamed: true,
  StepStored: true,
  StepEdited: true,
  CallRequested: true,
  WaitOpened: true,
  WaitEnded: true,
  NotificationStored: true,
  StepInvoked: true,
  InvocationEnded: true,
  InvokerChanged: true,
  RunSucceeded: true,
  RunFailed: true,
  RunCanceled: true,
};

/** Whether an event of this type can be in a journal. */
export function isEventType(type: string): boolean {
  return Object.hasOwn(types, type);
}
