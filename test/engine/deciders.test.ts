import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import type { Command, Effect } from '../../src/engine/decider.js';
import type { Engine } from '../../src/engine/engine.js';
import {
  type JournalSwept,
  journalSweepKind,
  type SweepOutcome,
} from '../../src/engine/history/journal-sweep.events.js';
import { type Identifiers, systemIdentifiers } from '../../src/engine/identifiers.js';
import type { Journal } from '../../src/engine/journal.js';
import { fullGrant, type Grant } from '../../src/http/identity/grant.js';
import type { DeadLetterCommand } from '../../src/messaging/dead-letters/dead-letter.commands.js';
import { deadLetterDecider } from '../../src/messaging/dead-letters/dead-letter.decider.js';
import {
  type DeadLetter,
  DeadLetters,
} from '../../src/messaging/dead-letters/dead-letters.projection.js';
import { LetterIndex } from '../../src/messaging/dead-letters/letter-index.js';
import type { FlowControlCommand } from '../../src/messaging/flow-control/flow-control.commands.js';
import { flowControlDecider } from '../../src/messaging/flow-control/flow-control.decider.js';
import { KeyUsage } from '../../src/messaging/flow-control/key-usage.projection.js';
import type { MessageCommand } from '../../src/messaging/messages/message.commands.js';
import { messageDecider } from '../../src/messaging/messages/message.decider.js';
import { Messages } from '../../src/messaging/messages/message.entity.js';
import type { QueueCommand } from '../../src/messaging/queues/queue.commands.js';
import { queueDecider } from '../../src/messaging/queues/queue.decider.js';
import type { ScheduleCommand } from '../../src/messaging/schedules/schedule.commands.js';
import { scheduleDecider } from '../../src/messaging/schedules/schedule.decider.js';
import { ScheduledMessages } from '../../src/messaging/schedules/scheduled-messages.projection.js';
import type { RotateSigningKeys } from '../../src/messaging/signing-keys/signing-keys.commands.js';
import { signingKeysDecider } from '../../src/messaging/signing-keys/signing-keys.decider.js';
import type { UrlGroupCommand } from '../../src/messaging/url-groups/url-group.commands.js';
import { urlGroupDecider } from '../../src/messaging/url-groups/url-group.decider.js';
import type { RestCredentialCommand } from '../../src/topics/credentials/rest-credential.commands.js';
import { restCredentialDecider } from '../../src/topics/credentials/rest-credential.decider.js';
import type { ConsumerCommand } from '../../src/topics/groups/consumer.commands.js';
import { consumerDecider } from '../../src/topics/groups/consumer.decider.js';
import { consumerId, consumerKind } from '../../src/topics/groups/consumer.events.js';
import type { ConsumerGroupCommand } from '../../src/topics/groups/consumer-group.commands.js';
import { consumerGroupDecider } from '../../src/topics/groups/consumer-group.decider.js';
import { consumerGroupKind } from '../../src/topics/groups/consumer-group.events.js';
import { GroupCount } from '../../src/topics/groups/group-count.projection.js';
import { TopicPartitions } from '../../src/topics/groups/topic-partitions.projection.js';
import type { SubscriptionCommand } from '../../src/topics/subscriptions/subscription.commands.js';
import { subscriptionDecider } from '../../src/topics/subscriptions/subscription.decider.js';
import type { PushRecords } from '../../src/topics/subscriptions/subscription-partition.commands.js';
import { partitionDecider } from '../../src/topics/subscriptions/subscription-partition.decider.js';
import { PartitionCount } from '../../src/topics/topics/partition-count.projection.js';
import type { TopicCommand } from '../../src/topics/topics/topic.commands.js';
import { topicDecider } from '../../src/topics/topics/topic.decider.js';
import type { TopicState } from '../../src/topics/topics/topic.state.js';
import type { FailedRunCommand } from '../../src/workflows/failed-runs/failed-run.commands.js';
import { failedRunDecider } from '../../src/workflows/failed-runs/failed-run.decider.js';
import {
  type FailedRun,
  FailedRuns,
} from '../../src/workflows/failed-runs/failed-runs.projection.js';
import type { RunCommand } from '../../src/workflows/run-state/run.commands.js';
import type { Inheritance, StepInfo } from '../../src/workflows/run-state/run.events.js';
import { runDecider } from '../../src/workflows/runs/run.decider.js';
import { noStepOptions } from '../../src/workflows/runs/run-messages.policy.js';
import { registerRuns } from '../../src/workflows/runs/run-registration.js';
import type { Waiters } from '../../src/workflows/runs/waiters.projection.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { type EngineOnDisk, openEngine } from '../support/engine.js';
import { callbackOptions, messageOptions } from '../support/message-options.js';
import { originOf, publicationOf } from '../support/publications.js';
import { scheduleDefinition } from '../support/schedule-definition.js';
import { subscriptionDefinition } from '../support/subscription-definition.js';
import { danglingOffsets, memoryOf, openSwept, unnamedOffsets } from '../support/swept-history.js';
import {
  planOf,
  runConfiguration,
  runTermsOf,
  startRun,
  stepInfo,
  submitStep,
} from '../support/workflows/run-commands.js';
import { runPlace } from '../support/workflows/run-place.js';
import { sourceTree } from '../tidy/source-tree.js';

/** More for longer runs: `DECIDER_RUNS=1000 npm run jest -- test/engine/deciders`. */
const runs = Number(process.env['DECIDER_RUNS'] ?? 25);

