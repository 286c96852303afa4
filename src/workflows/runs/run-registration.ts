/** How runs join the engine: their decider, what its decisions read, and the indexes of both. */
import type { Engine } from '../../engine/engine.js';
import type { Messages } from '../../messaging/messages/message.entity.js';
import { runKind } from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.state.js';
import { type KnownRun, KnownRuns } from './known-runs.projection.js';
import { LatestNotification } from './latest-notification.projection.js';
import { messageEndedFor } from './message-run.policy.js';
import { PendingRunMessages } from './pending-messages.projection.js';
import { runDecider } from './run.decider.js';
import type { PendingRunMessage } from './run-view.js';
import { Waiters } from './waiters.projection.js';

/** Folds of the events of runs and of their messages. */
export interface RunIndexes {
  readonly known: KnownRuns;
  readonly notifications: LatestNotification;
  readonly pending: PendingRunMessages;
  readonly waiters: Waiters;
}

/** Registers runs; before recovery. */
export function registerRuns(engine: Engine, messages: Messages): RunIndexes {
  const known = new KnownRuns();
  const notifications = new LatestNotification();
  const waiters = new Waiters((runId) => activeRun(engine, runId)?.context.waits ?? []);
  const pending = new PendingRunMessages((id) => messages.pending(id)?.run?.runId);
  engine.register({
    decider: runDecider,
    view: {
      known: (runId, at) => startOf(engine, runId) ?? known.find(runId, at),
      hasPending: (runId) => pending.has(runId),
      pending: (runId) => pending.of(runId).flatMap((id) => pendingRunMessage(messages, id) ?? []),
      notificationOffset: (id) => notifications.offsetOf(id),
    },
    folds: [known, notifications, waiters],
  });
  messages.follow(pending);
  messages.reactTo(messageEndedFor);
  return { known, notifications, pending, waiters };
}

/** What memory holds of a run; undefined = it is not active. */
export function activeRun(engine: Engine, runId: string): RunState | undefined {
  return engine.actors(runKind).find(runId)?.state as RunState | undefined;
}

/** Of an active run. */
function startOf(engine: Engine, runId: string): KnownRun | undefined {
  const state = activeRun(engine, runId);
  const messageId = state?.context.entries.at(0)?.messageId;
  return state === undefined || messageId === undefined
    ? undefined
    : { messageId, createdAt: state.context.createdAt };
}

function pendingRunMessage(messages: Messages, messageId: string): PendingRunMessage | undefined {
  const message = messages.pending(messageId);
  if (message === undefined || message.run === null) return undefined;
  const { role, publishedOffset } = message.run;
  return { messageId, role, publishedOffset, notBefore: message.notBefore };
}
