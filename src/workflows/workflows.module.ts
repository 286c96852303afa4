/** Wiring of workflow runs: their decider, their indexes, and how their waits end. */
import { Module } from '@nestjs/common';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import type { Identifiers } from '../engine/identifiers.js';
import { Payloads } from '../engine/payloads.js';
import { RouteTable } from '../http/hot-routes.js';
import { messageKind } from '../messages/message.events.js';
import type { MessageState, PendingMessage } from '../messages/message.state.js';
import { provided } from '../ports.js';
import { ActiveRuns } from './active-runs.js';
import { KnownRuns } from './known-runs.projection.js';
import { LatestNotification } from './latest-notification.projection.js';
import { PendingRunMessages } from './pending-messages.projection.js';
import { type PendingRunMessage, runDecider } from './run.decider.js';
import { WaitDeadlines } from './run.effects.js';
import { runKind } from './run.events.js';
import { runListener } from './run.listener.js';
import type { RunState } from './run.state.js';
import { RunEntries } from './run-entries.js';
import { RunEntriesModule } from './run-entries.module.js';
import { RunsController } from './runs.controller.js';
import { RunRoutes } from './runs.routes.js';
import { Waiters } from './waiters.projection.js';

@Module({
  imports: [RunEntriesModule],
  controllers: [RunsController],
  providers: [
    {
      provide: ActiveRuns,
      inject: [RouteTable, Engine, RunEntries, provided.clock],
      useFactory: activeRuns,
    },
    {
      provide: Waiters,
      inject: [Engine, Payloads, provided.clock, provided.identifiers],
      useFactory: waitersOf,
    },
  ],
  exports: [Waiters],
})
export class WorkflowsModule {}

function activeRuns(
  table: RouteTable,
  engine: Engine,
  entries: RunEntries,
  clock: Clock,
): ActiveRuns {
  const runs = new ActiveRuns(engine, entries, clock);
  table.add(new RunRoutes(runs));
  return runs;
}

/** Registers runs; the waiters are the index that others ask. */
function waitersOf(
  engine: Engine,
  payloads: Payloads,
  clock: Clock,
  identifiers: Identifiers,
): Waiters {
  const known = new KnownRuns();
  const notifications = new LatestNotification();
  const waiters = new Waiters((runId) => stateOf(engine, runId)?.waits ?? []);
  const pending = new PendingRunMessages((messageId) => pendingOf(engine, messageId)?.run?.runId);
  engine.register({
    decider: runDecider,
    view: {
      known,
      pending: (runId) => pending.of(runId).flatMap((id) => pendingRunMessage(engine, id) ?? []),
      notificationOffset: (id) => notifications.offsetOf(id),
    },
    folds: [known, notifications, waiters],
  });
  engine.follow(messageKind, pending);
  engine.carry('endWait', new WaitDeadlines(engine, clock, identifiers));
  engine.observe(runListener(payloads));
  return waiters;
}

function stateOf(engine: Engine, runId: string): RunState | undefined {
  return engine.actors(runKind).find(runId)?.state as RunState | undefined;
}

function pendingOf(engine: Engine, messageId: string): PendingMessage | undefined {
  const state = engine.actors(messageKind).find(messageId)?.state as MessageState | undefined;
  return state?.status === 'pending' ? state : undefined;
}

function pendingRunMessage(engine: Engine, messageId: string): PendingRunMessage | undefined {
  const message = pendingOf(engine, messageId);
  if (message === undefined || message.run === null) return undefined;
  const { role, publishedOffset } = message.run;
  return { messageId, role, publishedOffset, notBefore: message.notBefore };
}