/** When the first command of a history is asked. */
const startedAt = 1_767_000_000_000;

/** A kind of entity as the product runs it, and histories of what may be asked of it. */
interface Subject {
  readonly file: string;
  readonly kind: string;
  /** Registers it; gives the indexes that must survive a restart as the states do. */
  join(engine: Engine): unknown;
  wants(state: never, id: string): readonly Effect[];
  readonly commands: fc.Arbitrary<Command>;
  /** Where ids are made by what happens, the command for whom it means. */
  address?(command: Command, indexes: unknown): Command;
}

const minute = 60_000;
const few = { min: 0, max: 3 };
const anyMessage = fc.integer({ min: 0, max: 6 }).map((number) => `msg_${number}`);
const noHeaders: string[] = [];

const publish = fc
  .record({
    id: anyMessage,
    maxRetries: fc.integer(few),
    retryDelay: fc.constantFrom(null, '1000', '1000 * pow(2, retried)'),
    deduplicationKey: fc.constantFrom(null, 'id:a', 'id:b', 'content:c'),
    flowControl: fc.constantFrom(
      null,
      { key: 'k', parallelism: 2, rate: null, periodSeconds: 1 },
      { key: 'k', parallelism: null, rate: 3, periodSeconds: 60 },
    ),
    queueName: fc.constantFrom(null, 'q'),
    labels: fc.subarray(['blue', 'green']),
    url: fc.constantFrom('https://example.com/a', 'http://example.com:8080?b'),
    body: fc.uint8Array({ maxLength: 20 }),
  })
  .map(({ id, body, ...chosen }) => ({
    type: 'PublishMessage' as const,
    id,
    body: Buffer.from(body),
    sharesBodyWith: null,
    message: messageOptions({ ...chosen, notBefore: startedAt, bodyBytes: body.length }),
  }));

const recordAttempt = fc
  .record({
    id: anyMessage,
    attempt: fc.integer(few),
    status: fc.constantFrom(0, 200, 204, 429, 500),
    nonRetryable: fc.boolean(),
    headers: fc.constantFrom(noHeaders, ['Retry-After', '120']),
  })
  .map(({ id, nonRetryable, ...outcome }) => ({
    type: 'RecordAttempt' as const,
    id,
    nonRetryable,
    responseBody: Buffer.from('answer'),
    terms: [],
    record: {
      ...outcome,
      startedAt,
      durationMs: 20,
      error: outcome.status === 0 ? 'connection refused' : null,
    },
  }));

/** Without kind and time, which the history gives. */
type Asked<Cmd extends Command> = Cmd extends Command ? Omit<Cmd, 'kind' | 'at'> : never;

const messageCommands: fc.Arbitrary<Asked<MessageCommand>> = fc.oneof(
  { weight: 4, arbitrary: publish },
  { weight: 4, arbitrary: recordAttempt },
  fc.record({
    type: fc.constantFrom('CancelMessage' as const, 'CompleteMessage' as const),
    id: anyMessage,
    terms: fc.constant([]),
  }),
);

/** Of letters the place in their list, which stands for the id. */
const letterCommands: fc.Arbitrary<Asked<DeadLetterCommand>> = fc.record({
  type: fc.constantFrom('DeleteDeadLetter' as const, 'RetryDeadLetter' as const),
  id: fc.constantFrom('0', '0', '1'),
  messageId: fc.constant('msg_again'),
});

const failedRunCommands: fc.Arbitrary<Asked<FailedRunCommand>> = fc.record({
  type: fc.constantFrom(
    'DeleteFailedRun' as const,
    'ResumeFailedRun' as const,
    'RestartFailedRun' as const,
    'AllowFailureCallback' as const,
  ),
  id: fc.constantFrom('0', '0', '1'),
  runId: fc.constant('wfr_again'),
});

/** Messages whose only attempt fails, mostly. */
const failures: fc.Arbitrary<Asked<MessageCommand>> = fc.oneof(
  publish.map(({ message, ...command }) => ({
    ...command,
    message: { ...message, maxRetries: 0, deduplicationKey: null },
  })),
  recordAttempt.map(({ record, ...command }) => ({
    ...command,
    record: { ...record, attempt: 0, status: record.status === 200 ? 200 : 500 },
  })),
);

const rotations: fc.Arbitrary<Asked<RotateSigningKeys>> = fc
  .record({
    configured: fc.constantFrom(
      { current: 'sig_1', next: 'sig_2' },
      { current: 'sig_8', next: 'sig_9' },
    ),
    fresh: fc.integer({ min: 10, max: 99 }).map((number) => `sig_${number}`),
  })
  .map((pairs) => ({ type: 'RotateSigningKeys' as const, id: 'keys', ...pairs }));

const anyConsumerGroup = fc.constantFrom('readers', 'writers');
const anyInstance = fc.constantFrom('a', 'b', 'c/d');
const someTopics = fc.subarray(['rides', 'fares'], { minLength: 1 });
const someGrant = fc.constantFrom<Grant>(fullGrant, { permissions: 'CONSUME', topic: 'rides' });
const groupRetentionMs = 10 * minute;

