/** Wiring of workflow runs: their decider, their indexes, and how their waits end. */
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { runKind } from '../run-state/run.events.js';
import { activeRun, registerRuns } from '../runs/run-registration.js';
import { Waiters } from '../runs/waiters.projection.js';
import { ActiveRuns } from './active-runs.js';
import { LongHistories } from './long-histories.js';
import { WaitDeadlines } from './run.effects.js';
import { runListener } from './run.listener.js';
import { RunMetrics } from './run.metrics.js';
import { RunsController } from './runs.controller.js';
import { RunRoutes } from './runs.routes.js';

@Module({
  imports: [RunEntriesModule, MessagesModule],
  controllers: [RunsController],
  providers: [
    RunRoutes,
    ActiveRuns,
    {
      provide: Waiters,
      inject: [
        Engine,
        Messages,
        Payloads,
        Registry,
        provided.clock,
        provided.identifiers,
        provided.log,
      ],
      useFactory: waitersOf,
    },
  ],
  exports: [Waiters],
})
export class WorkflowsModule {
  constructor(table: RouteTable, { routes }: RunRoutes) {
    table.add(...routes);
  }
}

/** Registers runs; the waiters are the index that others ask. */
function waitersOf(
  engine: Engine,
  messages: Messages,
  payloads: Payloads,
  registry: Registry,
  clock: Clock,
  identifiers: Identifiers,
  log: Logger,
): Waiters {
  const { waiters } = registerRuns(engine, messages);
  engine.carry('endWait', new WaitDeadlines(engine, clock, identifiers));
  const entriesOf = (runId: string) => activeRun(engine, runId)?.context.entries;
  engine.observe(
    [runKind],
    runListener(payloads, entriesOf, new LongHistories(log), new RunMetrics(registry)),
  );
  const help = 'Workflow runs that have not ended.';
  gauge(registry, 'stepwell_active_runs', help, () => engine.actors(runKind).size);
  return waiters;
}
