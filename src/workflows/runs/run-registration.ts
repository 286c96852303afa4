/** How runs join the engine: their decider, what its decisions read, and the indexes of both. */
import type { Engine } from '../../engine/engine.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { pendingMessage } from '../../messaging/messages/pending-message.js';
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

/** Registers runs; messages are registered elsewhere, before recovery as well. */
export function registerRuns(engine: Engine): RunIndexes {
  const known = new KnownRuns();
  const notifications = new LatestNotification();
  const waiters = new Waiters((runId) => activeRun(engine, runId)?.context.waits ?? []);
  const pending = new PendingRunMessages((id) => pendingMessage(engine, id)?.run?.runId);
  engine.register({
    decider: runDecider,
    view: {
      known: (runId, at) => startOf(engine, runId) ?? known.find(runId, at),
      hasPending: (runId) => pending.has(runId),
      pending: (runId) => pending.of(runId).flatMap((id) => pendingRunMessage(engine, id) ?? []),
      notificationOffset: (id) => notifications.offsetOf(id),
    },
    folds: [known, notifications, waiters],
  });
  engine.follow(messageKind, pending);
  engine.reactTo(messageKind, messageEndedFor);
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

function pendingRunMessage(engine: Engine, messageId: string): PendingRunMessage | undefined {
  const message = pendingMessage(engine, messageId);
  if (message === undefined || message.run === null) return undefined;
  const { role, publishedOffset } = message.run;
  return { messageId, role, publishedOffset, notBefore: message.notBefore };
}