const consumerGroupCommands: fc.Arbitrary<Asked<ConsumerGroupCommand>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('JoinGroup' as const),
      id: anyConsumerGroup,
      instance: anyInstance,
      topics: someTopics,
      settings: fc.record({
        autoCommit: fc.boolean(),
        autoCommitIntervalMs: fc.constantFrom(0, 5000),
        offsetReset: fc.constantFrom('earliest', 'latest', 'none'),
        sessionTimeoutMs: fc.constant(120_000),
      }),
      grant: someGrant,
      strategy: fc.constantFrom(null, 'range', 'roundrobin', 'sticky'),
    }),
  },
  fc.record({
    type: fc.constant('ChangeSubscription' as const),
    id: anyConsumerGroup,
    instance: anyInstance,
    topics: someTopics,
    grant: someGrant,
  }),
  fc.record({
    type: fc.constantFrom('ReassignGroup' as const, 'DeleteGroup' as const, 'RemoveGroup' as const),
    id: anyConsumerGroup,
  }),
  fc.record({
    type: fc.constant('ExpireGroup' as const),
    id: anyConsumerGroup,
    emptySince: fc.constantFrom(startedAt, startedAt + minute),
  }),
);

const consumerCommands: fc.Arbitrary<Asked<ConsumerCommand>> = fc
  .record({
    group: anyConsumerGroup,
    instance: anyInstance,
    reason: fc.constantFrom('deleted', 'idle', 'expired'),
  })
  .map(({ reason, ...place }) => ({ type: 'CloseConsumer', id: consumerId(place), reason }));

const anyTopic = fc.constantFrom('rides', 'fares');
const anyPartition = fc.integer({ min: 0, max: 3 });
const retention = fc.constantFrom(null, -1, 0, 60_000);

const anySubscription = fc.constantFrom('push', 'other', 'no name');
const subscriptionCommands: fc.Arbitrary<Asked<SubscriptionCommand>> = fc.oneof(
  fc
    .record({
      id: anySubscription,
      topic: anyTopic,
      maxRecords: fc.constantFrom(1, 10, 501),
      positions: fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }),
    })
    .map(({ id, positions, ...changes }) => ({
      type: 'CreateSubscription' as const,
      id,
      positions,
      definition: subscriptionDefinition(changes),
    })),
  fc.record({
    type: fc.constant('GrowSubscription' as const),
    id: anySubscription,
    partitions: fc.integer(few),
  }),
  fc.record({
    type: fc.constantFrom('PauseSubscription' as const, 'ResumeSubscription' as const),
    id: anySubscription,
  }),
  fc.record({
    type: fc.constant('DeleteSubscription' as const),
    id: anySubscription,
    cause: fc.constantFrom('asked' as const, 'topicDeleted' as const),
  }),
);

const pushes: fc.Arbitrary<Asked<PushRecords>> = fc
  .record({
    id: fc.constantFrom('push/0', 'push/1', 'other/0'),
    position: fc.nat(3),
    records: fc.nat(2),
    messages: fc.array(publish, { maxLength: 2 }),
  })
  .map(({ position, messages, ...rest }) => ({
    type: 'PushRecords' as const,
    ...rest,
    position,
    from: position,
    until: position + 1,
    skipped: 0,
    messages: messages.map((message) => ({
      ...message,
      kind: messageDecider.kind,
      at: startedAt,
    })),
  }));

const topicCommands: fc.Arbitrary<Asked<TopicCommand>> = fc.oneof(
  fc.record({
    type: fc.constant('EnsureTopic' as const),
    id: fc.constantFrom('rides', 'fares', '__taken', 'no/name'),
    partitions: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({
    type: fc.constant('CreateTopic' as const),
    id: anyTopic,
    partitions: fc.constantFrom(1, 2, 1025),
    retentionMs: retention,
    retentionBytes: fc.constantFrom(-1, 1000),
    cleanupPolicy: fc.constantFrom('delete' as const, 'compact' as const),
  }),
  fc.record({
    type: fc.constant('AlterTopic' as const),
    id: anyTopic,
    changes: fc.record(
      { partitions: fc.integer({ min: 1, max: 5 }), retentionMs: retention },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    type: fc.constant('TrimTopic' as const),
    id: anyTopic,
    trims: fc.array(fc.record({ partition: anyPartition, before: fc.nat(30) }), { maxLength: 2 }),
    cause: fc.constantFrom('time' as const, 'size' as const, 'purge' as const),
  }),
  fc.record({
    type: fc.constant('BeginCompaction' as const),
    id: anyTopic,
    partition: anyPartition,
    until: fc.nat(30),
    tombstonesBefore: fc.constant(startedAt),
  }),
  fc.record({
    type: fc.constant('EndCompaction' as const),
    id: anyTopic,
    partition: anyPartition,
    removedRecords: fc.constant(3),
    removedBytes: fc.constant(300),
    oldestTombstone: fc.constantFrom(null, startedAt),
  }),
  fc.record({
    type: fc.constantFrom('DeleteTopic' as const, 'RemoveTopic' as const),
    id: anyTopic,
  }),
);

const anySchedule = fc.constantFrom('hourly', 'yearly');
const newYears = [Date.UTC(2026, 0), Date.UTC(2027, 0)];

const scheduleCommands: fc.Arbitrary<Asked<ScheduleCommand>> = fc.oneof(
  fc
    .record({ id: anySchedule, cron: fc.constantFrom('0 * * * *', '0 0 1 1 *', '0 0 30 2 *') })
    .map(({ id, cron }) => ({
      type: 'CreateSchedule' as const,
      id,
      definition: scheduleDefinition({ cron }),
      body: Buffer.from('again'),
    })),
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('TriggerSchedule' as const),
      id: anySchedule,
      dueAt: fc.constantFrom(...newYears),
      definitionOffset: fc.integer({ min: 0, max: 4 }),
      messageIds: fc.constant(['msg_a']),
      error: fc.constantFrom(null, 'nobody there'),
    }),
  },
  fc.record({
    type: fc.constantFrom('PauseSchedule', 'ResumeSchedule', 'DeleteSchedule'),
    id: anySchedule,
  }),
);

