/** Wiring of the parts of active runs: metrics, deadlines of waits, and routes. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Engine } from '../../engine/engine.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { RunArchive } from '../deliveries/run-archive.js';
import { RunEntries } from '../deliveries/run-entries.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { Runs } from '../runs/run.entity.js';
import { RunsModule } from '../runs/runs.module.js';
import { ActiveRuns } from './active-runs.js';
import { LongHistories } from './long-histories.js';
import { WaitDeadlines } from './run.effects.js';
import { RunMetrics } from './run.metrics.js';
import { RunsController } from './runs.controller.js';
import { RunRoutes } from './runs.routes.js';

/** Exports `ActiveRuns`, with which jobs cancel active runs. */
@Module({
  imports: [RunsModule, RunEntriesModule],
  controllers: [RunsController],
  providers: [RunRoutes, ActiveRuns, WaitDeadlines, LongHistories, RunMetrics],
  exports: [ActiveRuns],
})
export class ActiveRunsModule {
  constructor(
    engine: Engine,
    runs: Runs,
    deadlines: WaitDeadlines,
    archive: RunArchive,
    entries: RunEntries,
    histories: LongHistories,
    metrics: RunMetrics,
    registry: Registry,
    table: RouteTable,
    { routes }: RunRoutes,
  ) {
    engine.carry('endWait', deadlines);
    runs.observe(archive.listener, archive.interest);
    runs.observe(entries.listener, entries.interest);
    runs.observe(metrics.listener, metrics.interest);
    runs.observe(histories.listener, histories.interestIn(runs.long));
    table.add(...routes);
    const help = 'Workflow runs that have not ended.';
    gauge(registry, 'stepwell_active_runs', help, () => runs.size);
  }
}
