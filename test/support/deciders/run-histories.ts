/** Random commands to workflow runs and their messages, and runs registered as in the product. */
import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.js';
import type { MessageCommand } from '../../../src/messaging/messages/message.commands.js';
import type { Messages } from '../../../src/messaging/messages/message.entity.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import type { RunCommand } from '../../../src/workflows/run-state/run.commands.js';
import type { Inheritance, StepInfo } from '../../../src/workflows/run-state/run.events.js';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import { Runs } from '../../../src/workflows/runs/run.entity.js';
import { noStepOptions } from '../../../src/workflows/runs/run-messages.policy.js';
import { callbackOptions, messageOptions } from '../message-options.js';
import {
  planOf,
  runConfiguration,
  runTermsOf,
  startRun,
  stepInfo,
  submitStep,
} from '../workflows/run-commands.js';
import { runPlace } from '../workflows/run-place.js';
import { carriesNothing, commandsTo, historyStart } from './histories.js';
import { recordAttempt, registerMessages } from './message-histories.js';

/** The runs that the commands are addressed to. */
export const runIds = ['wfr_a', 'wfr_b', 'wfr_c'];
/** The events that they wait for. */
export const eventIds = ['paid', 'sent'];

const anyRun = fc.constantFrom(...runIds);
/** A plan has no id of its own, so only a step can wait. */
const ownStep = fc.integer({ min: 1, max: 4 }).map((id) => stepInfo(id));
const anyStep = fc.oneof(
  ownStep,
  fc.integer({ min: 1, max: 4 }).map((id) => planOf(id)),
);
const anyEvent = fc.constantFrom(...eventIds);
const someBytes = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));

/** The message of a step: a repeated step names the same. */
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
    // At least the payload, which every run has as its first entry.
    entries: fc.array(fc.record({ step: anyStep, bytes: fc.nat(100) }), {
      minLength: 1,
      maxLength: 3,
    }),
    waits: fc.array(fc.record({ eventId: anyEvent, deadline: fc.nat(10_000) }), { maxLength: 2 }),
    notifications: fc.array(fc.record({ eventId: anyEvent, bytes: fc.nat(100) }), { maxLength: 2 }),
    calls: fc.array(anyStep, { maxLength: 2 }),
    invocations: fc.array(anyRun, { maxLength: 2 }),
    announcers: fc.array(anyRun, { minLength: 1, maxLength: 2 }),
  })
  .map(({ entries, waits, notifications, calls, invocations, announcers }) => ({
    runId: 'wfr_failed',
    announcers,
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

/** Everything that runs are sent; an `EndWait` names the event, whose first waiter it ends. */
export const runCommands = commandsTo<RunCommand>(
  runDecider.kind,
  fc.oneof(
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
        .record({ id: anyRun, step: ownStep, eventId: anyEvent })
        .map(({ id, step, eventId }) => ({
          type: 'OpenWait' as const,
          id,
          step,
          eventId,
          timeout: '1h',
          deadline: historyStart + 60 * 60_000,
          messageId: messageOf(id, step),
        })),
    },
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
      invoker: { runId, url: 'https://app.example/wf', createdAt: historyStart, step },
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
  ),
);

/** Attempts and cancellations of the runs' messages, to which the runs react. */
export const messagesOfRuns = commandsTo<MessageCommand>(
  messageKind,
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(recordAttempt, messageOfRun).map(([attempt, id]) => ({ ...attempt, id })),
    },
    messageOfRun.map((id) => ({ type: 'CancelMessage' as const, id, terms: [] })),
  ),
);

/** Registers runs with the messages that they publish. */
export function registerRunsAndMessages(engine: Engine): { messages: Messages; runs: Runs } {
  const messages = registerMessages(engine);
  const runs = new Runs(engine, messages);
  engine.carry('endWait', carriesNothing);
  return { messages, runs };
}