const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
const keyed = <Type extends string, Fields extends object>(
  type: Type,
  fields: fc.Arbitrary<Fields>,
) =>
  fc
    .tuple(fc.constantFrom('k', 'other'), fields)
    .map(([id, chosen]) => ({ type, id, ...chosen }) as const);

const flowControls: fc.Arbitrary<Asked<FlowControlCommand>> = fc.oneof(
  keyed(
    'NameFlowControl',
    fc.record({
      limits: fc.record({
        parallelism: limit,
        rate: limit,
        periodSeconds: fc.constantFrom(1, 60, 3600),
      }),
    }),
  ),
  keyed('PinFlowControl', fc.record({ parallelism: limit, rate: limit, periodSeconds: limit })),
  keyed('UnpinFlowControl', fc.record({ parallelism: fc.boolean(), rate: fc.boolean() })),
  keyed('PauseFlowControl', fc.constant({})),
  keyed('ResumeFlowControl', fc.constant({})),
  keyed('ResetRate', fc.constant({})),
  keyed('ReserveGrants', fc.record({ waiting: fc.integer({ min: 1, max: 4 }) })),
  keyed('ForgetFlowControl', fc.constant({})),
);

const anyQueue = fc.constantFrom('orders', 'mails');

const queueCommands: fc.Arbitrary<Asked<QueueCommand>> = fc.oneof(
  fc.record({
    type: fc.constant('UpsertQueue' as const),
    id: anyQueue,
    parallelism: fc.constantFrom(null, 0, 1, 5, 1_000_000),
    isPaused: fc.constantFrom(null, true, false),
  }),
  fc.record({
    type: fc.constantFrom('EnsureQueue', 'PauseQueue', 'ResumeQueue', 'DeleteQueue'),
    id: anyQueue,
  }),
);

const anyCredential = fc.constantFrom('reader', 'writer');

const credentialCommands: fc.Arbitrary<Asked<RestCredentialCommand>> = fc.oneof(
  fc.record({
    type: fc.constant('CreateRestCredential' as const),
    id: anyCredential,
    digest: fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32)),
    permissions: fc.constantFrom('ALL', 'PRODUCE', 'CONSUME'),
    topic: fc.constantFrom('rides', 'ri*', '*'),
  }),
  fc.record({ type: fc.constant('DeleteRestCredential' as const), id: anyCredential }),
);

const anyGroup = fc.constantFrom('all', 'some');
const anyUrl = fc.constantFrom('https://a.example', 'https://b.example', 'https://c.example');
const endpointName = fc.constantFrom(null, 'first', 'second');

const groupCommands: fc.Arbitrary<Asked<UrlGroupCommand>> = fc.oneof(
  fc.record({
    type: fc.constant('UpsertEndpoints' as const),
    id: anyGroup,
    endpoints: fc.array(fc.record({ url: anyUrl, name: endpointName }), { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('RemoveEndpoints' as const),
    id: anyGroup,
    endpoints: fc.array(fc.record({ url: anyUrl, name: endpointName }), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constant('SetGroupHeaders' as const),
    id: anyGroup,
    headers: fc.constantFrom([], ['X-Tenant', 'acme']),
  }),
  fc.record({ type: fc.constant('DeleteUrlGroup' as const), id: anyGroup }),
);

const anyRun = fc.constantFrom('wfr_a', 'wfr_b', 'wfr_c');
const anyStep = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((id) => stepInfo(id)),
  fc.integer({ min: 1, max: 4 }).map((id) => planOf(id)),
);
const anyEvent = fc.constantFrom('paid', 'sent');
const someBytes = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));

/** Named after what it is published for: a step that comes again names the same. */
const messageOf = (runId: string, { id, target }: StepInfo) => `msg_${runId}_${target ?? id}`;
const messageOfRun = fc
  .tuple(anyRun, fc.integer({ min: 0, max: 4 }))
  .map(([runId, step]) => `msg_${runId}_${step}`);

const configurations = fc
  .record({
    labels: fc.subarray(['blue', 'green']),
    failureCallback: fc.constantFrom(null, callbackOptions({ url: 'https://app.example/failed' })),
    fetchesLazily: fc.boolean(),
    maxRetries: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ fetchesLazily, ...terms }) =>
    runConfiguration({ fetchesLazily, terms: runTermsOf(terms) }),
  );

