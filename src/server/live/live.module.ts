/** Wiring of the live stream. */
import { Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife, type Stoppable } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { watchStreams } from '../../http/bytes/open-streams.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { JournalSweepsModule } from '../history/journal-sweeps.module.js';
import { LiveRoute } from './live.routes.js';
import { followedKinds } from './live-events.js';
import { LiveViews } from './live-views.js';

/** Streams end at once. */
const stopDeadlineMs = 1000;

/** While there are no clients, the engine does not call it for any event. */
@Module({
  imports: [JournalSweepsModule],
  providers: [
    LiveRoute,
    {
      provide: LiveViews,
      inject: [JournalSweeps, Journal, provided.clock],
      useFactory: (sweeps: JournalSweeps, journal: Journal, clock: Clock) =>
        new LiveViews(journal, clock, () => Math.max(journal.startOffset, sweeps.edge)),
    },
  ],
})
export class LiveModule implements OnModuleInit {
  constructor(
    private readonly views: LiveViews,
    private readonly engine: Engine,
    private readonly life: ProcessLife,
    table: RouteTable,
    route: LiveRoute,
    registry: Registry,
  ) {
    table.add(route);
    watchStreams(registry, 'live', () => views.size);
  }

  onModuleInit(): void {
    this.engine.observe(followedKinds, this.views.listener, this.views.interest);
    const stoppable: Stoppable = {
      name: 'live streams',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.views.stop(),
    };
    // It is added after the doors, so it stops before them; the doors wait for every answer.
    const recover = async () => this.life.addStoppable(stoppable);
    this.life.addRecoverable({ name: stoppable.name, recover });
  }
}
