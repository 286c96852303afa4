/** Durable events as a live stream sends them: their kind, and the resulting state. */
import { type DomainEvent, type EventEnvelope, isCheckpoint } from '../../engine/decider.js';
import {
  type DeadLetterEvent,
  deadLetterKind,
} from '../../messaging/dead-letters/dead-letter.events.js';
import { flowControlKind } from '../../messaging/flow-control/flow-control.commands.js';
import type { FlowControlEvent } from '../../messaging/flow-control/flow-control.events.js';
import { isJobEvent, type JobEvent, jobKind } from '../../messaging/jobs/job.events.js';
import { entriesOf } from '../../messaging/logs/log-entry.js';
import { deadLetterId } from '../../messaging/messages/dead-letter-id.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { isMessageEvent } from '../../messaging/messages/recorded-events.js';
import { queueKind } from '../../messaging/queues/queue.commands.js';
import type { QueueEvent } from '../../messaging/queues/queue.events.js';
import { type ScheduleEvent, scheduleKind } from '../../messaging/schedules/schedule.events.js';
import { type TopicEvent, topicKind } from '../../topics/topics/topic.events.js';
import {
  type FailedRunEvent,
  failedRunKind,
} from '../../workflows/failed-runs/failed-run.events.js';
import { endStates } from '../../workflows/history/run-log-entry.js';
import { isRunEvent } from '../../workflows/run-state/recorded-events.js';
import { type RunEvent, runKind } from '../../workflows/run-state/run.events.js';

/** The kinds that can be followed; a dead letter is one of a message or of a run. */
export const liveKinds = [
  'message',
  'run',
  'schedule',
  'queue',
  'flow',
  'dlq',
  'topic',
  'job',
] as const;

/** A value of `?kinds=` of `/v2/live`. */
export type LiveKind = (typeof liveKinds)[number];

/** An event as sent, in JSON. */
export interface LiveEvent {
  readonly offset: number;
  readonly kind: LiveKind;
  readonly id: string;
  /** The new state, in the words of the listing of its kind. */
  readonly state: string;
  /** The type of the event, as the journal names it. */
  readonly type: string;
  /** The dead letter that was created, if dead letters are followed too. */
  readonly dlqId?: string;
}

/** Events whose resulting state depends on their type only. */
type NamedEvent =
  | ScheduleEvent
  | QueueEvent
  | FlowControlEvent
  | DeadLetterEvent
  | FailedRunEvent
  | TopicEvent
  | JobEvent;

/** null = of no use to clients. */
const stateOfType: Readonly<Record<NamedEvent['type'], string | null>> = {
  ScheduleCreated: 'ACTIVE',
  ScheduleTriggered: 'TRIGGERED',
  SchedulePaused: 'PAUSED',
  ScheduleResumed: 'ACTIVE',
  ScheduleDeleted: 'DELETED',
  QueueCreated: 'ACTIVE',
  QueueConfigured: 'CONFIGURED',
  QueueDeleted: 'DELETED',
  FlowControlLimited: 'LIMITED',
  FlowControlPinned: 'PINNED',
  FlowControlUnpinned: 'UNPINNED',
  FlowControlPaused: 'PAUSED',
  FlowControlResumed: 'RESUMED',
  RateReset: 'RESET',
  GrantsReserved: null,
  FlowControlForgotten: 'FORGOTTEN',
  DeadLetterDeleted: 'DELETED',
  DeadLetterRetried: 'RETRIED',
  FailedRunDeleted: 'DELETED',
  FailedRunResumed: 'RESUMED',
  FailedRunRestarted: 'RESTARTED',
  TopicCreated: 'ACTIVE',
  TopicAltered: 'ALTERED',
  TopicTrimmed: 'TRIMMED',
  CompactionBegun: null,
  CompactionEnded: 'COMPACTED',
  TopicDeleted: 'DELETED',
  TopicRemoved: null,
  JobCreated: 'RUNNING',
  JobAdvanced: 'RUNNING',
  JobFinished: 'DONE',
  JobAborted: 'ABORTED',
  JobForgotten: 'FORGOTTEN',
};

const namedStates: ReadonlyMap<string, string | null> = new Map(Object.entries(stateOfType));

const namedKinds: ReadonlyMap<string, LiveKind> = new Map([
  [scheduleKind, 'schedule'],
  [queueKind, 'queue'],
  [flowControlKind, 'flow'],
  [deadLetterKind, 'dlq'],
  [failedRunKind, 'dlq'],
  [topicKind, 'topic'],
  [jobKind, 'job'],
]);

/** The kinds of entities whose events can be followed. */
export const followedKinds: readonly string[] = [messageKind, runKind, ...namedKinds.keys()];

/**
 * The event for clients that follow `kinds`; null if it does not concern them. An event that
 * creates a dead letter is sent once: as an event of its message or run if those are followed.
 */
export function liveEventOf(
  envelope: EventEnvelope,
  kinds: ReadonlySet<LiveKind>,
): LiveEvent | null {
  if (isCheckpoint(envelope.event)) return null;
  if (isMessageEvent(envelope)) {
    const end = entriesOf(envelope).at(-1);
    return failing(envelope, kinds, 'message', end?.state ?? null);
  }
  if (isRunEvent(envelope)) return failing(envelope, kinds, 'run', runStateOf(envelope.event));
  const named = namedKinds.get(envelope.kind);
  if (named === undefined || !kinds.has(named)) return null;
  return liveEvent(envelope, named, namedStateOf(envelope));
}

/** A job that could not continue is aborted with a reason (messaging.md 13). */
function namedStateOf(envelope: EventEnvelope): string | null {
  if (isJobEvent(envelope)) {
    const { event } = envelope;
    if (event.type === 'JobAborted' && event.reason !== null) return 'FAILED';
  }
  return namedStates.get(envelope.event.type) ?? null;
}

const ends: Readonly<Record<string, string>> = endStates;

function runStateOf({ type }: RunEvent): string {
  return ends[type] ?? 'RUN_STARTED';
}

/** The event of something that becomes a dead letter when it fails. */
function failing(
  envelope: EventEnvelope,
  kinds: ReadonlySet<LiveKind>,
  kind: 'message' | 'run',
  state: string | null,
): LiveEvent | null {
  const isFailure = failures.has(envelope.event.type) && kinds.has('dlq');
  const own = kinds.has(kind) ? liveEvent(envelope, kind, state) : null;
  if (!isFailure) return own;
  const dlqId = deadLetterId(envelope);
  return own === null ? liveEvent({ ...envelope, id: dlqId }, 'dlq', 'CREATED') : { ...own, dlqId };
}

const failures: ReadonlySet<DomainEvent['type']> = new Set(['MessageFailed', 'RunFailed']);

function liveEvent(
  { offset, id, event: { type } }: EventEnvelope,
  kind: LiveKind,
  state: string | null,
): LiveEvent | null {
  return state === null ? null : { offset, kind, id, state, type };
}

/** Formats an event of a stream (WHATWG HTML: server-sent events). */
export function liveText(event: LiveEvent): string {
  return `id: ${event.offset}\ndata: ${JSON.stringify(event)}\n\n`;
}