/** What a run that failed may leave to the one that resumes it. */
const inheritances: fc.Arbitrary<Inheritance> = fc
  .record({
    entries: fc.array(fc.record({ step: anyStep, bytes: fc.nat(100) }), {
      minLength: 1,
      maxLength: 3,
    }),
    waits: fc.array(fc.record({ eventId: anyEvent, deadline: fc.nat(10_000) }), { maxLength: 2 }),
    notifications: fc.array(fc.record({ eventId: anyEvent, bytes: fc.nat(100) }), { maxLength: 2 }),
    calls: fc.array(anyStep, { maxLength: 2 }),
    invocations: fc.array(anyRun, { maxLength: 2 }),
  })
  .map(({ entries, waits, notifications, calls, invocations }) => ({
    runId: 'wfr_failed',
    entries: entries.map((entry, offset) => ({ ...entry, offset, messageId: `msg_old_${offset}` })),
    waits: waits.map((wait, offset) => ({ ...wait, offset, step: stepInfo(offset + 10) })),
    notifications: notifications.map((stored, offset) => ({ ...stored, offset: offset + 100 })),
    calls: calls.map((step, index) => ({ step, messageId: `msg_call_${index}` })),
    invocations: invocations.map((runId, index) => ({
      step: stepInfo(index + 20),
      runId,
      messageId: `msg_invoked_${index}`,
    })),
  }));

const starts = fc
  .record({
    id: anyRun,
    configuration: configurations,
    payload: someBytes,
    isTakeover: fc.boolean(),
    inherited: fc.option(inheritances, { nil: null, freq: 3 }),
  })
  .map((chosen) => {
    const messageId = `msg_${chosen.id}_0`;
    const repeated = [{ messageId, message: messageOptions({ run: runPlace() }) }];
    return startRun({ ...chosen, messageId, repeated });
  });

const steps = fc
  .record({ id: anyRun, step: anyStep, body: someBytes, callback: fc.boolean() })
  .map(({ id, step, body, callback }) => {
    const failureCallback = callback ? callbackOptions() : null;
    return submitStep(step, { id, body, failureCallback, messageId: messageOf(id, step) });
  });

const runCommands: fc.Arbitrary<Asked<RunCommand>> = fc.oneof(
  { weight: 6, arbitrary: starts },
  { weight: 6, arbitrary: steps },
  fc.record({ id: anyRun, step: anyStep, body: someBytes }).map(({ id, step, body }) => ({
    type: 'RequestCall' as const,
    id,
    step,
    messageId: messageOf(id, step),
    message: messageOptions({ maxRetries: 0 }),
    body,
    callback: noStepOptions,
  })),
  {
    weight: 3,
    arbitrary: fc
      .record({ id: anyRun, step: anyStep, eventId: anyEvent })
      .map(({ id, step, eventId }) => ({
        type: 'OpenWait' as const,
        id,
        step,
        eventId,
        timeout: '1h',
        deadline: startedAt + 60 * minute,
        messageId: messageOf(id, step),
      })),
  },
  // Of the event's waiters the first: where it waits is filled in.
  {
    weight: 3,
    arbitrary: fc
      .record({ id: anyEvent, body: someBytes, isTimeout: fc.boolean() })
      .map(({ id, body, isTimeout }) => ({
        type: 'EndWait' as const,
        id,
        stepId: 0,
        waitOffset: -1,
        messageId: '',
        notification: isTimeout ? null : { id: 'ntf_1', body },
      })),
  },
  fc.record({
    type: fc.constant('StoreNotification' as const),
    id: anyRun,
    eventId: anyEvent,
    body: someBytes,
    isCall: fc.boolean(),
  }),
  fc.record({ id: anyRun, child: starts, step: anyStep }).map(({ id, child, step }) => ({
    type: 'InvokeRun' as const,
    id,
    step,
    child,
  })),
  fc.record({ id: anyRun, runId: anyRun, step: anyStep }).map(({ id, runId, step }) => ({
    type: 'EndInvocation' as const,
    id,
    runId,
    step,
    messageId: messageOf(id, step),
    outcome: 'succeeded' as const,
    endOffset: 0,
    bytes: 9,
  })),
  fc.record({ id: anyRun, runId: anyRun, step: anyStep }).map(({ id, runId, step }) => ({
    type: 'ChangeInvoker' as const,
    id,
    invoker: { runId, url: 'https://app.example/wf', createdAt: startedAt, step },
  })),
  fc.record({ type: fc.constant('EndRun' as const), id: anyRun, response: someBytes }),
  fc.record({ type: fc.constant('CancelRun' as const), id: anyRun }),
  fc.record({ id: anyRun, messageId: messageOfRun }).map((chosen) => ({
    type: 'FailRun' as const,
    ...chosen,
    publishedOffset: 0,
    attemptOffset: 0,
    cause: 'exhausted' as const,
  })),
);

/** The messages of runs are attempted and taken back, of which the runs hear. */
const messagesOfRuns: fc.Arbitrary<Asked<MessageCommand>> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(recordAttempt, messageOfRun).map(([attempt, id]) => ({ ...attempt, id })),
  },
  messageOfRun.map((id) => ({ type: 'CancelMessage' as const, id, terms: [] })),
);

const asCommands = (kind: string, asked: fc.Arbitrary<object>) =>
  asked.map((command) => ({ ...command, kind, at: 0 }) as Command);

/** Messages, and whom they tell of themselves. */
function joinMessages(engine: Engine, usage = new KeyUsage()): Messages {
  const messages = new Messages(engine);
  engine.carry('callEndpoint', carriesNothing);
  engine.register({ decider: flowControlDecider, view: usage, folds: [] });
  messages.follow(usage);
  engine.register({ decider: queueDecider, view: null, folds: [] });
  return messages;
}

const consumerHistories = fc.oneof(
  { weight: 2, arbitrary: asCommands(topicDecider.kind, topicCommands) },
  { weight: 4, arbitrary: asCommands(consumerGroupKind, consumerGroupCommands) },
  asCommands(consumerKind, consumerCommands),
);

const subscriptionHistories = fc.oneof(
  asCommands(topicDecider.kind, topicCommands),
  { weight: 3, arbitrary: asCommands(subscriptionDecider.kind, subscriptionCommands) },
  { weight: 4, arbitrary: asCommands(partitionDecider.kind, pushes) },
  { weight: 2, arbitrary: asCommands(messageDecider.kind, messageCommands) },
);

const subjects: readonly Subject[] = [
  {
    file: 'src/messaging/messages/message.decider.ts',
    kind: messageDecider.kind,
    wants: messageDecider.wants,
    commands: asCommands(messageDecider.kind, messageCommands),
    join: (engine) => joinMessages(engine).deduplication,
  },
  {
    file: 'src/messaging/dead-letters/dead-letter.decider.ts',
    kind: deadLetterDecider.kind,
    wants: deadLetterDecider.wants,
    commands: fc.oneof(
      { weight: 3, arbitrary: asCommands(messageDecider.kind, failures) },
      asCommands(deadLetterDecider.kind, letterCommands),
    ),
    join(engine) {
      joinMessages(engine);
      const letters = new LetterIndex<DeadLetter>(20 * minute);
      const failures = new DeadLetters(letters, publicationOf(engine));
      engine.register({ decider: deadLetterDecider, view: letters, folds: [failures] });
      engine.follow(messageDecider.kind, failures);
      return {
        get all() {
          return letters.all(startedAt);
        },
      };
    },
    address(command, indexes) {
      const { all } = indexes as { all: readonly DeadLetter[] };
      return command.kind === deadLetterDecider.kind
        ? { ...command, id: all[Number(command.id)]?.id ?? 'no-letter' }
        : command;
    },
  },
  {
    file: 'src/workflows/runs/run.decider.ts',
    kind: runDecider.kind,
    wants: runDecider.wants,
    commands: fc.oneof(
      { weight: 3, arbitrary: asCommands(runDecider.kind, runCommands) },
      asCommands(messageDecider.kind, messagesOfRuns),
    ),
    join(engine) {
      const messages = joinMessages(engine);
      const { known, notifications, pending, waiters } = registerRuns(engine, messages);
      engine.carry('endWait', carriesNothing);
      return {
        known,
        notifications,
        get pending() {
          return ['wfr_a', 'wfr_b', 'wfr_c'].map((id) => [pending.has(id), pending.of(id)]);
        },
        get waiting() {
          return ['paid', 'sent'].map((eventId) => waiters.of(eventId));
        },
      };
    },
    address(command, indexes) {
      if (command.type !== 'EndWait') return command;
      const { waiting } = indexes as { waiting: ReturnType<Waiters['of']>[] };
      const waiter = waiting[command.id === 'paid' ? 0 : 1]?.[0];
      if (waiter === undefined) return command;
      const { runId: id, stepId, offset: waitOffset } = waiter;
      return { ...command, id, stepId, waitOffset, messageId: `msg_${id}_${stepId}` } as Command;
    },
  },
  {
    file: 'src/workflows/failed-runs/failed-run.decider.ts',
    kind: failedRunDecider.kind,
    wants: failedRunDecider.wants,
    commands: fc.oneof(
      { weight: 3, arbitrary: asCommands(runDecider.kind, runCommands) },
      { weight: 2, arbitrary: asCommands(messageDecider.kind, messagesOfRuns) },
      asCommands(failedRunDecider.kind, failedRunCommands),
    ),
    join(engine) {
      registerRuns(engine, joinMessages(engine));
      engine.carry('endWait', carriesNothing);
      const letters = new LetterIndex<FailedRun>(20 * minute);
      const failures = new FailedRuns(letters, originOf(engine));
      engine.register({ decider: failedRunDecider, view: letters, folds: [failures] });
      engine.follow(runDecider.kind, failures);
      engine.follow(messageDecider.kind, failures);
      return {
        get all() {
          return letters.all(startedAt);
        },
      };
    },
    address(command, indexes) {
      const { all } = indexes as { all: readonly FailedRun[] };
      return command.kind === failedRunDecider.kind
        ? { ...command, id: all[Number(command.id)]?.id ?? 'no-run' }
        : command;
    },
  },
  {
    file: 'src/messaging/schedules/schedule.decider.ts',
    kind: scheduleDecider.kind,
    wants: scheduleDecider.wants,
    commands: asCommands(scheduleDecider.kind, scheduleCommands),
    join(engine) {
      const messages = new ScheduledMessages();
      engine.register({ decider: scheduleDecider, view: messages, folds: [messages] });
      engine.carry('triggerSchedule', carriesNothing);
      return messages;
    },
  },
  {
    file: 'src/messaging/flow-control/flow-control.decider.ts',
    kind: flowControlDecider.kind,
    wants: flowControlDecider.wants,
    commands: fc.oneof(
      asCommands(messageDecider.kind, messageCommands),
      asCommands(flowControlDecider.kind, flowControls),
    ),
    join(engine) {
      const usage = new KeyUsage();
      joinMessages(engine, usage);
      return usage;
    },
  },
  {
    file: 'src/messaging/queues/queue.decider.ts',
    kind: queueDecider.kind,
    wants: queueDecider.wants,
    commands: asCommands(queueDecider.kind, queueCommands),
    join: (engine) => engine.register({ decider: queueDecider, view: null, folds: [] }),
  },
  {
    file: 'src/messaging/url-groups/url-group.decider.ts',
    kind: urlGroupDecider.kind,
    wants: urlGroupDecider.wants,
    commands: asCommands(urlGroupDecider.kind, groupCommands),
    join: (engine) => engine.register({ decider: urlGroupDecider, view: null, folds: [] }),
  },
  {
    file: 'src/messaging/signing-keys/signing-keys.decider.ts',
    kind: signingKeysDecider.kind,
    wants: signingKeysDecider.wants,
    commands: asCommands(signingKeysDecider.kind, rotations),
    join: (engine) => engine.register({ decider: signingKeysDecider, view: null, folds: [] }),
  },
  {
    file: 'src/topics/credentials/rest-credential.decider.ts',
    kind: restCredentialDecider.kind,
    wants: restCredentialDecider.wants,
    commands: asCommands(restCredentialDecider.kind, credentialCommands),
    join: (engine) => engine.register({ decider: restCredentialDecider, view: null, folds: [] }),
  },
  {
    file: 'src/topics/topics/topic.decider.ts',
    kind: topicDecider.kind,
    wants: topicDecider.wants,
    commands: asCommands(topicDecider.kind, topicCommands),
    join: joinTopics,
  },
  {
    file: 'src/topics/groups/consumer-group.decider.ts',
    kind: consumerGroupKind,
    wants: consumerGroupDecider(groupRetentionMs).wants,
    commands: consumerHistories,
    join: joinConsumers,
  },
  {
    file: 'src/topics/groups/consumer.decider.ts',
    kind: consumerKind,
    wants: consumerDecider.wants,
    commands: consumerHistories,
    join: joinConsumers,
  },
  {
    file: 'src/topics/subscriptions/subscription.decider.ts',
    kind: subscriptionDecider.kind,
    wants: subscriptionDecider.wants,
    commands: subscriptionHistories,
    join: joinSubscriptions,
  },
  {
    file: 'src/topics/subscriptions/subscription-partition.decider.ts',
    kind: partitionDecider.kind,
    wants: partitionDecider.wants,
    commands: subscriptionHistories,
    join: joinSubscriptions,
  },
];

function joinTopics(engine: Engine): PartitionCount {
  const count = new PartitionCount({ topicsMax: 1000, partitionsMax: 10_000 });
  engine.register({ decider: topicDecider, view: count, folds: [count] });
  engine.carry('keepPartitionLogs', carriesNothing);
  engine.carry('dropPartitionLogs', carriesNothing);
  engine.carry('compactPartition', carriesNothing);
  return count;
}

/** Subscriptions and their partitions together, with topics to subscribe to and messages to end. */
function joinSubscriptions(engine: Engine): unknown {
  joinTopics(engine);
  const partitionsOf = (topic: string) =>
    (engine.actors(topicDecider.kind).stateOf(topic) as TopicState)?.partitions ?? 0;
  const isPending = (id: string) => engine.actors(messageDecider.kind).has(id);
  engine.register({ decider: subscriptionDecider, view: { partitionsOf }, folds: [] });
  engine.register({ decider: partitionDecider, view: { isPending }, folds: [] });
  engine.carry('followTopic', carriesNothing);
  engine.carry('pushNext', carriesNothing);
  return joinMessages(engine).deduplication;
}

/** Topics, groups and instances together, as none of them is without the others. */
function joinConsumers(engine: Engine): TopicPartitions {
  const partitions = new TopicPartitions();
  joinTopics(engine);
  engine.follow(topicDecider.kind, partitions);
  const count = new GroupCount(partitions, { groupsMax: 1000, consumersMax: 1000 });
  engine.register({
    decider: consumerGroupDecider(groupRetentionMs),
    view: count,
    folds: [count],
  });
  engine.register({ decider: consumerDecider, view: null, folds: [] });
  engine.carry('runConsumer', carriesNothing);
  engine.carry('expireGroup', carriesNothing);
  engine.carry('forgetOffsets', carriesNothing);
  return partitions;
}

const carriesNothing = { start: () => () => undefined };

/** Turns, each with the time that passes before it: a deduplication window is ten minutes. */
const histories = (commands: fc.Arbitrary<Command>, minLength = 1, maxLength = 12) =>
  fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 1, minute, 9 * minute, 11 * minute),
      asked: fc.array(commands, { minLength: 1, maxLength: 4 }),
    }),
    { minLength, maxLength, ...(minLength > 1 && { size: 'max' as const }) },
  );

/** Everything a decision of this kind may depend on, and what it wants running. */
function remembered({ kind, wants }: Subject, { engine }: EngineOnDisk, indexes: unknown) {
  const actors = engine.actors(kind);
  const streams = [...actors.ids()].sort().map((id) => {
    const actor = actors.find(id);
    return [id, actor, wants(actor?.state as never, id)];
  });
  return { streams, indexes };
}

/** Names that are counted: two engines that take the same turns name the same. */
function countedNames(): Identifiers {
  let turns = 0;
  const turnSeed = () => {
    turns += 1;
    return `turn${turns}_`;
  };
  return { ...systemIdentifiers, turnSeed };
}

async function open(subject: Subject, directory?: string, names = countedNames()) {
  let indexes: unknown;
  const join = (engine: Engine) => {
    indexes = subject.join(engine);
  };
  const opened = await openEngine(join, directory, {}, names);
  return {
    ...opened,
    names,
    remembered: () => remembered(subject, opened, indexes),
    address: (command: Command) => subject.address?.(command, indexes) ?? command,
  };
}

/** A subject over a simulated disk, with all that sweeps need. */
async function openSubject(subject: Subject, disk = new SimulatedDisk(), names = countedNames()) {
  let indexes: unknown;
  const join = (engine: Engine) => {
    indexes = subject.join(engine);
  };
  const opened = await openSwept(disk, join, names);
  const address = (command: Command) => subject.address?.(command, indexes) ?? command;
  return { ...opened, names, address };
}

type OpenedSubject = Awaited<ReturnType<typeof openSubject>>;

/**
 * Sweeps with a crash at the `crashAt`th change of the disk, restarts on what that leaves, sweeps
 * to the end and restarts again.
 */
async function sweptAndRestarted(
  subject: Subject,
  { disk, names, sweeper, engine }: OpenedSubject,
  at: number,
  { beforeMs, crashAt }: { readonly beforeMs: number; readonly crashAt: number },
): Promise<OpenedSubject> {
  let changes = 0;
  let left: SimulatedDisk | null = null;
  disk.afterChange = () => {
    changes += 1;
    if (changes === crashAt) left = disk.crash('nothing', crashAt);
  };
  await sweeper.sweep(at - beforeMs, at);
  disk.afterChange = null;
  await engine.durable();
  const crashed = await openSubject(subject, left ?? disk.restart(), names);
  await crashed.sweeper.sweep(at - beforeMs, at);
  await crashed.engine.durable();
  return openSubject(subject, crashed.disk.restart(), names);
}

/** What the sweeps of a journal came to. */
async function sweepsOf(journal: Journal): Promise<SweepOutcome[]> {
  const outcomes: SweepOutcome[] = [];
  for await (const turn of journal.replay()) {
    for (const { kind, event } of turn) {
      if (kind === journalSweepKind) outcomes.push(event as JournalSwept);
    }
  }
  return outcomes;
}

async function offsetsOf(journal: Journal): Promise<ReadonlySet<number>> {
  const offsets = new Set<number>();
  for await (const turn of journal.replay()) for (const { offset } of turn) offsets.add(offset);
  return offsets;
}

describe('every decider of the product', () => {
  it('is among those that are restarted here', () => {
    const deciders = sourceTree()
      .map(({ path }) => path)
      .filter((path) => /^src\/(?!engine\/).*\.decider\.ts$/.test(path));
    expect(subjects.map(({ file }) => file).sort()).toEqual(deciders.sort());
  });

  describe.each(subjects)('$kind', (subject) => {
    it('answers and remembers after a restart as if there had been none', async () => {
      const history = histories(subject.commands);
      await fc.assert(
        fc.asyncProperty(history, fc.nat(11), async (turns, restartAt) => {
          const whole = await open(subject);
          let restarted = await open(subject);
          let at = startedAt;
          for (const [index, { afterMs, asked }] of turns.entries()) {
            at += afterMs;
            const commands = asked.map((command) => ({ ...whole.address(command), at }));
            if (index === restartAt % turns.length) {
              await restarted.close();
              const live = restarted.remembered();
              restarted = await open(subject, restarted.directory, restarted.names);
              expect(restarted.remembered()).toEqual(live);
            }
            const outcomes = await whole.engine.dispatch(commands);
            expect(await restarted.engine.dispatch(commands)).toEqual(outcomes);
          }
          expect(restarted.remembered()).toEqual(whole.remembered());
          for (const { close, directory } of [whole, restarted]) {
            await close();
            await rm(dirname(directory), { recursive: true });
          }
        }),
        { numRuns: runs },
      );
    }, 600_000);

    it('answers and remembers after sweeps and their crashes as before', async () => {
      const sweep = fc.record({
        after: fc.integer({ min: 12, max: 23 }),
        beforeMs: fc.constantFrom(-1, 0, minute, 10 * minute),
        crashAt: fc.nat(60),
      });
      await fc.assert(
        fc.asyncProperty(histories(subject.commands, 24, 32), sweep, async (turns, chosen) => {
          const { after, beforeMs, crashAt } = chosen;
          const whole = await openSubject(subject);
          let swept = await openSubject(subject);
          let at = startedAt;
          for (const [index, { afterMs, asked }] of turns.entries()) {
            at += afterMs;
            if (index === after) {
              const before = await offsetsOf(whole.journal);
              swept = await sweptAndRestarted(subject, swept, at, { beforeMs, crashAt });
              for (const outcome of await sweepsOf(swept.journal)) {
                await whole.sweeps.record(outcome, at);
              }
              expect(memoryOf(swept.engine)).toEqual(memoryOf(whole.engine));
              expect(await danglingOffsets(swept.engine, swept.journal, before)).toEqual([]);
            }
            const commands = asked.map((command) => ({ ...whole.address(command), at }));
            const outcomes = await whole.engine.dispatch(commands);
            expect(await swept.engine.dispatch(commands)).toEqual(outcomes);
            await swept.roll();
          }
          expect(memoryOf(swept.engine)).toEqual(memoryOf(whole.engine));
          for await (const turn of whole.journal.replay()) {
            expect(turn.flatMap((event) => unnamedOffsets(whole.engine, event))).toEqual([]);
          }
        }),
        { numRuns: runs, endOnFailure: true },
      );
    }, 600_000);
  });
});
